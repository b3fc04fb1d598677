import { readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryRepository, userGit, writeFiles } from '../../test/support/temporary-repository.ts'
import { gitWorkspace } from './git-workspace.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

const commit = (top: string, message: string): Promise<string> =>
  userGit(top, 'commit', '--quiet', '--allow-empty', `--message=${message}`)

describe.concurrent('what becomes of HEAD between two looks', () => {
  test('WORK-89 commits, a switched and a moved branch are notes of the next look, and of that one only', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    let last = (await workspace.observe('run', '0')).snapshot
    let count = 0
    const notes = async (again = workspace) => {
      const seen = await again.observe('run', String((count += 1)), last)
      last = seen.snapshot
      return seen.notes
    }
    expect(await notes()).toEqual([])
    await commit(top, 'One \u001b[31mred')
    const [one] = (await userGit(top, 'log', '--format=%h')).split('\n')
    expect(await notes()).toEqual([`1 new commit on main: ${one} One [31mred`])
    expect(await notes()).toEqual([])
    await commit(top, 'Two')
    await commit(top, 'Three')
    await userGit(top, 'pack-refs', '--all')
    // Another process knows of the last look from its snapshot.
    expect(await notes(gitWorkspace({ path: top }))).toEqual([
      expect.stringMatching(/^2 new commits on main, the last one \w+ Three$/),
    ])
    await userGit(top, 'commit', '--quiet', '--allow-empty', '--amend', '--message=Better')
    expect(await notes()).toEqual([expect.stringMatching(/^1 new commit on main: \w+ Better; 1 commit no longer on it$/)])
    await userGit(top, 'reset', '--quiet', '--hard', 'HEAD~2')
    expect(await notes()).toEqual([expect.stringMatching(/^main is at \w{7} now; it was at \w{7}$/)])
    await userGit(top, 'switch', '--quiet', '--create', 'hotfix')
    expect(await notes()).toEqual(['hotfix is checked out now; it was main'])
    await userGit(top, 'switch', '--quiet', '--create', 'feature')
    await commit(top, 'Four')
    expect(await notes()).toEqual([expect.stringMatching(/^feature is checked out now, at \w+ Four; it was hotfix$/)])
    await userGit(top, 'switch', '--quiet', '--detach')
    expect(await notes()).toEqual(['no branch (detached HEAD) is checked out now; it was feature'])
  })

  test('WORK-89 the first commit of all, and one in a run’s own worktree, are reported too', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    await userGit(top, 'switch', '--quiet', '--orphan', 'fresh')
    const workspace = gitWorkspace({ path: top })
    await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    await writeFiles(top, { 'b.txt': 'b\n' })
    await userGit(top, 'add', '--all')
    await commit(top, 'First')
    expect((await workspace.observe('run', '1', snapshot)).notes).toEqual([
      expect.stringMatching(/^1 new commit on fresh: \w+ First$/),
    ])
    const own = gitWorkspace({ path: top, worktree: true })
    const { cwd } = await own.open('own')
    await commit(cwd, 'Mine')
    expect((await own.observe('own', '0')).notes).toEqual([
      expect.stringMatching(/^1 new commit on no branch \(detached HEAD\): \w+ Mine$/),
    ])
  })
})

test('BOX-29 what the user’s own git newly obeys is a note of the next look: settings, hooks, submodules, a repository inside', async () => {
  await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
  const top = repository.path
  const workspace = gitWorkspace({ path: top })
  await workspace.open('run')
  const { snapshot } = await workspace.observe('run', '0')
  const notes = async () => (await workspace.observe('run', '1', snapshot)).notes
  await userGit(top, 'config', 'branch.main.remote', 'origin')
  expect(await notes()).toEqual([])
  await userGit(top, 'config', 'filter.a b.clean', 'x')
  await userGit(top, 'config', 'core.fsmonitor', 'true')
  await userGit(top, 'config', 'remote.origin.url', 'elsewhere')
  expect(await notes()).toEqual([
    obeys('core.fsmonitor (.git/config)', 'filter.a b.clean (.git/config)', 'remote.origin.url (.git/config)'),
  ])
  expect(await notes()).toEqual([])
  await userGit(top, 'config', 'core.fsmonitor', 'other')
  await writeFiles(top, {
    '.git/hooks/pre-commit': 'x',
    '.git/hooks/pre-push.sample': 'x',
    '.git/info/attributes': 'x',
    '.git/modules/group/sub/HEAD': 'x',
    '.git/modules/group/sub/config': '[core]fsmonitor = x\n',
  })
  expect(await notes()).toEqual([
    obeys(
      'core.fsmonitor (.git/config)',
      '.git/info/attributes',
      '.git/hooks/pre-commit',
      'core.fsmonitor (.git/modules/group/sub/config)',
    ),
  ])
  await writeFiles(top, { 'inner/a.txt': 'a' })
  await userGit(`${top}/inner`, 'init', '--quiet')
  await userGit(`${top}/inner`, 'config', 'core.hooksPath', 'x')
  const [first, second] = (await notes()) ?? []
  expect(first).toContain('core.hooksPath (inner/.git/config)')
  expect(second).toBe('left out: inner/ is a repository of its own')
  await writeFiles(top, { '.git/commondir': '../inner/.git\n' })
  await expect(notes()).rejects.toThrow(/\.git\/commondir leads git to another repository's settings/)
})

test('BOX-32 links in place of git’s files bring nothing from outside into notes or into Pawl’s own folder', async () => {
  await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
  await using other = await temporaryRepository({ secret: 'SECRET\n' })
  const top = repository.path
  const workspace = gitWorkspace({ path: top })
  await workspace.open('run')
  const { snapshot } = await workspace.observe('run', '0')
  for (const name of ['config.worktree', 'info/exclude']) {
    await rm(join(top, '.git', name), { force: true })
    await symlink(join(other.path, 'secret'), join(top, '.git', name))
  }
  expect((await workspace.observe('run', '1', snapshot)).notes).toEqual([obeys('.git/config.worktree')])
  expect(await readFile(join(top, '.git/pawl/run/info/exclude'), 'utf8')).toBe('\n.pawl\n')
})

function obeys(...names: readonly string[]): string {
  return `your own git now obeys ${names.join(', ')}: look at it before you use git here`
}
