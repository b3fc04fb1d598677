import { access, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder, temporaryRepository, userGit, writeFiles } from '../../test/support/temporary-repository.ts'
import { listFiles } from './list-files.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

const { signal } = new AbortController()

async function paths(root: string, filesMax = 1000): Promise<readonly string[]> {
  return (await listFiles(root, filesMax, signal)).map(({ path }) => path)
}

const RULES = '*.log\nbuild/\n!keep.log\n/top.txt\ndocs/*.tmp\n**/deep/x.ts\nq[0-9].txt\n'
const FILES = {
  '.gitignore': RULES,
  'src/a.ts': 'a',
  'src/b.log': 'b',
  'src/keep.log': 'k',
  'build/out.js': 'o',
  'src/build/out.js': 'o',
  'top.txt': 't',
  'src/top.txt': 't',
  'docs/x.tmp': 'x',
  'docs/in/x.tmp': 'x',
  'some/deep/x.ts': 'x',
  'q1.txt': 'q',
  'qx.txt': 'q',
  'inner/.gitignore': 'secret\n!b.log\n',
  'inner/secret': 's',
  'inner/b.log': 'b',
  'src/ümlaut name.ts': 'u',
  // Words of the settings of research are no evidence: never listed.
  'pawl-research.yaml': 'k',
}
const KEPT = [
  '.gitignore',
  'docs/in/x.tmp',
  'inner/.gitignore',
  'inner/b.log',
  'qx.txt',
  'src/a.ts',
  'src/keep.log',
  'src/top.txt',
  'src/ümlaut name.ts',
]

describe('the files of a folder', () => {
  test('CODE-6 in a repository they are what git tracks and what is new, without what it ignores', async () => {
    await using repository = await temporaryRepository({ 'tracked.log': 'tracked although ignored' })
    await writeFiles(repository.path, FILES)
    expect(await paths(repository.path)).toEqual([...KEPT, 'tracked.log'].toSorted())
    await rm(join(repository.path, 'tracked.log'))
    expect(await paths(join(repository.path, 'src'))).toEqual(['a.ts', 'keep.log', 'top.txt', 'ümlaut name.ts'])
    expect(await paths(repository.path)).toEqual(KEPT)
  })

  test('CODE-6 no program that a repository names in its configuration is run', async () => {
    await using repository = await temporaryRepository()
    const sign = join(repository.path, 'was-run')
    await writeFile(join(repository.path, 'hook.sh'), `#!/bin/sh\ntouch '${sign}'\n`, { mode: 0o755 })
    await userGit(repository.path, 'config', 'core.fsmonitor', join(repository.path, 'hook.sh'))
    expect(await paths(repository.path)).toEqual(['a.txt', 'hook.sh'])
    await expect(access(sign)).rejects.toThrow('ENOENT')
  })

  test('CODE-7 elsewhere they are what a walk finds that no .gitignore leaves out', async () => {
    await using folder = await temporaryFolder()
    await writeFiles(folder.path, { ...FILES, 'node_modules/x/index.js': 'x', '.pawl/pawl.db': 'x' })
    expect(await paths(folder.path)).toEqual(KEPT)
    expect(await paths(folder.path, 2)).toEqual(KEPT.slice(0, 2))
  })

  test('CODE-8 no link is followed, also where one now replaces a tracked folder', async () => {
    await using outside = await temporaryFolder()
    await writeFiles(outside.path, { 'a.ts': 'not yours' })
    for (const folder of [await temporaryRepository({ 'src/a.ts': 'a', 'b.ts': 'b' }), await temporaryFolder()]) {
      await using kept = folder
      await mkdir(join(kept.path, 'src'), { recursive: true })
      await rename(join(kept.path, 'src'), join(kept.path, 'moved'))
      await symlink(outside.path, join(kept.path, 'src'))
      await symlink(join(outside.path, 'a.ts'), join(kept.path, 'c.ts'))
      expect((await paths(kept.path)).filter((path) => path.startsWith('src') || path === 'c.ts')).toEqual([])
    }
  })
})
