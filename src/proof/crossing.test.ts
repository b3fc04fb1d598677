import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { withOldExamples } from './embedded-tests.ts'
import { isGrownMakefile } from './manifests.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SnapshotFiles } from '../workspaces/workspace.ts'
import { crossingOf, type RoomChanges } from './crossing.ts'
import { type CellResult, findingsOf, isRed, isRoomFit, lacksCoverage, levelOf, type StartResult } from './judge-proof.ts'
import { manifestForOldTests } from './manifests.ts'
import { packagesIn, unexplainedPackages } from './packages.ts'
import { sidesOf } from './sides.ts'
import { suspiciousLines } from './suspicious-source.ts'

type Files = Readonly<Record<string, string>>

function tree(files: Files): SnapshotFiles {
  return {
    files: new Map(Object.entries(files).map(([path, text]) => [path, { id: text, kind: 'file' as const }])),
    read: async (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
  }
}

async function crossed(start: Files, present: Files, mayChange: (path: string) => boolean = () => false) {
  const paths = [...new Set([...Object.keys(start), ...Object.keys(present)])]
  const sides = await sidesOf({ paths, commands: ['npm test'], globs: [], read: async (path) => start[path] })
  return crossingOf({ start: tree(start), present: tree(present), sides, mayChange })
}

const START: StartResult = {
  passed: false,
  counts: { passed: 1, failed: 1, skipped: 0 },
  tests: [
    { id: 'a', outcome: 'failed' },
    { id: 'b', outcome: 'passed' },
  ],
  areAllNamed: true,
  failing: ['a'],
}

const PASSED: CellResult = {
  cell: 'old-tests-new-code',
  check: 'tests',
  place: 'mount',
  status: 'passed',
  counts: { passed: 2, failed: 0, skipped: 0 },
  failures: [],
  tests: [
    { id: 'a', outcome: 'passed' },
    { id: 'b', outcome: 'passed' },
  ],
  durationMs: 1,
}

const FAILURE = { id: 'a', kind: 'assertion' as const, message: 'no' }

const withInside = (code: string, block: string) => `${code}\nif (import.meta.vitest) {\n${block}\n}\n`

describe('sides', () => {
  it.each([
    ['test/add.test.js', 'test'],
    ['src/add.test.js', 'test'],
    ['fixtures/data.json', 'test'],
    ['vitest.config.ts', 'settings'],
    ['.npmrc', 'settings'],
    ['scripts/check.sh', 'script'],
    ['own/rule.txt', 'named'],
    ['package.json', undefined],
    ['tsconfig.json', undefined],
    ['src/add.js', undefined],
    ['README.md', undefined],
  ])('PROOF-2 %s: %s', async (path, reason) => {
    const files: Files = { 'package.json': '{"scripts":{"test":"sh scripts/check.sh"}}', 'scripts/check.sh': 'true' }
    const paths = [path, ...Object.keys(files)]
    const sides = await sidesOf({ paths, commands: ['npm test'], globs: ['own'], read: async (each) => files[each] })
    expect(sides.reasonFor(path)).toBe(reason)
  })

  it('PROOF-2 a manifest has its dependencies from now and its scripts from the start', () => {
    const merged = manifestForOldTests(
      'package.json',
      '{"scripts":{"test":"a"},"dependencies":{}}',
      '{"scripts":{"test":"true","build":"b","pretest":"c"},"dependencies":{"x":"1"}}',
    )
    expect(JSON.parse(merged ?? '')).toEqual({ scripts: { test: 'a', build: 'b' }, dependencies: { x: '1' } })
  })
})

describe('crossing', () => {
  it('PROOF-1 a changed test goes back to the start, unless a person allows the change', async () => {
    const [start, present] = [{ 'test/a.test.js': 'old(1)' }, { 'test/a.test.js': 'old(2)', 'test/b.test.js': 'x' }]
    const { changedTests, oldTests } = await crossed(start, present)
    expect(changedTests).toEqual(['test/a.test.js', 'test/b.test.js'])
    expect(oldTests.remove).toEqual(['test/b.test.js'])
    expect(oldTests.write.map(({ content }) => content.toString())).toEqual(['old(1)'])
    expect((await crossed(start, present, () => true)).changedTests).toEqual([])
  })

  it('PROOF-3 tests inside source files change places without the code around them', async () => {
    const { oldTests, oldCode } = await crossed(
      { 'src/a.js': withInside('old', 'one') },
      { 'src/a.js': withInside('now', 'two') },
    )
    expect(oldTests.write[0]?.content.toString()).toMatch(/^now[^]*one/)
    expect(oldCode.write[0]?.content.toString()).toMatch(/^old[^]*two/)
  })

  it.each<[name: string, start: Files, present: Files, changed: number]>([
    ['moved', { 'test/a.test.js': "import '../src/a.js'" }, { 'test/unit/a.test.js': "import '../../src/a.js'" }, 0],
    [
      'a renamed function',
      { 'src/a.js': 'function add() {}', 'test/a.test.js': 'add(1)' },
      { 'src/a.js': 'function sum() {}', 'test/a.test.js': 'sum(1)' },
      0,
    ],
    [
      'a renamed file',
      { 'src/add.js': 'function add() {}', 'test/a.test.js': "import { add } from '../src/add.js'" },
      { 'src/sum.js': 'function add() {}', 'test/a.test.js': "import { add } from '../src/sum.js'" },
      0,
    ],
    [
      'another file, while the old one stays',
      { 'src/add.js': 'x', 'test/a.test.js': "import { add } from '../src/add.js'" },
      { 'src/add.js': 'x', 'src/sum.js': 'y', 'test/a.test.js': "import { add } from '../src/sum.js'" },
      1,
    ],
    ['another value', { 'test/a.test.js': 'equal(1)' }, { 'test/a.test.js': 'equal(2)' }, 1],
  ])('PROOF-9 %s', async (_name, start, present, changed) => {
    expect((await crossed(start, present)).changedTests).toHaveLength(changed)
  })
})

function texts({ write }: RoomChanges) {
  return Object.fromEntries(write.map(({ path, content }) => [path, content.toString()]))
}

describe('the old code with the new tests', () => {
  it('PROOF-3 has the manifest of a new package, and lists it, so that its tests are found', async () => {
    const { oldCode } = await crossed(
      { 'package.json': '{ "name": "root", "workspaces": ["a"] }', 'a/package.json': '{}' },
      {
        'package.json': '{ "name": "root", "workspaces": ["a", "b"] }',
        'a/package.json': '{}',
        'b/package.json': '{}',
        'b/src/b.js': 'export const b = 1',
        'b/test/b.test.js': 'assert.equal(b, 1)',
      },
    )
    expect(oldCode.remove).toEqual(['b/src/b.js'])
    expect(JSON.parse(texts(oldCode)['package.json']!)).toEqual({ name: 'root', workspaces: ['a', 'b'] })
  })

  it('PROOF-3 has the tests inside a new file, and declares it', async () => {
    const test = '#[cfg(test)]\nmod tests {\n    use super::*;\n}'
    const { oldCode, changedTests, asserts } = await crossed(
      { 'src/lib.rs': 'pub fn one() {}\n', 'Cargo.toml': '[workspace]\nmembers = ["a"]\n\n[profile.test]\nopt-level = 1\n' },
      {
        'src/lib.rs': 'pub mod two;\npub fn one() {}\n',
        'src/two.rs': `pub fn two() {}\n\n${test}\n`,
        'src/three.rs': 'pub fn three() {}\n',
        'Cargo.toml': '[workspace]\nmembers = ["a", "b"]\n\n[profile.test]\nopt-level = 1\n',
      },
    )
    expect(changedTests).toEqual(['src/two.rs'])
    expect(asserts).toBe(true)
    expect(oldCode.remove).toEqual(['src/three.rs'])
    expect(texts(oldCode)).toEqual({
      'src/lib.rs': 'pub fn one() {}\npub mod two;\n',
      'src/two.rs': `${test}\n`,
      'Cargo.toml': '[workspace]\nmembers = ["a", "b"]\n\n[profile.test]\nopt-level = 1\n',
    })
  })
})

describe('the present tests with the old settings', () => {
  const test = "test('adds', () => {\n  assert.equal(add(1, 2), 3)\n})\n"

  it('PROOF-2 have another form, and what was removed or cut comes back', async () => {
    const { oldSettings, suspiciousInTests } = await crossed(
      { 'test/a.test.js': test, 'test/b.test.js': test, 'test/c.test.js': test, 'eslint.config.js': 'export default [{}]' },
      {
        'test/a.test.js': `/* eslint-disable */\n${test.replaceAll("'", '"')}`,
        'test/b.test.js': 'export {}\n',
        'test/new.test.js': "test('subtracts', () => {})\n",
        'eslint.config.js': 'export default []',
      },
    )
    expect(oldSettings.remove).toEqual([])
    expect(Object.keys(texts(oldSettings)).toSorted()).toEqual(['eslint.config.js', 'test/b.test.js', 'test/c.test.js'])
    // Only where the check runs the linter.
    expect(suspiciousInTests).toEqual([])
  })
})

describe('the new tests', () => {
  it.each([
    ["test.skip('adds', () => {\n  assert.equal(add(1, 2), 3)\n})\n", true],
    ["test('adds', () => {\n  assert.equal(add(1, 2), 3)\n})\n// more\n", false],
  ])('PROOF-10 assert what they did while they were skipped: %s', async (old, asserts) => {
    const now = "test('adds', () => {\n  assert.equal(add(1, 2), 3)\n})\n"
    expect((await crossed({ 'test/add.test.js': old }, { 'test/add.test.js': now })).asserts).toBe(asserts)
  })

  it.each([
    ['test/add.test.js', "import { add } from './add.js'\ntest('adds', () => assert.ok(add))\n", false],
    ['test/add.test.js', "import { add } from './add.js'\ntest('adds', () => assert.equal(typeof add, 'function'))\n", false],
    ['test/add.test.js', "import { add } from './add.js'\ntest('adds', () => expect(add).toBeDefined())\n", false],
    ['test/test_add.py', 'from sums import add\n\ndef test_add():\n    assert callable(add)\n', false],
    ['test/add.test.js', "import { add } from './add.js'\ntest('adds', () => assert.ok(add(1, 2)))\n", true],
    ['test/add.test.js', "import { add } from './add.js'\nconst sum = add(1, 2)\ntest('adds', () => assert.ok(sum))\n", true],
    ['test/test_add.py', 'from sums import add\n\ndef test_add():\n    assert add(1, 2) == 3\n', true],
  ])('PROOF-10 assert more than that the code is there: %s %s', async (path, now, asserts) => {
    expect((await crossed({}, { [path]: now })).asserts).toBe(asserts)
  })
})

describe('the old tests with the new code', () => {
  it('PROOF-3 load modules as the new ones do', async () => {
    const old =
      "const test = require('node:test')\nconst { add: plus } = require('../src/add.js')\ntest('adds', () => plus(1, 2))\n"
    const now = "import test from 'node:test'\nimport { add as plus } from '../src/add.js'\ntest('adds', () => {})\n"
    const { oldTests } = await crossed({ 'test/add.test.js': old }, { 'test/add.test.js': now })
    expect(oldTests.write[0]!.content.toString()).toBe(
      "import test from 'node:test'\nimport { add as plus } from '../src/add.js'\ntest('adds', () => plus(1, 2))\n",
    )
  })
})

function short(message: string, id = 'tests') {
  return { counts: { passed: 2, failed: 0, skipped: 0 }, failures: [{ id, kind: 'unknown' as const, message }] }
}

describe('coverage', () => {
  const coverage = 'ERROR: Coverage for lines (75%) does not meet global threshold (100%)'
  it.each([
    [coverage],
    ['Jest: "global" coverage threshold for lines (90%) not met: 75%'],
    ['FAIL Required test coverage of 90% not reached. Total coverage: 75.00%'],
    ['Coverage failure: total of 75 is less than fail-under=90'],
    ['Error: 75.00% line coverage does not meet threshold of 90%.'],
  ])('PROOF-7 is too little: %s', (message) => {
    expect(lacksCoverage('tests', short(message))).toBe(true)
    expect(lacksCoverage('tests', short(message, 'adds'))).toBe(false)
    expect(lacksCoverage('tests', { ...short(message), counts: { passed: 1, failed: 1, skipped: 0 } })).toBe(false)
  })

  it('PROOF-10 that the agent’s own tests reach is self-tested', () => {
    const start = { ...START, failing: ['tests'], tests: [], lacksCoverage: true as const }
    const results = [
      { ...PASSED, status: 'failed' as const },
      { ...PASSED, cell: 'new-tests-new-code' as const },
      { ...PASSED, cell: 'new-tests-old-code' as const },
    ]
    expect(levelOf(new Map([['tests', start]]), results)).toMatchObject({ level: 'self-tested', turned: ['tests'] })
    expect(levelOf(new Map([['tests', { ...start, lacksCoverage: undefined }]]) as never, results).level).toBe('unproven')
  })
})

describe('judging', () => {
  it('PROOF-4 a room that says something else of the start is unfit', () => {
    expect(isRoomFit(START, { ...PASSED, status: 'failed', failures: [FAILURE] })).toBe(true)
    expect(isRoomFit(START, PASSED)).toBe(false)
    expect(isRoomFit(START, { ...PASSED, status: 'failed', failures: [{ ...FAILURE, id: 'c' }] })).toBe(false)
    expect(isRoomFit(START, { ...PASSED, status: 'errored' })).toBe(false)
  })

  it('PROOF-7 red names what fails', () => {
    expect(isRed(START)).toBe(true)
    expect(isRed({ ...START, failing: [] })).toBe(false)
  })

  it.each<[name: string, result: Partial<CellResult>, code: string | undefined]>([
    ['all pass', {}, undefined],
    ['one fails', { status: 'failed', failures: [FAILURE] }, 'old-tests-fail'],
    ['one is gone', { tests: [{ id: 'a', outcome: 'passed' }] }, 'tests-not-run'],
    [
      'one is skipped',
      {
        tests: [
          { id: 'a', outcome: 'passed' },
          { id: 'b', outcome: 'skipped' },
        ],
      },
      'tests-not-run',
    ],
    ['no counts at all', { tests: [], counts: { passed: 0, failed: 0, skipped: 0 } }, 'tests-not-run'],
  ])('PROOF-8 %s', (_name, result, code) => {
    expect(findingsOf(START, { ...PASSED, ...result }, new Map())[0]?.code).toBe(code)
  })

  it.each<[level: string, start: StartResult, results: readonly CellResult[]]>([
    ['red-to-green', START, [PASSED]],
    ['unproven', { ...START, passed: true, failing: [] }, [PASSED]],
    [
      'self-tested',
      { ...START, passed: true, failing: [] },
      [
        PASSED,
        { ...PASSED, cell: 'new-tests-new-code' },
        { ...PASSED, cell: 'new-tests-old-code', status: 'failed', failures: [FAILURE] },
      ],
    ],
  ])('PROOF-10 %s', (level, start, results) => {
    expect(levelOf(new Map([['tests', start]]), results).level).toBe(level)
  })

  it('PROOF-10 a check that the agent set itself tells as much as a test of its own', () => {
    expect(levelOf(new Map([['tests', START]]), [PASSED], { ownChecks: new Set(['tests']) }).level).toBe('self-tested')
  })

  it('PROOF-38 such a check counts for nothing beside checks that the agent did not set', () => {
    const starts = new Map([
      ['tests', { ...START, passed: true, failing: [] }],
      ['own', START],
    ])
    expect(levelOf(starts, [PASSED, { ...PASSED, check: 'own' }], { ownChecks: new Set(['own']) }).level).toBe('unproven')
  })

  it.each([
    ['a.js', "import { vi } from 'vitest'", 1],
    ['a.js', "if (process.env['NODE_TEST_CONTEXT']) x()", 0],
    ['a.ts', '// @ts-ignore', 1],
    ['a.py', 'if "pytest" in sys.modules:', 1],
    ['a.js', "import { readFile } from 'node:fs/promises'", 0],
  ])('PROOF-12 %s: %s', (file, line, count) => {
    expect(suspiciousLines(file, '', line, 'tsc')).toHaveLength(count)
  })
})

describe('packages', () => {
  it('PROOF-6 a package that changed is asked about, unless the lock file explains it', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'pawl-packages-'))
    onTestFinished(() => rm(cwd, { recursive: true }))
    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(dirname(join(cwd, path)), { recursive: true })
      await writeFile(join(cwd, path), text)
    }
    await write('node_modules/a/index.js', '1')
    const before = await packagesIn(cwd, ['node_modules/'])
    await write('node_modules/a/index.js', '1')
    expect(await packagesIn(cwd, ['node_modules/'])).toBe(before)
    await write('node_modules/a/index.js', '2')
    await write('node_modules/b/index.js', '1')
    await write('node_modules/.bin/node', '#!/bin/sh')
    const now = await packagesIn(cwd, ['node_modules/'])
    const start = tree({ 'package.json': '{}', 'package-lock.json': '{}' })
    const lock = '"node_modules/a": {\n"resolved": "a-2.tgz"\n"node_modules/b": {'
    const present = tree({ 'package.json': '{}', 'package-lock.json': lock })
    const all = ['node_modules/.bin/node', 'node_modules/a', 'node_modules/b']
    expect(await unexplainedPackages(before, now, { start, present: start })).toEqual(all)
    expect(await unexplainedPackages(before, now, { start, present })).toEqual(['node_modules/.bin/node'])
  })
})

const DOC = 'def add(a, b):\n    """Adds.\n\n    >>> add(1, 2)\n    3\n    """\n    return a - b\n'

it.each([
  ['changed', DOC.replace('    3\n', '    -1\n'), true],
  ['skipped', DOC.replace('add(1, 2)', 'add(1, 2)  # doctest: +SKIP'), true],
  ['gone', 'def add(a, b):\n    return a - b\n', true],
  ['still there, with another', DOC.replace('    3\n', '    3\n    >>> add(2, 2)\n    4\n'), false],
])('PROOF-37 an example of the documentation that is %s runs as it was', (_name, now, isBack) => {
  const text = withOldExamples('sums.py', DOC, now, (all) => all)
  expect(text?.includes("__test__ = {**globals().get('__test__', {}), 'examples': r'''\n>>> add(1, 2)\n3\n'''}") ?? false).toBe(
    isBack,
  )
})

const MAKEFILE = 'test: run\n\t./run\nrun: sums.o test_sums.o\n\tcc -o run sums.o test_sums.o\n'
const [OLD, NEW] = [
  ['sums.c', 'test_sums.c', 'Makefile'],
  ['sums.c', 'plus.c', 'test_sums.c', 'Makefile'],
]

it.each([
  ['a new object', MAKEFILE.replaceAll('sums.o test', 'sums.o plus.o test'), true],
  ['a new target at the end', `${MAKEFILE}\nclean:\n\trm -f run\n`, true],
  ['a variable', `CFLAGS = -DNDEBUG\n${MAKEFILE}`, false],
  ['a variable at the end', `${MAKEFILE}CFLAGS = -DNDEBUG\n`, false],
  ['a library at the end', `${MAKEFILE}LDLIBS = -lm\nCFLAGS += -std=c11 -DDEBUG=1\n`, true],
  ['what the compiler puts first', `${MAKEFILE}CFLAGS = -include weak.h\n`, false],
  ['another recipe', MAKEFILE.replace('./run', './run || true'), false],
  ['one more line of a recipe', `${MAKEFILE}\techo '#!/bin/sh' > run\n`, false],
  ['an old target again', `${MAKEFILE}\ntest:\n\ttrue\n`, false],
  ['a rule for an old object', `${MAKEFILE}\ntest_sums.o: weak.c\n\tcc -c -o test_sums.o weak.c\n`, false],
  ['a special target', `${MAKEFILE}\n.IGNORE:\n`, false],
  ['an object that was there', MAKEFILE.replace('-o run sums.o test_sums.o', '-o run sums.o'), false],
])('PROOF-37 a makefile that only builds more belongs to the work: %s', (_name, now, isGrown) => {
  expect(isGrownMakefile(MAKEFILE, now, { old: OLD, now: NEW })).toBe(isGrown)
})
