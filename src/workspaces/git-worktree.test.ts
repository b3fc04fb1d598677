import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { folderContents } from '../testing/folder-contents.ts'
import { temporaryFolder, temporaryRepository, userGit, userState, writeFiles } from '../../test/support/temporary-repository.ts'
import { dropSnapshots, gitWorkspace } from './git-workspace.ts'

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
    expect(await folderContents(cwd)).toMatchObject({ 'a.txt': 'file a\n', 'module/': 'empty folder' })
    expect(await userGit(cwd, 'status', '--porcelain')).toBe('?? a.txt\n')
    expect(await readFile(join(top, 'module/lib.txt'), 'utf8')).toBe('l\n')
  })
})
