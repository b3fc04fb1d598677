import { mkdir, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { folderContents } from '../testing/folder-contents.ts'
import { temporaryRepository, userGit, userState, writeFiles } from '../../test/support/temporary-repository.ts'
import { gitWorkspace, listSnapshots } from './git-workspace.ts'
import { listWorktrees, removeLeftovers, removeWorktree, worktreeLosses } from './git-worktree-removal.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

const NOTHING = { ignored: [], leftOut: [], outside: [], commits: [] }

describe.concurrent('removing a run’s own worktree', () => {
  test('WORK-92 its files are kept first, snapshots and the user’s state stay, and git knows nothing of it any more', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    const state = await userState(top)
    const workspace = gitWorkspace({ path: top, worktree: true })
    const { cwd } = await workspace.open('run')
    const { snapshot } = await workspace.observe('run', '0')
    expect(await listWorktrees(top)).toEqual(['run'])
    expect(await worktreeLosses(top, 'run')).toEqual(NOTHING)
    await writeFiles(cwd, { 'a.txt': 'a person’s\n', 'new.txt': 'n\n' })
    expect(await removeWorktree(top, 'run')).toEqual({ folder: cwd, keptAs: 'refs/pawl/run/saved-1' })
    expect(await userGit(top, 'show', 'refs/pawl/run/saved-1:a.txt')).toBe('a person’s\n')
    expect([existsSync(cwd), existsSync(`${cwd}.ready`), existsSync(join(top, '.git/worktrees'))]).toEqual([false, false, false])
    expect((await userGit(top, 'worktree', 'list')).trim().split('\n')).toHaveLength(1)
    expect(await listWorktrees(top)).toEqual([])
    expect(await worktreeLosses(top, 'run')).toBeUndefined()
    expect({ ...(await userState(top)), status: '' }).toEqual({ ...state, status: '' })

    const again = gitWorkspace({ path: top, worktree: true })
    expect(await again.open('run', snapshot)).toEqual({ cwd })
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file a\n' })
    // What a snapshot has already is not kept twice.
    expect((await removeWorktree(top, 'run')).keptAs).not.toContain('saved')
  })

  test('WORK-92 what a process that was killed in the middle left behind is no worktree, and is removed', async () => {
    await using repository = await temporaryRepository()
    const top = repository.path
    await gitWorkspace({ path: top, worktree: true }).open('run')
    const aside = join(top, '.pawl/worktrees/.removing-other')
    await mkdir(aside)
    expect(await listWorktrees(top)).toEqual(['run'])
    await removeLeftovers(top)
    expect(existsSync(aside)).toBe(false)
    expect(await listWorktrees(top)).toEqual(['run'])
  })

  test('WORK-91 without its worktree a run’s snapshots can be compared, and it is opened with the files of the one it stands at', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
    const top = repository.path
    const workspace = gitWorkspace({ path: top, worktree: true })
    const { cwd } = await workspace.open('run')
    const looks: string[] = []
    // All of them within a second or two: their times do not say which is the last.
    for (const label of ['0', '1', '2', '10']) {
      await writeFiles(cwd, { 'a.txt': `${label}\n` })
      looks.push((await workspace.observe('run', label)).snapshot)
    }
    await removeWorktree(top, 'run')
    const other = gitWorkspace({ path: top, worktree: true })
    const [zero, one, , ten] = looks as [string, string, string, string]
    expect((await other.diff(zero, ten)).text).toMatch(/^-0\n\+10$/m)
    await other.open('run', one)
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file 1\n' })
    await rm(cwd, { recursive: true })
    await gitWorkspace({ path: top, worktree: true }).open('run', ten)
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file 10\n' })
  })

  test('WORK-93 what is in no snapshot is named: ignored files, repositories inside, other folders, commits of its own', async () => {
    await using repository = await temporaryRepository({ 'out.txt': 'o\n', 'pack/a.txt': 'a\n', '.gitignore': 'dist/\n.env\n' })
    const top = repository.path
    const path = join(top, 'pack')
    const { cwd } = await gitWorkspace({ path, worktree: true }).open('run')
    expect(await worktreeLosses(path, 'run')).toEqual(NOTHING)
    await writeFiles(cwd, { 'a.txt': 'work\n', 'dist/a.js': 'x\n', 'dist/b.js': 'x\n', '.env': 'x\n', '../out.txt': 'changed\n' })
    await userGit(cwd, 'commit', '--quiet', '--message=mine', '--', 'a.txt')
    await userGit(cwd, 'init', '--quiet', 'inner')
    const commit = (await userGit(cwd, 'rev-parse', 'HEAD')).trim()
    expect(await worktreeLosses(path, 'run')).toEqual({
      ignored: ['pack/.env', 'pack/dist/'],
      leftOut: ['left out: pack/inner/ is a repository of its own'],
      outside: ['out.txt'],
      commits: [commit],
    })
    await userGit(cwd, 'branch', 'kept')
    expect(await worktreeLosses(path, 'run')).toMatchObject({ commits: [] })
    const { keptAs } = await removeWorktree(path, 'run')
    expect(await userGit(top, 'show', `${keptAs}:pack/a.txt`)).toBe('work\n')
    expect((await listSnapshots(path, 'run')).map(({ label }) => label).toSorted()).toEqual(['saved-1', 'start', 'worktree'])
  })
})
