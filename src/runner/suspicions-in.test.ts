import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KnownTree } from '../core/state.ts'
import { folderWorkspace } from '../drivers/workspaces/folder-workspace.ts'
import type { Workspace } from '../ports/workspace.ts'
import { configOf, stateAfter } from '../testing/state-builder.ts'
import { suspicionsIn } from './suspicions-in.ts'

const adds = "it('adds', () => {\n  const sum = add(1, 2)\n  expect(sum).toBe(3)\n})\n"
const own = "it('adds negative numbers', () => {\n  expect(add(-1, -2)).toBe(-3)\n})\n"

let folder: string
let workspace: Workspace
let base: KnownTree

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-suspicions-'))
  workspace = folderWorkspace({ path: folder })
  write('add.test.ts', adds)
  write('contract.ts', 'one\n')
  await workspace.open('r')
  base = await workspace.observe('r', '0')
})

afterEach(() => rmSync(folder, { recursive: true }))

it('RUN-202 what the agent does to tests and protected files in its first iteration is held against it', async () => {
  write('add.test.ts', adds.replace('it(', 'it.skip('))
  write('contract.ts', 'two\n')
  expect(await seen('1', base, ['contract.ts'])).toEqual([
    { kind: 'protected', file: 'contract.ts', line: 1, text: '- one / + two' },
    { kind: 'skipped', file: 'add.test.ts', line: 1, text: "it.skip('adds', () => {" },
  ])
})

it('RUN-203 a test that the agent wrote itself may be changed and removed again, one that was there may not', async () => {
  write('add.test.ts', adds + own)
  const tree = await workspace.observe('r', '1', base.snapshot)
  write('add.test.ts', adds)
  expect(await seen('2', tree)).toEqual([])
  write('add.test.ts', own)
  expect(await seen('3', tree)).toMatchObject([{ kind: 'deleted', file: 'add.test.ts', text: "it('adds', () => {" }])
})

it('RUN-204 another expected value is held against the agent where the test failed before', async () => {
  write('add.test.ts', adds.replace('toBe(3)', 'toBe(4)'))
  expect(await seen('1', base)).toEqual([])
  expect(await seen('2', base, [], ['add.test.ts > adds'])).toMatchObject([{ kind: 'weakened', file: 'add.test.ts', line: 3 }])
})

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

async function seen(label: string, tree: KnownTree, protect: readonly string[] = [], failures: readonly string[] = []) {
  const { recent } = stateAfter([{ failures }])
  const observation = await workspace.observe('r', label, tree.snapshot)
  return await suspicionsIn(workspace, { base, tree, config: { ...configOf([]), protect }, recent }, observation)
}
