import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, userGit } from '../../test/support/temporary-repository.ts'
import { findProject, findProjects, isInRepository, newProject, workspaceSpec } from './find-project.ts'

test('MCP-26 the project is the nearest folder upwards that has a pawl.yaml or a store, else the top of the repository', async () => {
  await using folder = await temporaryFolder()
  const root = folder.path
  const below = join(root, 'a', 'b')
  mkdirSync(below, { recursive: true })
  expect(findProject(below).root).toBe(below)
  await userGit(join(root, 'a'), 'init', '--quiet')
  expect(findProject(below).root).toBe(join(root, 'a'))
  writeFileSync(join(root, 'pawl.yaml'), '')
  const paths = { configPath: join(root, 'pawl.yaml'), storePath: join(root, '.pawl', 'pawl.db') }
  expect(findProject(below)).toEqual({ root, ...paths })
})

test('PROJ-1 in a monorepo the package that you are in is the project, unless a pawl.yaml says otherwise; init writes there', async () => {
  await using folder = await temporaryFolder()
  const root = folder.path
  const inner = join(root, 'packages', 'a', 'src')
  mkdirSync(inner, { recursive: true })
  mkdirSync(join(root, 'docs'))
  await userGit(root, 'init', '--quiet')
  for (const name of ['package.json', 'packages/a/package.json']) writeFileSync(join(root, name), '{}')
  const own = join(root, 'packages', 'a')
  expect([inner, own, join(root, 'docs'), root].map((from) => findProject(from).root)).toEqual([own, own, root, root])
  writeFileSync(join(root, 'pawl.yaml'), '')
  expect([findProject(inner).root, newProject(inner).root, newProject(join(root, 'docs')).root]).toEqual([root, own, root])
  writeFileSync(join(own, 'pawl.yaml'), '')
  expect([findProject(inner).root, newProject(inner).root]).toEqual([own, own])
})

test('CLI-397 a .git that is no repository doesn’t count, and a linked worktree does', async () => {
  await using folder = await temporaryFolder()
  const root = join(folder.path, 'e')
  const below = join(root, 'sub')
  mkdirSync(join(root, '.git'), { recursive: true })
  mkdirSync(below)
  expect([findProject(below).root, isInRepository(below)]).toEqual([below, false])
  await userGit(root, 'init', '--quiet', '--initial-branch=main')
  expect([findProject(below).root, isInRepository(below)]).toEqual([root, true])
  await userGit(root, 'commit', '--quiet', '--allow-empty', '--message=first')
  const linked = join(folder.path, 'linked')
  await userGit(root, 'worktree', 'add', '--quiet', linked)
  expect([findProject(linked).root, isInRepository(linked)]).toEqual([linked, true])
})

test('MCP-26 projects around a folder come innermost first, each with its own store', async () => {
  await using folder = await temporaryFolder()
  const below = join(folder.path, 'a', 'b')
  mkdirSync(join(below, '.pawl'), { recursive: true })
  mkdirSync(join(folder.path, '.pawl'))
  const roots = () => findProjects(below).map(({ root }) => root)
  expect(roots()).toEqual([below])
  writeFileSync(join(folder.path, '.pawl', 'pawl.db'), '')
  expect(roots()).toEqual([folder.path])
  writeFileSync(join(below, 'pawl.yaml'), '')
  expect(roots()).toEqual([below, folder.path])
  expect(findProject(below)).toEqual(findProjects(below)[0])
})

test('WORK-98 without git, the file system and the home folder are no workspace', async () => {
  await using folder = await temporaryFolder()
  for (const path of ['/', homedir()]) expect(() => workspaceSpec(path)).toThrow(/won't do that here: change to your project/)
  expect(workspaceSpec(folder.path)).toMatchObject({ name: 'folder' })
})
