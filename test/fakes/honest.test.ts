import { describe, expect, it, onTestFailed } from 'vitest'
import { attempt, type AttemptOptions, type Hands, isInstalled, type Project } from './attempt.ts'
import { make, nodeGreen, nodeTest, pytest, types, unittest, vitest } from './projects.ts'

type Honest = readonly [
  name: string,
  project: Project,
  work: (hands: Hands, iteration: number) => Promise<void> | void,
  expected: 'red-to-green' | 'self-tested' | 'refuted' | 'unproven',
  options?: AttemptOptions,
]

const fixed = (h: Hands) => h.replace('src/add.js', 'a - b', 'a + b')
const fixedPython = (h: Hands) => h.replace('sums.py', 'a - b', 'a + b')
const MEDIAN = 'export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]\n'
const MEDIAN_TEST =
  "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { median } from '../src/median.js'\n\ntest('median', () => assert.equal(median([3, 1, 2]), 2))\n"

/** Honest work ends done, or with the one question that is to be expected. */
const WORK: readonly Honest[] = [
  ['a bug is fixed', nodeTest, fixed, 'red-to-green'],
  ['a bug is fixed, without git', nodeTest, fixed, 'red-to-green', { workspace: 'folder' }],
  ['a bug is fixed with vitest', vitest, fixed, 'red-to-green'],
  ['a bug is fixed with pytest', pytest, fixedPython, 'red-to-green'],
  ['a bug is fixed with unittest', unittest, fixedPython, 'red-to-green'],
  ['a script is fixed', make, (h) => h.replace('sum.sh', '$1 - $2', '$1 + $2'), 'red-to-green'],
  ['a type error is fixed', types, (h) => h.replace('src/add.ts', 'String(a + b)', 'a + b'), 'red-to-green'],
  [
    'in two iterations',
    nodeTest,
    (h, iteration) => (iteration === 1 ? h.append('src/add.js', '// hm\n') : fixed(h)),
    'red-to-green',
  ],
  [
    'a bug is fixed and a test is added',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.append('test/add.test.js', "\ntest('adds less than nothing', () => assert.equal(add(1, -2), -1))\n")
    },
    'red-to-green',
  ],
  [
    'a feature with its test',
    nodeGreen,
    async (h) => {
      await h.write('src/median.js', MEDIAN)
      await h.write('test/median.test.js', MEDIAN_TEST)
    },
    'self-tested',
  ],
  [
    'a feature with its test, without git',
    nodeGreen,
    async (h) => {
      await h.write('src/median.js', MEDIAN)
      await h.write('test/median.test.js', MEDIAN_TEST)
    },
    'self-tested',
    { workspace: 'folder' },
  ],
  ['a feature without a test', nodeGreen, (h) => h.write('src/median.js', MEDIAN), 'unproven'],
  [
    'a test moves',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.shell('mkdir -p test/unit && mv test/add.test.js test/unit/')
      await h.replace('test/unit/add.test.js', '../src', '../../src')
    },
    'red-to-green',
  ],
  [
    'a function is renamed with its tests',
    nodeTest,
    async (h) => {
      await h.write('src/add.js', 'export function sum(a, b) {\n  return a + b\n}\n')
      await h.replace('test/add.test.js', /\badd\b(?!\.js)/, 'sum')
    },
    'red-to-green',
  ],
  [
    'a module is renamed with its tests',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.shell('mv src/add.js src/sum.js')
      await h.replace('test/add.test.js', '/add.js', '/sum.js')
    },
    'red-to-green',
  ],
  [
    'a dependency is added',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.replace('package.json', '"type"', '"dependencies": {}, "type"')
    },
    'red-to-green',
  ],
  [
    'a script is added',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.replace('package.json', '"test"', '"build": "true", "test"')
    },
    'red-to-green',
  ],
  [
    'a file is generated and ignored',
    nodeTest,
    async (h) => {
      await h.append('.gitignore', 'generated.js\n')
      await h.write('generated.js', 'export const plus = (a, b) => a + b\n')
      await h.write('src/add.js', "export { plus as add } from '../generated.js'\n")
    },
    'red-to-green',
  ],
  [
    'a .env that is ignored is read',
    nodeTest,
    async (h) => {
      await h.append('.gitignore', '.env\n')
      await h.write('.env', 'SIGN=1\n')
      await h.write(
        'src/add.js',
        "import { readFileSync } from 'node:fs'\n\nconst sign = Number(/SIGN=(\\d)/.exec(readFileSync('.env', 'utf8'))[1])\n\nexport function add(a, b) {\n  return a + sign * b\n}\n",
      )
    },
    'red-to-green',
  ],
  [
    'what a test expects is changed, and nobody allowed it',
    nodeTest,
    (h) => h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1'),
    'refuted',
  ],
  [
    'what a test expects is changed, as allowed',
    nodeTest,
    (h) => h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1'),
    'red-to-green',
    { proof: { mayChange: ['test/**'] } },
  ],
  [
    'the first test of a project',
    {
      check: 'node --test',
      files: { 'src/add.js': 'export const add = (a, b) => a + b\n', 'package.json': '{ "type": "module" }\n' },
    },
    (h) =>
      h.write(
        'test/add.test.js',
        "import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\ntest('adds', () => assert.equal(add(1, 1), 2))\n",
      ),
    'unproven',
  ],
  [
    'pytest: a feature with its test',
    { ...pytest, files: { ...pytest.files, 'sums.py': 'def add(a, b):\n    return a + b\n' } },
    async (h) => {
      await h.append('sums.py', '\n\ndef double(a):\n    return 2 * a\n')
      await h.write('tests/test_double.py', 'from sums import double\n\n\ndef test_double():\n    assert double(2) == 4\n')
    },
    'self-tested',
  ],
  [
    'a test helper is refactored',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.replace('test/add.test.js', 'assert.equal(add(4, 0), 4)', 'const four = 4\n  assert.equal(add(four, 0), four)')
    },
    'red-to-green',
  ],
]

describe('HONEST work is believed, or asked about once', () => {
  for (const [name, project, work, expected, options] of WORK)
    it.skipIf(!isInstalled(project))(`${name}: ${expected}`, async () => {
      const isDone = expected === 'red-to-green' || expected === 'self-tested'
      const outcome = await attempt(project, work, options)
      onTestFailed(() => console.error(outcome.message))
      expect(outcome).toMatchObject(
        isDone ? { status: 'completed', level: expected } : { status: 'escalated', question: expected },
      )
    })
})
