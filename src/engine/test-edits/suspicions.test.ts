import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KnownTree } from '../../core/state.ts'
import type { Suspicion } from '../../core/suspicion.ts'
import { folderWorkspace } from '../../workspaces/folder-workspace.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import { leakedIn, straddling } from '../../../test/support/planted-secrets.ts'
import { plantedSecrets } from '../../testing/planted-secrets.ts'
import { configOf, stateAfter } from '../../testing/state-builder.ts'
import { protectedEdits, stillOpen, suspicionsIn } from './suspicions.ts'
import type { EditedFile } from './test-edits.ts'

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

it('GUARD-236 what the agent has not put back stays open, in whatever form, until the file shows none of it against the start', async () => {
  write('add.test.ts', adds.replace('toBe(3)', 'toBeDefined()'))
  const first = await workspace.observe('r', '1', base.snapshot)
  const open = await suspicionsIn(workspace, given(base, []), first)
  expect(open).toMatchObject([{ kind: 'weakened', file: 'add.test.ts', line: 3 }])
  write('add.ts', 'export const add = 1\n')
  const ignored = await workspace.observe('r', '2', first.snapshot)
  const still = [{ kind: 'weakened', file: 'add.test.ts', isEarlier: true }]
  expect(await suspicionsIn(workspace, given(first, open), ignored)).toMatchObject(still)
  write('add.test.ts', adds.replace('toBe(3)', 'toBeTruthy()'))
  const other = await workspace.observe('r', '3', ignored.snapshot)
  expect(await suspicionsIn(workspace, given(ignored, open), other)).toMatchObject(still)
  write('add.test.ts', adds + own)
  const back = await workspace.observe('r', '4', other.snapshot)
  expect(await suspicionsIn(workspace, given(other, open), back)).toEqual([])
  expect(stillOpen({ openSuspicions: open })).toMatchObject(still)
})

it('GUARD-236 a protected file stays open until it is as it was', async () => {
  write('contract.ts', 'two\n')
  const first = await workspace.observe('r', '1', base.snapshot)
  const open = await suspicionsIn(workspace, given(base, [], ['contract.ts']), first)
  write('add.ts', 'export const add = 1\n')
  const ignored = await workspace.observe('r', '2', first.snapshot)
  const still = [{ kind: 'protected', file: 'contract.ts', isEarlier: true }]
  expect(await suspicionsIn(workspace, given(first, open, ['contract.ts']), ignored)).toMatchObject(still)
  write('contract.ts', 'one\n')
  const back = await workspace.observe('r', '3', ignored.snapshot)
  const shown = await suspicionsIn(workspace, given(ignored, open, ['contract.ts']), back)
  expect(shown).toEqual([])
})

it('SECRET-57 what is held against the agent is cut only if there is no secret, and is held against it all the same', async () => {
  for (const planted of plantedSecrets().filter(({ text }) => !text.includes('\n'))) {
    const long = (lengthMax: number) => straddling(planted, lengthMax).replaceAll(/['\\]/g, '')
    write('add.test.ts', adds.replace("it('adds'", `it.skip('adds', '${long(175)}'`))
    write('contract.ts', `${long(190)}\n`)
    const found = await seen('1', base, ['contract.ts'])
    expect(found).toMatchObject([{ kind: 'protected', file: 'contract.ts' }, { file: 'add.test.ts' }])
    expect(leakedIn(JSON.stringify(found), [planted])).toEqual([])
  }
})

function given(tree: KnownTree, openSuspicions: readonly Suspicion[], protect: readonly string[] = []) {
  return { base, tree, config: { ...configOf([]), protect }, recent: [], openSuspicions }
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

async function seen(label: string, tree: KnownTree, protect: readonly string[] = [], failures: readonly string[] = []) {
  const { recent } = stateAfter([{ failures }])
  const observation = await workspace.observe('r', label, tree.snapshot)
  return await suspicionsIn(workspace, { base, tree, config: { ...configOf([]), protect }, recent }, observation)
}

const side = (...lines: string[]) => lines.map((text, index) => ({ line: index + 1, text }))
const modified = (path: string): EditedFile => ({ path, before: [], now: [] })

it.each<[string, string, readonly string[], 'protected' | 'state' | undefined]>([
  ['a file by name', 'src/contract.ts', ['src/contract.ts'], 'protected'],
  ['a file by glob', 'src/deep/a.contract.ts', ['**/*.contract.ts'], 'protected'],
  ['a folder by glob', 'migrations/1/up.sql', ['migrations/**'], 'protected'],
  ['a folder by name', 'migrations/1/up.sql', ['migrations'], 'protected'],
  ['a folder with its slash', 'migrations/up.sql', ['./migrations/'], 'protected'],
  ['one of several', 'b.json', ['{a,b}.json'], 'protected'],
  ['names that begin with a dot', '.github/workflows/ci.yml', ['**/*.yml'], 'protected'],
  ['a glob that begins with a dot', '.github/workflows/ci.yml', ['.github/**'], 'protected'],
  ['the settings of the loop', 'pawl.yaml', [], 'protected'],
  ['a program that a rule names', 'pawl-validators/licence', [], 'protected'],
  ['the state of the loop', '.pawl/pawl.db', [], 'state'],
  ['anything else', 'src/a.ts', ['test/**', 'src/b.ts'], undefined],
  ['a longer name', 'src/contract.ts.md', ['src/contract.ts'], undefined],
  ['the settings of another loop', 'examples/pawl.yaml', [], undefined],
])('RUN-200 protects %s', (_name, path, globs, kind) => {
  expect(protectedEdits([modified(path)], globs).map((each) => each.kind)).toEqual(kind === undefined ? [] : [kind])
})

it('RUN-201 names the changed lines of a protected file, at most ten, or what was done to it', () => {
  const changed = { path: 'api/a.ts', before: side('one', 'two', 'three'), now: side('one', '2', 'three') }
  expect(protectedEdits([changed, modified('b.ts'), { path: 'api/b.ts', before: [] }], ['api'])).toEqual([
    { kind: 'protected', file: 'api/a.ts', line: 2, lines: ['- two', '+ 2'] },
    { kind: 'protected', file: 'api/b.ts', lines: ['deleted'] },
  ])
  const many = Array.from({ length: 30 }, (_, index) => modified(`api/${index}`))
  expect(protectedEdits(many, ['api'])).toHaveLength(20)
})

it('PROOF-33 a large file before the tests in the diff hides nothing', async () => {
  const size = 3_000_000
  write('a-lock.json', `${'x'.repeat(79)}\n`.repeat(size / 80))
  write('add.test.ts', adds.replace('it(', 'it.skip('))
  expect(await seen('1', base)).toMatchObject([{ kind: 'skipped', file: 'add.test.ts', line: 1 }])
})

it('PROOF-39 the pawl.yaml that a person had taken in is no edit of the agent’s, and any other is', async () => {
  const settings = 'checks: []\n'
  write('pawl.yaml', settings)
  const reloaded = createHash('sha256').update(settings).digest('hex')
  const observation = await workspace.observe('r', '1', base.snapshot)
  const state = given(base, [])
  const kinds = async (hash: string) =>
    (await suspicionsIn(workspace, { ...state, config: { ...state.config, reloaded: hash } }, observation)).map(
      ({ kind }) => kind,
    )
  expect(await kinds(reloaded)).toEqual([])
  expect(await kinds('0'.repeat(64))).toEqual(['protected'])
})
