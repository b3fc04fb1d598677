import { expect, test } from 'vitest'
import { codeOnly } from './code-only.ts'
import { doors } from './doors.ts'
import { guardPages } from './guard-pages.ts'
import { honestTests } from './honest-tests.ts'
import { importFences, toolRoundImports } from './import-fences.ts'
import { pureRooms } from './pure-rooms.ts'
import { exportsOf, shape } from './shape.ts'
import { sourceOf, type Source } from './source.ts'
import { traces, type TextFile } from './traces.ts'

// A rule that finds nothing proves nothing, so here every rule is shown something to find, and something to leave alone.

test.each<[path: string, line: string, finds: string | undefined]>([
  ['src/core/a.ts', "import { b } from '../guards/b.ts'", 'core may import only nothing else'],
  ['src/core/a.ts', "import { b } from './measures/b.ts'", undefined],
  ['src/loops/task/a.ts', "import type { B } from '../../stores/b.ts'", 'loops may import only core'],
  ['src/journal/a.ts', "export { b } from '../engine/b.ts'", 'journal may import only core'],
  ['src/process/a.ts', "import type { B } from '../core/b.ts'", undefined],
  ['src/process/a.ts', "import { b } from '../journal/b.ts'", 'process may import only core'],
  ['src/engine/a.ts', "const b = await import('../surfaces/cli/b.ts')", 'engine may import only'],
  ['src/agents/a.ts', "import '../surfaces/cli/main.ts'", 'agents may import only'],
  ['src/stores/sqlite-store.ts', "import { b } from './sqlite-events.ts'", undefined],
  ['src/stores/sqlite-store.ts', "import { b } from './claim-rule.ts'", undefined],
  ['src/stores/sqlite-events.ts', "import { b } from './memory-store.ts'", 'belongs to another driver'],
  ['src/stores/claim-rule.ts', "import { b } from './sqlite-events.ts'", 'belongs to another driver'],
  ['src/agents/acp/acp-agent.ts', "import { b } from './refusal.ts'", undefined],
  ['src/agents/acp/acp-agent.ts', "import { b } from '../command-agent.ts'", 'belongs to another driver'],
  ['src/agents/claude.ts', "import { b } from './streams/stream-agent.ts'", undefined],
  ['src/tinker/main.ts', "import { b } from '../checks/reports/tap.ts'", undefined],
  ['src/surfaces/cli/show.ts', "import { b } from '../mcp/b.ts'", 'sibling surface mcp'],
  ['src/surfaces/cli/show.ts', "import { b } from '../../testing/b.ts'", 'surfaces may import only'],
  ['src/surfaces/cli/show.ts', "import { b } from '../../stores/sqlite-store.ts'", 'only the registry'],
  ['src/surfaces/cli/show.ts', "import type { B } from '../../stores/sqlite-store.ts'", undefined],
  ['src/surfaces/cli/show.ts', "import { b } from '../../stores/store.ts'", undefined],
  ['src/registry/parts-from.ts', "import { b } from '../stores/sqlite-store.ts'", undefined],
  ['src/surfaces/cli/main.ts', "import p from '../../../package.json' with { type: 'json' }", undefined],
  ['src/surfaces/cli/main.ts', "import p from '../../../scripts/setup.mjs'", 'outside src'],
  ['src/testing/a.ts', "import { b } from '../stores/sqlite-store.ts'", undefined],
  ['src/kitchen/a.ts', "import { b } from '../core/b.ts'", 'room "kitchen"'],
  ['src/core/a.test.ts', "import { b } from '../testing/b.ts'", undefined],
  ['src/core/a.ts', "const text = `\nimport { b } from '../guards/b.ts'\n` // import '../engine/b.ts'", undefined],
])('SETUP-20 in %s the import `%s` is judged', (path, line, finds) => {
  const founders = ['src/stores/sqlite-store.ts', 'src/stores/memory-store.ts', 'src/agents/command-agent.ts']
  const sources = founders.filter((each) => each !== path).map((each) => sourceOf(each, ''))
  expect(importFences([...sources, sourceOf(path, `\n${line}\n`)])).toEqual(finding(finds))
})

test.each<[line: string, finds: string | undefined]>([
  ["import { b } from '../../loops/b.ts'", 'imports valibot'],
  ["import type { B } from '../../loops/b.ts'", undefined],
  ["const { b } = await import('../../loops/b.ts')", undefined],
])('HOOK-105 in what a tool round loads the import `%s` is judged', (line, finds) => {
  const library = sourceOf('src/loops/b.ts', "import * as v from 'valibot'\n")
  expect(toolRoundImports([library, sourceOf('src/surfaces/hooks/bound-hook.ts', `${line}\n`)])).toEqual(finding(finds))
})

test.each<[line: string, finds: string | undefined]>([
  ["import { readFileSync } from 'node:fs'", 'imports "node:fs"'],
  ["import { z } from 'zod'", 'imports "zod"'],
  ['const at = Date.now()', 'Date.now'],
  ['const at = new Date()', 'new Date()'],
  ['const text = new Date(at).toISOString()', undefined],
  ['const pick = Math.random()', 'Math.random'],
  ['export const run = async () => 1', 'async'],
  ['const text = `${process.pid}`', 'process'],
  ['const pid = identity.process.pid', undefined],
  ['setTimeout(tick, 5)', 'a timer'],
  ["const hint = 'await the process. Date.now()' // async", undefined],
  ['const isIt = /process\\.env/.test(text)', undefined],
])('SETUP-21 in pure code `%s` is judged', (line, finds) => {
  expect(pureRooms([sourceOf('src/core/a.ts', `\n${line}\n`)])).toEqual(finding(finds))
  expect(pureRooms([sourceOf('src/engine/a.ts', line), sourceOf('src/core/a.test.ts', line)])).toEqual([])
})

test.each<[path: string, finds: string | undefined]>([
  ['src/guards/max-iterations.ts', undefined],
  ['src/core/maxIterations.ts', 'kebab-case'],
  ['src/core/types.ts', 'catch-all'],
  ['src/surfaces/cli/search/deep/a.ts', 'folders below src'],
  ['test/simulation.test.ts', undefined],
])('SETUP-22 the name %s is judged', (path, finds) => {
  expect(shape([sourceOf(path, '')])).toEqual(finding(finds))
})

test('SETUP-22 a file of 700 lines is too long, and so is one file in ten of 300', () => {
  expect(shape(filesOf(1, 700)).slice(0, 1)).toEqual(finding('has 700 lines'))
  expect(shape([...filesOf(8, 10), ...filesOf(2, 300)])).toEqual(finding('one file in ten'))
  expect(shape([...filesOf(9, 10), ...filesOf(1, 699)])).toEqual([])
  expect(shape([sourceOf('src/core/a.test.ts', '\n'.repeat(900))])).toEqual([])
})

test.each<[text: string, finds: string | undefined]>([
  ['export default function a() {}', 'default export'],
  ['export function a() {}', 'exports a without a doc comment'],
  ['/** Says a. */\nexport async function a() {}', undefined],
  ['/** Says a. */\n\nexport const a = 1', 'exports a without a doc comment'],
  ['/** Says a. */\nexport function a(b: string): void\nexport function a(b: number): void', undefined],
  ['export type A = string\nexport interface B {}', undefined],
])('SETUP-23 the exports of %j are judged', (text, finds) => {
  expect(exportsOf([sourceOf('src/core/a.ts', text)])).toEqual(finding(finds))
})

test.each<[text: string, finds: string | undefined]>([
  ["test.only('a', () => expect(1).toBe(1))", 'has .only'],
  ["describe.concurrent.skip('a', () => expect(1).toBe(1))", 'has .skip'],
  ["it.todo('a')\nexpect(1).toBe(1)", 'has .todo'],
  ["test.skipIf(isRoot)('a', () => expect(1).toBe(1))", undefined],
  ["test('a', () => {}) // expect", 'asserts nothing'],
  ['storeConformance(() => memoryStore())', undefined],
])('SETUP-24 the test %j is judged', (text, finds) => {
  expect(honestTests([sourceOf('src/core/a.test.ts', text)])).toEqual(finding(finds))
})

test('SETUP-25 paths of one machine and registry addresses are found', () => {
  const slash = '/'
  const folder = `${slash}home${slash}me`
  expect(traces([{ path: 'docs/a.md', text: `see\n${folder}/x` }])).toEqual(finding('names'))
  expect(traces([{ path: 'src/a.test.ts', text: folder }])).toEqual([])
  expect(traces([{ path: 'src/a.test.ts', text: `'${slash}work${slash}main/src'` }])).toEqual(finding('a path of one machine'))
  expect(traces([{ path: 'docs/a.md', text: `..${slash}shared/x` }])).toEqual(finding('shared folder'))
  expect(traces([{ path: 'bench/a.ts', text: `..${slash}shared/x` }])).toEqual([])
  expect(traces([{ path: 'examples/a/package-lock.json', text: '{\n"resolved": "https://x"}' }])).toEqual(
    finding('registry address'),
  )
  expect(traces([{ path: 'docs/a.md', text: 'https://example.org/home/x ~/root/x ${root}/home/x' }])).toEqual([])
})

test('SETUP-26 a guard without test, page or rule is found, and what is no guard is left alone', () => {
  const guard = { path: 'src/guards/max-iterations.ts', text: 'export function maxIterations() {}' }
  expect(guardPages([guard, { path: 'src/guards/index.ts', text: '' }])).toHaveLength(3)
  expect(
    guardPages([
      guard,
      { path: 'src/guards/max-iterations.test.ts', text: '' },
      { path: 'docs/guards/max-iterations.md', text: '' },
      { path: 'docs/SPEC.md', text: 'GUARD-1 `maxIterations` trips at the limit.' },
    ]),
  ).toEqual([])
})

test('SETUP-27 a missing entry, a forgotten export and another Node are found', () => {
  const door = { types: './dist/guards.d.mts', default: './dist/guards.mjs' }
  const entries = { guards: 'src/guards.ts' }
  expect(doors(packageWith({ './guards': door }), entries)).toEqual([])
  expect(doors(packageWith({ './guards': door }), { ...entries, cli: 'src/cli.ts' })).toEqual(
    finding('src/cli.ts, which does not exist'),
  )
  expect(doors(packageWith({}), entries)).toEqual(finding('exports["./guards"] must be'))
  expect(doors(packageWith({ './guards': door, './old': './dist/old.mjs' }), entries)).toEqual(finding('is made from nothing'))
  expect(doors(packageWith({}).slice(0, 1), {})).toEqual([
    ...finding('does not ask for Node 24.15'),
    ...finding('does not ask for Node 24.15'),
  ])
})

test('code is distinguished from comments, strings, templates and regular expressions', () => {
  const text = "a('x\\'y') // z\nb(`t ${c(`u`, { d: '}' })} v`) / e / f /* g\nh */ i = /[/'\"]j/.test(k)"
  expect(codeOnly(text).replaceAll(/\s+/g, ' ')).toBe("a(' ') b(` ${c(` `, { d: ' ' })} `) / e / f i = / /.test(k)")
  expect(codeOnly(text)).toHaveLength(text.length)
})

/** What a rule returns when it finds `text`, with file and line in front; nothing to find is nothing returned. */
function finding(text: string | undefined): unknown[] {
  const found: unknown = expect.stringMatching(new RegExp(`^\\S+:\\d+: .*${(text ?? '').replaceAll(/[^\w\s]/g, '\\$&')}.*\\.$`))
  return text === undefined ? [] : [found]
}

function filesOf(count: number, lines: number): Source[] {
  return Array.from({ length: count }, (_, index) =>
    sourceOf(`src/core/a${lines}-${index}.ts`, '\n'.repeat(lines - 1).concat('x')),
  )
}

function packageWith(exports: object): TextFile[] {
  return [
    { path: 'package.json', text: JSON.stringify({ exports, engines: { node: '>=24.15' } }) },
    { path: 'bin/pawl', text: '[ "$major" -eq 24 ] && [ "$minor" -ge 15 ] Node 24.15 or later' },
    { path: 'bin/require-node.mjs', text: '(major === 24 && minor >= 15) Node 24.15 or later' },
    { path: 'src/guards.ts', text: '' },
  ]
}
