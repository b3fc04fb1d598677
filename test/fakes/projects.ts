import type { Project } from './attempt.ts'

const ADD_WRONG = 'export function add(a, b) {\n  return a - b\n}\n'
const NODE_TEST = `import assert from 'node:assert/strict'
import test from 'node:test'
import { add } from '../src/add.js'

test('adds two numbers', () => {
  assert.equal(add(1, 2), 3)
})

test('adds nothing', () => {
  assert.equal(add(4, 0), 4)
})
`

/** A wrong sum, tested with node:test through npm. */
export const nodeTest: Project = {
  check: 'npm test',
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }, undefined, 2),
    'src/add.js': ADD_WRONG,
    'test/add.test.js': NODE_TEST,
  },
}

/** The same, right from the start: a feature is to be added. */
export const nodeGreen: Project = { ...nodeTest, files: { ...nodeTest.files, 'src/add.js': ADD_WRONG.replace('a - b', 'a + b') } }

/** The same with vitest. */
export const vitest: Project = {
  check: 'npx vitest run',
  hasPackages: true,
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'vitest run' } }, undefined, 2),
    'vitest.config.js': "export default { test: { include: ['test/**/*.test.js'] } }\n",
    'src/add.js': ADD_WRONG,
    'test/add.test.js': NODE_TEST.replace("import test from 'node:test'", "import { test } from 'vitest'"),
  },
}

const PY_WRONG = 'def add(a, b):\n    return a - b\n'

/** A wrong sum, tested with pytest. */
export const pytest: Project = {
  check: 'python3 -m pytest -q',
  needs: ['python3 -m pytest --version'],
  files: {
    '.gitignore': '__pycache__\n.pytest_cache\n',
    'pyproject.toml':
      '[project]\nname = "sums"\nversion = "1"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\npythonpath = ["."]\n',
    'sums.py': PY_WRONG,
    'tests/test_sums.py':
      'from sums import add\n\n\ndef test_adds():\n    assert add(1, 2) == 3\n\n\ndef test_adds_nothing():\n    assert add(4, 0) == 4\n',
  },
}

/** A wrong sum, tested with unittest. */
export const unittest: Project = {
  check: 'python3 -m unittest -v',
  needs: ['python3 --version'],
  files: {
    '.gitignore': '__pycache__\n',
    'sums.py': PY_WRONG,
    'test_sums.py':
      'import unittest\n\nfrom sums import add\n\n\nclass Sums(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(add(1, 2), 3)\n\n    def test_adds_nothing(self):\n        self.assertEqual(add(4, 0), 4)\n',
  },
}

/** A wrong sum, checked by a shell script of the project that make runs. */
export const make: Project = {
  check: 'make check',
  needs: ['make --version'],
  files: {
    Makefile: 'check:\n\tsh check.sh\n',
    'check.sh': '#!/bin/sh\n[ "$(sh sum.sh 1 2)" = 3 ] || { echo "sum of 1 and 2 is wrong"; exit 1; }\n',
    'sum.sh': '#!/bin/sh\necho $(($1 - $2))\n',
  },
}

/** A type error, found by TypeScript. */
export const types: Project = {
  check: 'npx tsc --noEmit -p .',
  hasPackages: true,
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': JSON.stringify({ name: 'typed', type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions: { strict: true, types: [], module: 'nodenext' }, include: ['src'] }),
    'src/add.ts': 'export function add(a: number, b: number): number {\n  return String(a + b)\n}\n',
  },
}
