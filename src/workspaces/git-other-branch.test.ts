import { beforeAll, describe, expect, test } from 'vitest'
import { folderContents } from '../testing/folder-contents.ts'
import { temporaryRepository, userGit, writeFiles } from '../../test/support/temporary-repository.ts'
import { gitWorkspace, listSnapshots } from './git-workspace.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

/** On `feature`, with a snapshot `0` and half-done work on top of it; `hotfix` has a file of its own. */
async function halfDone() {
  const repository = await temporaryRepository({ 'a.txt': 'a\n' })
  const top = repository.path
  await userGit(top, 'switch', '--quiet', '--create', 'hotfix')
  await writeFiles(top, { 'hotfix.md': 'fixed\n' })
  await userGit(top, 'add', '--all')
  await userGit(top, 'commit', '--quiet', '--message=hotfix')
  await userGit(top, 'switch', '--quiet', '--create', 'feature', 'main')
  const workspace = gitWorkspace({ path: top })
  await workspace.open('run')
  const { snapshot } = await workspace.observe('run', '0')
  await writeFiles(top, { 'a.txt': 'half\n', 'half.txt': 'h\n' })
  return { top, workspace, snapshot, [Symbol.asyncDispose]: () => repository[Symbol.asyncDispose]() }
}

describe.concurrent('a restore and branches', () => {
  test.for(['files', 'packed refs'])(
    'WORK-87 where another branch is checked out it changes nothing, says the way back, and goes on from there (%s)',
    async (refs) => {
      await using project = await halfDone()
      const { top, snapshot } = project
      if (refs === 'packed refs') await userGit(top, 'pack-refs', '--all')
      await userGit(top, 'switch', '--quiet', 'hotfix')
      const before = await folderContents(top)
      const workspace = gitWorkspace({ path: top })
      const refused = { code: 'workspace.other-branch', message: expect.stringContaining('"git switch feature"') }
      await expect(workspace.restore('run', snapshot)).rejects.toMatchObject(refused)
      expect(await folderContents(top)).toEqual(before)
      expect((await listSnapshots(top, 'run')).map(({ label }) => label).toSorted()).toEqual(['0', 'start'])
      expect(await workspace.preview?.('run', snapshot)).toEqual({
        files: [
          { path: 'a.txt', change: 'modified' },
          { path: 'half.txt', change: 'deleted' },
          { path: 'hotfix.md', change: 'deleted' },
        ],
        otherBranch: { was: 'feature', now: 'hotfix', command: 'git switch feature' },
      })
      await userGit(top, 'switch', '--quiet', 'feature')
      expect(await workspace.restore('run', snapshot)).toMatchObject({ savedAs: 'refs/pawl/run/saved-1' })
      expect(await folderContents(top)).toEqual({ 'a.txt': 'file a\n' })
    },
  )

  test('WORK-87 it does as it is told where that is wanted, and has nothing to refuse afterwards', async () => {
    await using project = await halfDone()
    const { top, workspace, snapshot } = project
    await userGit(top, 'switch', '--quiet', 'hotfix')
    await workspace.restore('run', snapshot, { onAnyBranch: true })
    expect(await folderContents(top)).toEqual({ 'a.txt': 'file a\n' })
    expect(await workspace.restore('run', snapshot)).not.toHaveProperty('savedAs')
  })

  test.for([
    ['a branch made at the same commit', ['switch', '--quiet', '--create', 'other']],
    ['a detached HEAD at the same commit', ['switch', '--quiet', '--detach']],
    ['a later commit on the same branch', ['commit', '--quiet', '--all', '--message=by the agent']],
  ] as const)('WORK-88 %s is no other branch', async ([, command]) => {
    await using project = await halfDone()
    const { top, workspace, snapshot } = project
    await userGit(top, ...command)
    await workspace.restore('run', snapshot)
    expect(await folderContents(top)).toEqual({ 'a.txt': 'file a\n' })
  })

  test('WORK-88 a snapshot of an older version, which does not know its branch, is restored as ever', async () => {
    await using project = await halfDone()
    const { top, workspace, snapshot } = project
    const subject = await userGit(top, 'log', '-1', '--format=%s', snapshot)
    const old = await userGit(top, 'commit-tree', `${snapshot}^{tree}`, '-m', subject.trim())
    await userGit(top, 'update-ref', snapshot, old.trim())
    await userGit(top, 'switch', '--quiet', 'hotfix')
    await workspace.restore('run', snapshot)
    expect(await folderContents(top)).toEqual({ 'a.txt': 'file a\n' })
  })

  test('WORK-88 in its own worktree a run may be on any branch', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const workspace = gitWorkspace({ path: repository.path, worktree: true })
    const { cwd } = await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    await userGit(cwd, 'switch', '--quiet', '--create', 'agents')
    await writeFiles(cwd, { 'a.txt': 'half\n' })
    await userGit(cwd, 'commit', '--quiet', '--all', '--message=by the agent')
    await workspace.restore('run', snapshot)
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file a\n' })
  })

  test('WORK-88 what is checked out is read right: before the first commit, detached, and with a branch like a folder', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const commit = (await userGit(top, 'rev-parse', 'HEAD')).trim()
    const headAfter = async (label: string, ...command: readonly string[]) => {
      await userGit(top, ...command)
      await workspace.observe('run', label)
      return (await listSnapshots(top, 'run')).find((each) => each.label === label)?.head
    }
    expect(await headAfter('0', 'switch', '--quiet', '--detach')).toEqual({ commit })
    expect(await headAfter('1', 'switch', '--quiet', '--create', 'fix/é-1')).toEqual({ branch: 'fix/é-1', commit })
    await userGit(top, 'branch', 'deep/one')
    await userGit(top, 'branch', '--delete', 'deep/one')
    expect(await headAfter('2', 'switch', '--quiet', '--create', 'deep')).toEqual({ branch: 'deep', commit })
    await userGit(top, 'switch', '--quiet', '--orphan', 'empty')
    await writeFiles(top, { 'b.txt': 'b\n' })
    expect(await headAfter('3', 'status')).toEqual({ branch: 'empty' })
  })
})
