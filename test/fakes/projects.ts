import type { Project } from './attempt.ts'

const ADD_WRONG = 'export function add(a, b) {\n  return a - b\n}\n'
const EXPECTS = 'export function equal(left, right) {\n  if (left !== right) throw new Error(`${left} is not ${right}`)\n}\n'
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

/** A wrong sum, tested with node:test. */
export const nodeTest: Project = {
  check: 'node --test',
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': JSON.stringify({ name: 'sums', type: 'module', scripts: { test: 'node --test' } }, undefined, 2),
    'src/add.js': ADD_WRONG,
    'test/add.test.js': NODE_TEST,
  },
}

/** The same through npm, which takes several times as long to start: for what npm has a part in. */
export const npmTest: Project = { ...nodeTest, check: 'npm test' }

/** The same, right from the start: a feature is to be added. */
export const nodeGreen: Project = { ...nodeTest, files: { ...nodeTest.files, 'src/add.js': ADD_WRONG.replace('a - b', 'a + b') } }

/** A linter that complains about code and tests. */
export const linted: Project = {
  check: 'node_modules/.bin/oxlint --deny-warnings src test',
  hasPackages: true,
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': '{"type":"module"}',
    'src/add.js': `debugger\n${ADD_WRONG}`,
    'test/add.test.js': `${NODE_TEST}\ndebugger\n`,
  },
}

/** The same with vitest. */
export const vitest: Project = {
  check: 'node_modules/.bin/vitest run',
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

/** A type error, found by TypeScript, which takes most of its time for the types of browsers otherwise. */
export const types: Project = {
  check: 'node_modules/.bin/tsc --noEmit -p .',
  hasPackages: true,
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': JSON.stringify({ name: 'typed', type: 'module' }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: { strict: true, lib: ['es2024'], types: [], module: 'nodenext' },
      include: ['src'],
    }),
    'src/add.ts': 'export function add(a: number, b: number): number {\n  return String(a + b)\n}\n',
  },
}

/** The same, with a runner of its own that is installed in node_modules, and whose exit code is all there is. */
export const installed: Project = {
  check: 'node_modules/.bin/checker',
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': JSON.stringify({ name: 'sums', type: 'module', devDependencies: { checker: '1.0.0', expects: '1.0.0' } }),
    'package-lock.json': JSON.stringify({
      name: 'sums',
      lockfileVersion: 3,
      packages: { 'node_modules/checker': { version: '1.0.0' } },
    }),
    'node_modules/checker/package.json': JSON.stringify({ name: 'checker', version: '1.0.0', type: 'module' }),
    'node_modules/checker/cli.js': "await import(process.cwd() + '/test/add.test.js')\n",
    'node_modules/.bin/checker': '#!/bin/sh\nexec node node_modules/checker/cli.js\n',
    'node_modules/expects/package.json': JSON.stringify({ name: 'expects', version: '1.0.0', type: 'module', main: 'index.js' }),
    'node_modules/expects/index.js': EXPECTS,
    'src/add.js': ADD_WRONG,
    'test/add.test.js': "import { equal } from 'expects'\nimport { add } from '../src/add.js'\n\nequal(add(1, 2), 3)\n",
  },
}

/** The same with node:test, where the tests import an installed package for their assertions. */
export const nodeExpects: Project = {
  check: 'node --test',
  files: {
    ...nodeTest.files,
    'node_modules/expects/package.json': JSON.stringify({ name: 'expects', version: '1.0.0', type: 'module', main: 'index.js' }),
    'node_modules/expects/index.js': EXPECTS,
    'test/add.test.js': NODE_TEST.replace("import assert from 'node:assert/strict'", "import * as assert from 'expects'"),
  },
}

/** The same, where tests import the code by a name of package.json. */
export const nodeImports: Project = {
  check: 'node --test',
  files: {
    ...nodeTest.files,
    'package.json': JSON.stringify(
      { name: 'sums', type: 'module', scripts: { test: 'node --test' }, imports: { '#add': './src/add.js' } },
      undefined,
      2,
    ),
    'test/add.test.js': NODE_TEST.replace('../src/add.js', '#add'),
  },
}

/** The same in a package of an npm workspace. */
export const workspace: Project = {
  check: 'npm test --workspaces',
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': '{ "name": "root", "private": true, "workspaces": ["packages/sums"] }\n',
    'packages/sums/package.json':
      '{ "name": "sums", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
    'packages/sums/src/add.js': ADD_WRONG,
    'packages/sums/test/add.test.js': NODE_TEST,
  },
}

/** The same with vitest and a set-up file. */
export const vitestSetUp: Project = {
  ...vitest,
  files: {
    ...vitest.files,
    'vitest.config.js': "export default { test: { include: ['test/**/*.test.js'], setupFiles: ['test/prepare.js'] } }\n",
    'test/prepare.js': '',
  },
}

/** The same with pytest, right from the start. */
export const pytestGreen: Project = { ...pytest, files: { ...pytest.files, 'sums.py': PY_WRONG.replace('a - b', 'a + b') } }

/** The same with vitest, with a stored snapshot that belongs to it. */
export const vitestSnapshot: Project = {
  ...vitest,
  files: {
    ...vitest.files,
    'src/add.js': `${ADD_WRONG}\nexport const about = () => 'subtracts'\n`,
    'test/about.test.js':
      "import { expect, test } from 'vitest'\nimport { about } from '../src/add.js'\n\ntest('about', () => expect(about()).toMatchSnapshot())\n",
    'test/__snapshots__/about.test.js.snap':
      '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`about 1`] = `"subtracts"`;\n',
  },
}

/** The same with vitest, and the tests inside the source file. */
export const vitestInSource: Project = {
  ...vitest,
  files: {
    '.gitignore': 'node_modules\n',
    'package.json': vitest.files['package.json']!,
    'vitest.config.js': "export default { test: { includeSource: ['src/**/*.js'] } }\n",
    'src/add.js': `${ADD_WRONG}\nif (import.meta.vitest) {\n  const { expect, test } = import.meta.vitest\n  test('adds two numbers', () => expect(add(1, 2)).toBe(3))\n}\n`,
  },
}

/** The same in Python, where the code is installed by its path. */
export const editable: Project = {
  check: '.venv/bin/python -m unittest discover -v -s tests',
  needs: ['python3 -c "import venv"'],
  setUp:
    'python3 -m venv --without-pip .venv && for folder in .venv/lib/python*/site-packages; do echo "$PWD/src" > "$folder/sums.pth"; done',
  files: {
    '.gitignore': '__pycache__\n.venv\n',
    'src/sums.py': PY_WRONG,
    'tests/test_sums.py': unittest.files['test_sums.py']!,
  },
}

/** The same in Rust, with the tests inside the source file. */
export const cargo: Project = {
  check: 'cargo test --offline -q',
  needs: ['cargo --version'],
  files: {
    '.gitignore': 'target\n',
    'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
    'Cargo.lock': 'version = 3\n\n[[package]]\nname = "sums"\nversion = "0.1.0"\n',
    'src/lib.rs':
      'pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n    }\n}\n',
  },
}
