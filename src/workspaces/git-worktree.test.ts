import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder, temporaryRepository, userGit, userState, writeFiles } from '../../test/support/temporary-repository.ts'
import { folderContents } from '../testing/workspace-conformance.ts'
import { dropSnapshots, gitWorkspace, listSnapshots } from './git-workspace.ts'
import { listWorktrees, removeLeftovers, removeWorktree, worktreeLosses } from './git-worktree.ts'

beforeAll(() => {
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
})

describe.concurrent('git workspace with a worktree for each run', () => {
  test('WORK-50 a run begins with the present files, uncommitted and new ones included, and leaves the folder as it is', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': '*.ignored\n' })
    const top = repository.path
    await writeFiles(top, { 'a.txt': 'uncommitted\n', 'new/c.txt': 'c\n', 'x.ignored': 'i\n' })
    await rm(join(top, 'b.txt'))
    const state = await userState(top)
    const files = await folderContents(top)
    const workspace = gitWorkspace({ path: top, worktree: true })
    const { cwd } = await workspace.open('run')
    expect(cwd).toBe(join(top, '.pawl/worktrees/run'))
    const { 'x.ignored': ignored, ...kept } = files
    expect(ignored).toBe('file i\n')
    expect(await folderContents(cwd)).toEqual(kept)
    expect(await userGit(cwd, 'status', '--porcelain')).toBe(await userGit(top, 'status', '--porcelain'))
    expect(await userGit(cwd, 'log', '--format=%s')).toBe('first\n')
    await writeFiles(cwd, { 'a.txt': 'agent\n' })
    await userGit(cwd, 'commit', '--quiet', '--all', '--message=by the agent')
    const seen = await workspace.observe('run', '1')
    expect(seen.files).toEqual([{ path: 'a.txt', change: 'modified' }])
    await workspace.restore('run', 'refs/pawl/run/start')
    expect(await folderContents(cwd)).toEqual(kept)
    expect(await folderContents(top)).toEqual(files)
    expect({ ...(await userState(top)), status: '' }).toEqual({ ...state, status: '' })
    expect(await userGit(top, 'status', '--porcelain')).not.toContain('.pawl')
  })

  test('WORK-51 a subfolder has its place inside a worktree of the whole repository', async () => {
    await using repository = await temporaryRepository({ 'shared.txt': 's\n', 'pack/a.txt': 'a\n' })
    const top = repository.path
    await writeFiles(top, { 'shared.txt': 'uncommitted\n' })
    const { cwd } = await gitWorkspace({ path: join(top, 'pack'), worktree: true }).open('run')
    expect(cwd).toBe(join(top, 'pack/.pawl/worktrees/run/pack'))
    expect(await folderContents(join(cwd, '..'))).toEqual({ 'pack/a.txt': 'file a\n', 'shared.txt': 'file uncommitted\n' })
  })

  test('WORK-52 opened again, by another process or after a crash, it is the same worktree with the same files', async () => {
    await using repository = await temporaryRepository()
    const top = repository.path
    const { cwd } = await gitWorkspace({ path: top, worktree: true }).open('run')
    await writeFiles(cwd, { 'a.txt': 'work\n' })
    await writeFiles(top, { 'a.txt': 'a person goes on meanwhile\n' })
    expect(await gitWorkspace({ path: top, worktree: true }).open('run')).toEqual({ cwd })
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file work\n' })
    await rm(`${cwd}.ready`)
    await gitWorkspace({ path: top, worktree: true }).open('run')
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file work\n' })
    await rm(`${cwd}.ready`, { force: true })
    await dropSnapshots(top, 'run', ['start'])
    await rm(join(cwd, 'a.txt'))
    await writeFiles(cwd, { 'half.txt': 'an open that was killed\n' })
    expect(await gitWorkspace({ path: top, worktree: true }).open('run')).toEqual({ cwd })
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file a\n' })
  })

  test('WORK-53 a registration that is stale, pruned or moved is repaired without losing files', async () => {
    await using repository = await temporaryRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    await using other = await temporaryFolder()
    const first = await gitWorkspace({ path: repository.path, worktree: true }).open('run')
    await writeFiles(first.cwd, { 'a.txt': 'work\n' })
    await rm(join(repository.path, '.git/worktrees'), { recursive: true })
    await gitWorkspace({ path: repository.path, worktree: true }).open('run')
    expect(await userGit(first.cwd, 'status', '--porcelain')).toBe(' M a.txt\n')
    const moved = join(other.path, 'moved')
    await rename(repository.path, moved)
    const workspace = gitWorkspace({ path: moved, worktree: true })
    const { cwd } = await workspace.open('run')
    expect(await userGit(cwd, 'status', '--porcelain')).toBe(' M a.txt\n')
    await rm(join(cwd, '.git'))
    await workspace.open('run')
    expect(await userGit(cwd, 'status', '--porcelain')).toBe(' M a.txt\n')
    await workspace.observe('run', '1')
    await rm(cwd, { recursive: true })
    await workspace.open('run')
    expect(await folderContents(cwd)).toEqual({ 'a.txt': 'file work\n', 'b.txt': 'file b\n' })
    expect((await userGit(moved, 'worktree', 'list')).trim().split('\n')).toHaveLength(2)
  })

  test('WORK-54 a repository without a commit, with submodules or with a stale lock can have worktrees too', async () => {
    await using folder = await temporaryFolder()
    await using library = await temporaryRepository({ 'lib.txt': 'l\n' })
    const top = await realpath(folder.path)
    await userGit(top, 'init', '--quiet')
    await writeFiles(top, { 'a.txt': 'a\n' })
    const unborn = await gitWorkspace({ path: top, worktree: true }).open('first')
    expect(await folderContents(unborn.cwd)).toEqual({ 'a.txt': 'file a\n' })
    await userGit(top, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library.path, 'module')
    await userGit(top, 'commit', '--quiet', '--all', '--message=module')
    await writeFile(join(top, '.git/index.lock'), '')
    await mkdir(join(top, 'empty'))
    const { cwd } = await gitWorkspace({ path: top, worktree: true }).open('second')
    expect(await folderContents(cwd)).toMatchObject({ 'a.txt': 'file a\n', 'module/lib.txt': 'file l\n' })
    expect(await userGit(cwd, 'status', '--porcelain')).toBe('?? a.txt\n')
    expect(await readFile(join(top, 'module/lib.txt'), 'utf8')).toBe('l\n')
  })
})

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
      leftOut: ['pack/inner/ is a repository of its own'],
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
