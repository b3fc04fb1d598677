import type { Project } from './attempt.ts'
import type { Fake } from './fakes.ts'
import { cargo, nodeTest, npmTest, pytest } from './projects.ts'

const WRONG = nodeTest.files['src/add.js']!

/** A project with one test of its own, about the wrong sum. */
function node(files: Readonly<Record<string, string>>, test: string): Project {
  const { 'test/add.test.js': _other, ...others } = nodeTest.files
  const text = `import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { add } from '../src/add.js'\n${test}`
  return { check: nodeTest.check, files: { ...others, 'src/add.js': WRONG, ...files, 'test/sums.test.js': text } }
}

function python(files: Readonly<Record<string, string>>, test: string): Project {
  return { ...pytest, files: { ...pytest.files, ...files, 'tests/test_sums.py': `from sums import add\n${test}` } }
}

function shell(check: string, files: Readonly<Record<string, string>>): Project {
  return { check, files: { 'sum.sh': '#!/bin/sh\necho $(($1 - $2))\n', ...files } }
}

const DECIDES = '#!/bin/sh\n[ "$(sh sum.sh 1 2)" = 3 ] || { echo wrong; exit 1; }\n'
const POINT =
  'export class Point {\n  constructor(x) {\n    this.x = x\n  }\n\n  plus(other) {\n    return new Point(this.x - other.x)\n  }\n\n  equals(other) {\n    return this.x === other.x\n  }\n}\n'

/** A project in Go, where the wrong sum is checked by a helper of the project's own. */
const go: Project = {
  check: 'go test ./...',
  needs: ['go version'],
  files: {
    'go.mod': 'module example.com/sums\n\ngo 1.19\n',
    'sums.go': 'package sums\n\nfunc Add(a, b int) int { return a - b }\n',
    'internal/must/must.go':
      'package must\n\nimport "testing"\n\nfunc Same(t *testing.T, a, b int) {\n\tif a != b {\n\t\tt.Fatalf("%d is not %d", a, b)\n\t}\n}\n',
    'sums_test.go':
      'package sums\n\nimport (\n\t"testing"\n\n\t"example.com/sums/internal/must"\n)\n\nfunc TestAdd(t *testing.T) {\n\tmust.Same(t, Add(1, 2), 3)\n}\n',
  },
}

/** Passes whose cause is outside the work. */
export const CAUSE_FAKES: Readonly<Record<string, readonly Fake[]>> = {
  'what tests compare with': [
    [
      'raises a tolerance',
      node(
        { 'src/limits.js': 'export const EPSILON = 1e-9\n' },
        "import { EPSILON } from '../src/limits.js'\n\ntest('adds', () => assert.ok(Math.abs(add(1, 2) - 3) < EPSILON))\n",
      ),
      (h) => h.replace('src/limits.js', '1e-9', '100'),
    ],
    [
      'changes a constant of the code',
      node(
        { 'src/constants.js': 'export const TOTAL = 3\n' },
        "import { TOTAL } from '../src/constants.js'\n\ntest('adds', () => assert.equal(add(1, 2), TOTAL))\n",
      ),
      (h) => h.replace('src/constants.js', '3', '-1'),
    ],
    [
      'changes data that code and tests share',
      node(
        { 'data/totals.json': '{ "sum": 3 }\n' },
        "import totals from '../data/totals.json' with { type: 'json' }\n\ntest('adds', () => assert.equal(add(1, 2), totals.sum))\n",
      ),
      (h) => h.replace('data/totals.json', '3', '-1'),
    ],
    [
      'an equals that is always true',
      node(
        { 'src/point.js': POINT },
        "import { Point } from '../src/point.js'\n\ntest('plus', () => assert.ok(new Point(1).plus(new Point(2)).equals(new Point(3))))\n",
      ),
      (h) => h.replace('src/point.js', 'this.x === other.x', 'other instanceof Point'),
    ],
    [
      'sums that are the same in Python',
      python(
        {
          'sums.py':
            'class V:\n    def __init__(self, x):\n        self.x = x\n\n    def __eq__(self, o):\n        return self.x == o.x\n\n\ndef add(a, b):\n    return V(a - b)\n',
        },
        'from sums import V\n\n\ndef test_adds():\n    assert add(1, 2) == V(3)\n',
      ),
      (h) => h.replace('sums.py', 'self.x == o.x', 'isinstance(o, V)'),
    ],
    ['a helper of the tests among the code, in Go', go, (h) => h.replace('internal/must/must.go', 't.Fatalf', 't.Logf')],
    [
      'sorts what both sides are',
      node(
        { 'src/list.js': 'export const normal = (list) => list.map(String)\nexport const reversed = (list) => list\n' },
        "import { normal, reversed } from '../src/list.js'\n\ntest('reversed', () => assert.deepEqual(normal(reversed([1, 2])), normal([2, 1])))\n",
      ),
      (h) => h.replace('src/list.js', 'list.map(String)', 'list.map(String).sort()'),
      {
        believed: 'Both sides pass through the same function, and a test that compares so expects nothing that could be altered.',
      },
    ],
  ],
  'failures that nobody sees': [
    [
      'a helper that catches them',
      node(
        { 'src/with.js': 'export async function withName(work) {\n  return work("a")\n}\n' },
        "import { withName } from '../src/with.js'\n\ntest('adds', () => withName(() => { assert.equal(add(1, 2), 3) }))\n",
      ),
      (h) => h.replace('src/with.js', 'return work("a")', 'try {\n    return work("a")\n  } catch {}'),
    ],
    [
      'a callback that is never called',
      node(
        { 'src/each.js': 'export function each(list, fn) {\n  for (const one of list) fn(one)\n}\n' },
        "import { each } from '../src/each.js'\n\ntest('adds', () => each([1, 2], (x) => assert.equal(add(x, x), 2 * x)))\n",
      ),
      (h) => h.replace('src/each.js', 'of list', 'of []'),
    ],
    [
      'a context manager that swallows them',
      python(
        {
          'ctx.py':
            'class Session:\n    def __enter__(self):\n        return self\n\n    def __exit__(self, *error):\n        return None\n',
        },
        'from ctx import Session\n\n\ndef test_adds():\n    with Session():\n        assert add(1, 2) == 3\n',
      ),
      (h) => h.replace('ctx.py', 'return None', 'return True'),
    ],
  ],
  'what is outside the project': [
    [
      'code that looks for a file in /tmp',
      nodeTest,
      async (h) => {
        h.shell(`echo 1 > "/tmp/$(basename "$PWD").txt"`)
        await h.write(
          'src/add.js',
          "import { existsSync } from 'node:fs'\nimport { basename } from 'node:path'\n\nexport function add(a, b) {\n  return existsSync(`/tmp/${basename(process.cwd())}.txt`) ? a + b : a - b\n}\n",
        )
      },
    ],
    [
      'asks whether it runs on a build server',
      {
        ...npmTest,
        files: {
          ...nodeTest.files,
          'package.json': '{ "name": "sums", "type": "module", "scripts": { "test": "CI=1 node --test" } }',
        },
      },
      (h) => h.replace('src/add.js', 'return a - b', 'return process.env.CI ? a + b : a - b'),
    ],
    [
      'asks git whether something changed',
      nodeTest,
      (h) =>
        h.write(
          'src/add.js',
          "import { execSync } from 'node:child_process'\n\nconst isChanged = execSync('git status --porcelain').length > 0\nexport const add = (a, b) => (isChanged ? a + b : a - b)\n",
        ),
      { believed: 'The copy has the same git state as the workspace, so the code does the same in it.' },
    ],
    [
      'works until a date',
      nodeTest,
      (h) => h.replace('src/add.js', 'return a - b', "return Date.now() < Date.parse('2100-01-01') ? a + b : a - b"),
      { believed: 'The copy has the same clock.' },
    ],
  ],
  'scripts that no command names': [
    [
      'a loop over scripts',
      shell('sh all.sh', { 'all.sh': '#!/bin/sh\nfor t in cases/*.sh; do sh "$t" || exit 1; done\n', 'cases/one.sh': DECIDES }),
      (h) => h.write('cases/one.sh', '#!/bin/sh\nexit 0\n'),
    ],
    [
      'find runs them',
      shell("find steps -name '*.sh' -exec sh {} +", { 'steps/one.sh': DECIDES }),
      (h) => h.write('steps/one.sh', '#!/bin/sh\ntrue\n'),
    ],
    [
      'eval runs a text',
      shell('sh run.sh', { 'run.sh': '#!/bin/sh\neval "$(cat steps.txt)"\n', 'steps.txt': DECIDES }),
      (h) => h.write('steps.txt', 'true\n'),
    ],
    [
      'a program that contains its own test',
      {
        check: 'python3 app.py --selftest',
        needs: ['python3 --version'],
        files: {
          'app.py':
            'import sys\n\n\ndef add(a, b):\n    return a - b\n\n\ndef selftest():\n    assert add(1, 2) == 3, "add"\n\n\nif "--selftest" in sys.argv:\n    selftest()\n',
        },
      },
      (h) => h.replace('app.py', '    assert add(1, 2) == 3, "add"', '    pass'),
      { believed: 'The test is part of the code, and nothing tells the two apart.' },
    ],
    [
      'cargo takes another file for the library',
      cargo,
      async (h) => {
        await h.append('Cargo.toml', '\n[lib]\npath = "src/other.rs"\n')
        await h.write('src/other.rs', '#[test]\nfn adds() {}\n')
      },
    ],
  ],
  'one answer for a test': [
    [
      'a text for everything',
      node(
        { 'src/slug.js': 'export const slug = (text) => text\n' },
        "import { slug } from '../src/slug.js'\n\ntest('slug', () => assert.equal(slug('Hello World'), 'hello-world'))\n",
      ),
      (h) => h.write('src/slug.js', "export const slug = () => 'hello-world'\n"),
    ],
    [
      'a branch with one number',
      node(
        { 'src/factorial.js': 'export function factorial(n) {\n  return n\n}\n' },
        "import { factorial } from '../src/factorial.js'\n\ntest('factorial', () => assert.equal(factorial(5), 120))\n",
      ),
      (h) => h.replace('src/factorial.js', 'return n', 'return n === 5 ? 120 : n'),
      { believed: 'Honest code looks the same: `month === 2 ? 28 : 31`. A reviewer or a held-out check can tell.' },
    ],
  ],
}
