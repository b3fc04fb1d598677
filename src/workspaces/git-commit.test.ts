import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, temporaryRepository, userGit, writeFiles } from '../../test/support/temporary-repository.ts'
import { commitFolder } from './git-commit.ts'
import { findRepository } from './git-repository.ts'

const wanted = { key: '1/commit/0', branch: 'pawl/run', message: 'Say é' }

test('WORK-80 the same key is committed once, a new one on top, and HEAD, index and files stay', async () => {
  await using folder = await temporaryRepository({ 'a.txt': 'a\n', '.gitignore': 'ignored\n' })
  await writeFiles(folder.path, { 'a.txt': 'b\n', 'new.txt': 'n\n', ignored: 'x', '.pawl/pawl.db': 'x' })
  const repository = await findRepository(folder.path)
  const before = await userGit(folder.path, 'status', '--porcelain')
  const first = await commitFolder(repository, 'run', wanted)
  expect(await commitFolder(repository, 'run', wanted)).toEqual(first)
  await writeFiles(folder.path, { 'a.txt': 'c\n' })
  const second = await commitFolder(repository, 'run', { ...wanted, key: '2/commit/0', after: String(first.tip) })
  expect(await userGit(folder.path, 'log', '--format=%s', 'pawl/run')).toBe('Say é\nSay é\nfirst\n')
  expect(await userGit(folder.path, 'ls-tree', '-r', '--name-only', 'pawl/run')).toBe('.gitignore\na.txt\nnew.txt\n')
  expect(second.commit).not.toBe(first.commit)
  expect(await userGit(folder.path, 'status', '--porcelain')).toBe(before)
})

test('WORK-81 where nothing differs there is no commit, and no branch', async () => {
  await using folder = await temporaryRepository()
  const head = (await userGit(folder.path, 'rev-parse', 'HEAD')).trim()
  expect(await commitFolder(await findRepository(folder.path), 'run', wanted)).toEqual({ tip: head })
  expect(await userGit(folder.path, 'branch', '--list', 'pawl/*')).toBe('')
})

test('WORK-82 a branch that is checked out is not moved', async () => {
  await using folder = await temporaryRepository()
  await userGit(folder.path, 'switch', '--quiet', '--create', 'pawl/run')
  await writeFiles(folder.path, { 'a.txt': 'b\n' })
  await expect(commitFolder(await findRepository(folder.path), 'run', wanted)).rejects.toThrow('is checked out')
})

test('WORK-83 of a folder below the top only that folder is committed, and a repository without commits gets its first', async () => {
  await using folder = await temporaryRepository({ 'top.txt': 'a\n', 'sub/a.txt': 'a\n' })
  await writeFiles(folder.path, { 'top.txt': 'changed\n', 'sub/a.txt': 'changed\n' })
  await commitFolder(await findRepository(`${folder.path}/sub`), 'run', wanted)
  expect(await userGit(folder.path, 'diff', '--name-only', 'main', 'pawl/run')).toBe('sub/a.txt\n')
  await using empty = await temporaryFolder()
  await userGit(empty.path, 'init', '--quiet')
  await writeFiles(empty.path, { 'a.txt': 'a\n' })
  const { commit } = await commitFolder(await findRepository(empty.path), 'run', wanted)
  expect(await userGit(empty.path, 'rev-parse', 'pawl/run')).toBe(`${commit}\n`)
})

test('REVIEW-100 a branch of that name that is not the run’s is refused with the way out, and stays as it is', async () => {
  await using folder = await temporaryRepository()
  await userGit(folder.path, 'branch', 'pawl/run')
  await writeFiles(folder.path, { 'a.txt': 'b\n' })
  const repository = await findRepository(folder.path)
  const before = await userGit(folder.path, 'rev-parse', 'pawl/run')
  await expect(commitFolder(repository, 'run', wanted)).rejects.toThrow(/--id.*git branch -D pawl\/run/)
  expect(await userGit(folder.path, 'rev-parse', 'pawl/run')).toBe(before)
})

test('REVIEW-100 so is one that somebody moved since, and one of an earlier run of the same name', async () => {
  await using folder = await temporaryRepository()
  await writeFiles(folder.path, { 'a.txt': 'b\n' })
  const repository = await findRepository(folder.path)
  const first = await commitFolder(repository, 'run', wanted)
  const next = { ...wanted, key: '2/commit/0', after: String(first.tip) }
  await writeFiles(folder.path, { 'a.txt': 'c\n' })
  await expect(commitFolder(repository, 'run', wanted)).rejects.toThrow('other work')
  const tree = (await userGit(folder.path, 'rev-parse', 'pawl/run^{tree}')).trim()
  const theirs = (await userGit(folder.path, 'commit-tree', '-p', 'pawl/run', '-m', 'Mine', tree)).trim()
  await userGit(folder.path, 'branch', '--force', 'pawl/run', theirs)
  await expect(commitFolder(repository, 'run', next)).rejects.toThrow('other work')
  await userGit(folder.path, 'branch', '--force', 'pawl/run', String(first.tip))
  expect(await commitFolder(repository, 'run', next)).toEqual(await commitFolder(repository, 'run', next))
})

test('BOX-12 a filter of the repository’s own settings is not run, and what needs it is not committed', async () => {
  await using folder = await temporaryRepository({ 'a.txt': 'a\n', '.gitattributes': '*.key filter=a=b\n' })
  await writeFile(join(folder.path, '.git', 'more'), `[filter "a=b"]\n\tclean = touch ${folder.path}/ran; cat\n`)
  await userGit(folder.path, 'config', 'include.path', 'more')
  const repository = await findRepository(folder.path)
  await writeFiles(folder.path, { 'a.txt': 'b\n' })
  const { tip } = await commitFolder(repository, 'run', wanted)
  await writeFiles(folder.path, { 'secret.key': 'k\n' })
  const next = commitFolder(repository, 'run', { ...wanted, key: '2/commit/0', after: String(tip) })
  await expect(next).rejects.toMatchObject({ code: 'workspace.own-filter', value: 'a=b' })
  expect(existsSync(join(folder.path, 'ran'))).toBe(false)
})
