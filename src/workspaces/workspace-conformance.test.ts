import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, test } from 'vitest'
import { gitTestEnvironment, temporaryFolder, userGit } from '../../test/support/temporary-repository.ts'
import { workspaceConformance, type WorkspaceSubject } from '../testing/workspace-conformance.ts'
import { folderWorkspace } from './folder-workspace.ts'
import { gitWorkspace } from './git-workspace.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

const subjects: Record<string, (path: string) => Promise<WorkspaceSubject>> = {
  'git, in the folder': (path) => gitSubject(path, path, false),
  'git, in a subfolder of a worktree of its own': (path) => gitSubject(path, join(path, 'sub folder'), true),
  folder: async (path) => {
    const again = () => folderWorkspace({ path, ignore: ['deep/*.ignored'] })
    return { workspace: again(), again, ignoredFile: 'deep/secret.ignored', env: gitTestEnvironment }
  },
}

describe.for(Object.entries(subjects))('%s', { concurrent: true }, ([, make]) => {
  test.for(workspaceConformance.map(({ name, run }) => [name, run] as const))('%s', async ([, run], { expect }) => {
    await using folder = await temporaryFolder()
    await expect(make(folder.path).then(run)).resolves.toBeUndefined()
  })
})

async function gitSubject(top: string, path: string, worktree: boolean): Promise<WorkspaceSubject> {
  await mkdir(path, { recursive: true })
  await userGit(top, 'init', '--quiet')
  await writeFile(join(top, '.gitignore'), '*.ignored\n')
  const again = () => gitWorkspace({ path, worktree })
  return { workspace: again(), again, ignoredFile: 'deep/secret.ignored', env: gitTestEnvironment }
}
