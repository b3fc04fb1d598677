import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { withOldValues, withoutTestNames } from './code-variants.ts'
import { leftOutside } from './left-outside.ts'
import { manifestForOldTests } from './manifests.ts'
import { sidesOf } from './sides.ts'
import { testsNotRun } from './judge-proof.ts'

const changed = (path: string, before: string, now: string) => new Map([[path, { before, now }]])
const IMPORTS = "import { add } from '../src/add.js'\n"
const COMPARES = new Map([['a.test.js', `${IMPORTS}assert.equal(add(1, 2), TOTAL)`]])

it.each([
  ['a.js', 'export const TOTAL = 3\n', 'export const TOTAL = -1\n', COMPARES],
  ['a.js', 'const TOTAL = [\n  1,\n]\nexport const f = 1\n', 'const TOTAL = [\n  2,\n]\nexport const f = 1\n', COMPARES],
  [
    'a.py',
    'TOTAL = 3\n',
    'TOTAL = -1\n',
    new Map([['test_a.py', 'from a import add\n\ndef test_a():\n    assert add(1, 2) == TOTAL']]),
  ],
  [
    'data/totals.json',
    '{ "a": 3 }',
    '{ "a": -1 }',
    new Map([['a.test.js', `${IMPORTS}read('totals.json')\nassert.equal(add(1, 2), all.a)`]]),
  ],
])('PROOF-46 the value in %s is put back as it was', (path, before, now, tests) => {
  expect(withOldValues(changed(path, before, now), tests).get(path)).toBe(before)
})

it.each([
  ['a test is about it', 'a.js', 'export const TOTAL = 2\n', 'assert.equal(TOTAL, 3)'],
  ['no test names it', 'a.js', 'export const OTHER = 2\n', 'assert.equal(add(1, 2), TOTAL)'],
  ['it is computed', 'a.js', 'export const TOTAL = sum(1)\n', 'assert.equal(add(1, 2), TOTAL)'],
  ['it is new', 'b.js', '', 'assert.equal(add(1, 2), TOTAL)'],
  [
    'two values are compared',
    'a.js',
    'export const TOTAL = 2\n',
    "test('add', () => add(1, 2))\ntest('same', () => assert.equal(TOTAL, totals.all))",
  ],
])('PROOF-46 a value stays as it is if %s', (_why, path, before, test) => {
  const now = before === '' ? 'export const TOTAL = 3\n' : before.replace('2', '3').replace('(1)', '(2)')
  expect(withOldValues(changed(path, before, now), new Map([['a.test.js', IMPORTS + test]])).size).toBe(0)
})

it('PROOF-47 new code sees none of the variables that runners set', () => {
  const now = "const isTest = process.env.NODE_ENV === 'test' || process.env['CI']\n"
  const then = "const isTest = process.env.NODE_ENV_ === 'test' || process.env['CI_']\n"
  expect(withoutTestNames(changed('a.js', '', now)).get('a.js')).toBe(then)
  expect(withoutTestNames(changed('a.js', '', 'const is = import.meta.env.MODE\n')).get('a.js')).toBe(
    'const is = import.meta.env.MODE_\n',
  )
  expect(withoutTestNames(changed('a.js', '', 'const MODE = 1\n')).size).toBe(0)
  expect(withoutTestNames(changed('a.js', now, now)).size).toBe(0)
  expect(withoutTestNames(changed('a.js', '', "if (process.env.NODE_ENV !== 'test') {\n  app.listen(80)\n}\n")).size).toBe(0)
})

it('PROOF-48 what appeared outside is listed, but no packages and nothing older', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'other-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'x'), '')
  const since = Date.now() - 60_000
  expect((await leftOutside(since, process.cwd())).map((path) => basename(path))).toContain(basename(folder))
  expect(await leftOutside(since, folder)).not.toContain(folder)
  expect(await leftOutside(Date.now() + 60_000, process.cwd())).toEqual([])
})

it('PROOF-49 a test of the same last name is another one where no file with tests changed', () => {
  const tests = [{ id: 'tests::adds', outcome: 'failed' as const }]
  const start = {
    passed: false,
    counts: { passed: 0, failed: 1, skipped: 0 },
    tests,
    areAllNamed: true,
    failing: ['tests::adds'],
  }
  const now = {
    cell: 'old-tests-new-code',
    check: 'tests',
    place: 'mount',
    status: 'passed',
    failures: [],
    durationMs: 1,
  } as const
  const result = {
    ...now,
    counts: { passed: 1, failed: 0, skipped: 0 },
    tests: [{ id: 'other::adds', outcome: 'passed' as const }],
  }
  expect(testsNotRun(start, result, new Map(), true).count).toBe(0)
  expect(testsNotRun(start, result, new Map(), false).names).toEqual(['tests::adds'])
})

const DECIDES = '[ "$(sh sum.sh 1 2)" = 3 ] || exit 1\n'

it.each([
  ['for t in cases/*.sh; do sh "$t" || exit 1; done', 'cases/one.sh', DECIDES, true],
  ["find cases -name '*.sh' -exec sh {} +", 'cases/one.sh', DECIDES, true],
  ['ls cases/*.sh | xargs -n1 sh', 'cases/one.sh', DECIDES, true],
  ['eval "$(cat steps.txt)"', 'steps.txt', DECIDES, true],
  ['for f in src/*.sh; do shellcheck "$f"; done', 'src/one.sh', DECIDES, false],
  ['for t in cases/*.sh; do sh "$t" || exit 1; done', 'cases/one.sh', 'echo 1\n', false],
])('PROOF-50 %s and %s', async (line, path, text, isTest) => {
  const files: Readonly<Record<string, string>> = { [path]: text, 'sum.sh': 'echo 1\n' }
  const sides = await sidesOf({
    paths: Object.keys(files),
    commands: [line],
    globs: [],
    changed: [path],
    read: async (each) => files[each],
  })
  expect(sides.isTest(path)).toBe(isTest)
})

const withPath = (value: string) => `[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ${value}\n`

it.each([
  ['["src"]', true],
  ['["fake"]', false],
])('PROOF-51 the code may move to %s: %s', (folder, isTaken) => {
  expect(manifestForOldTests('pyproject.toml', withPath('["."]'), withPath(folder))?.includes('"."') ?? false).toBe(!isTaken)
})
