import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, userGit } from '../../test/support/temporary-repository.ts'
import { findProject, findStore, isInRepository } from './find-project.ts'

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

test('CLI-397 a .git that is no repository is none, and a linked worktree is one', async () => {
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

test('MCP-26 hooks find the store of the same project, and before it has one the nearest above', async () => {
  await using folder = await temporaryFolder()
  const below = join(folder.path, 'a', 'b')
  mkdirSync(join(below, '.pawl'), { recursive: true })
  mkdirSync(join(folder.path, '.pawl'))
  expect(findStore(below)).toBeUndefined()
  writeFileSync(join(folder.path, '.pawl', 'pawl.db'), '')
  expect(findStore(below)).toBe(findProject(below).storePath)
  writeFileSync(join(below, 'pawl.yaml'), '')
  expect(findStore(below)).toBe(join(folder.path, '.pawl', 'pawl.db'))
  writeFileSync(join(below, '.pawl', 'pawl.db'), '')
  expect(findStore(below)).toBe(findProject(below).storePath)
})
