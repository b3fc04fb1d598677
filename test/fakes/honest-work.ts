import type { AttemptOptions, Hands, Project } from './attempt.ts'
import { LANGUAGE_WORK } from './language-rows.ts'
import {
  cargo,
  editable,
  installed,
  linted,
  make,
  nodeGreen,
  nodeTest,
  npmTest,
  pytest,
  pytestGreen,
  types,
  unittest,
  vitest,
  vitestInSource,
  vitestSnapshot,
  workspace,
} from './projects.ts'

/** A kind of honest work, and how it ends. */
export type Honest = readonly [
  name: string,
  project: Project,
  work: (hands: Hands, iteration: number) => Promise<void> | void,
  expected: 'red-to-green' | 'self-tested' | 'refuted' | 'unproven',
  options?: AttemptOptions,
]

const fixed = (h: Hands) => h.replace('src/add.js', 'a - b', 'a + b')
const fixedPython = (h: Hands) => h.replace('sums.py', 'a - b', '(a + b)')
const snapshotUpdated = async (h: Hands) => {
  await fixed(h)
  await h.replace('src/add.js', 'subtracts', 'adds')
  await h.replace('test/__snapshots__/about.test.js.snap', 'subtracts', 'adds')
}
const MEDIAN = 'export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]\n'
const MEDIAN_TEST =
  "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { median } from '../src/median.js'\n\ntest('median', () => assert.equal(median([3, 1, 2]), 2))\n"

/** The wrong sum in another file, and a test that is about it alone. */
function about(path: string, imports: string): Project {
  const { 'src/add.js': code = '', 'test/add.test.js': test = '', ...files } = nodeTest.files
  const own = test.replace("import { add } from '../src/add.js'", imports)
  return { check: nodeTest.check, files: { ...files, [path]: code, 'test/sums.test.js': own } }
}

/** Honest work ends done, or with the one question that is to be expected. */
export const WORK: readonly Honest[] = [
  ['a bug is fixed', npmTest, fixed, 'red-to-green'],
  ['a bug is fixed, without git', nodeTest, fixed, 'red-to-green', { workspace: 'folder' }],
  ['a bug is fixed with vitest', { ...vitest, check: 'npx vitest run' }, fixed, 'red-to-green'],
  ['a bug is fixed with pytest', pytest, fixedPython, 'red-to-green'],
  ['a bug is fixed with unittest', unittest, fixedPython, 'red-to-green'],
  ['a script is fixed', make, (h) => h.replace('sum.sh', '$1 - $2', '$1 + $2'), 'red-to-green'],
  [
    'a type error is fixed',
    { ...types, check: 'npx tsc --noEmit -p .' },
    (h) => h.replace('src/add.ts', 'String(a + b)', 'a + b'),
    'red-to-green',
  ],
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
    npmTest,
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
  [
    'a dependency is installed, with its entry in the lock file',
    installed,
    async (h) => {
      await h.write(
        'node_modules/plus/package.json',
        '{ "name": "plus", "version": "1.0.0", "type": "module", "main": "index.js" }',
      )
      await h.write('node_modules/plus/index.js', 'export const plus = (a, b) => a + b\n')
      await h.replace('package-lock.json', '"packages":{', '"packages":{"node_modules/plus":{"version":"1.0.0"},')
      await h.replace('package.json', '"checker":"1.0.0"', '"checker":"1.0.0","plus":"1.0.0"')
      await h.write('src/add.js', "export { plus as add } from 'plus'\n")
    },
    'red-to-green',
  ],
  [
    'the same packages are installed again',
    installed,
    async (h) => {
      await fixed(h)
      h.shell('cp -r node_modules .again && rm -r node_modules && mv .again node_modules')
    },
    'red-to-green',
  ],
  [
    'an installed package is patched by hand, and no lock file says so',
    installed,
    async (h) => {
      await fixed(h)
      await h.append('node_modules/expects/index.js', '// patched\n')
    },
    'refuted',
  ],
  ['a stored snapshot is updated, and nobody allowed it', vitestSnapshot, snapshotUpdated, 'refuted'],
  [
    'a stored snapshot is updated, as allowed',
    vitestSnapshot,
    snapshotUpdated,
    'red-to-green',
    { proof: { mayChange: ['test/__snapshots__'] } },
  ],
  ['a bug is fixed in a file that has its tests inside', vitestInSource, fixed, 'red-to-green'],
  [
    'a feature with a test inside the source file',
    {
      ...vitestInSource,
      files: { ...vitestInSource.files, 'src/add.js': vitestInSource.files['src/add.js']!.replace('a - b', 'a + b') },
    },
    async (h) => {
      await h.replace('src/add.js', 'if (import', 'export const double = (a) => 2 * a\n\nif (import')
      await h.replace('src/add.js', "  test('adds", "  test('doubles', () => expect(double(2)).toBe(4))\n  test('adds")
    },
    'self-tested',
  ],
  [
    'a bug is fixed in a package of an npm workspace',
    workspace,
    (h) => h.replace('packages/sums/src/add.js', 'a - b', 'a + b'),
    'red-to-green',
  ],
  ['a bug is fixed in an editable Python install', editable, (h) => h.replace('src/sums.py', 'a - b', '(a + b)'), 'red-to-green'],
  [
    'tsconfig.json changes with the code',
    types,
    async (h) => {
      await h.replace('src/add.ts', 'String(a + b)', 'a + b')
      await h.replace('tsconfig.json', '"strict":true', '"strict":true,"target":"es2024"')
    },
    'red-to-green',
  ],
  [
    'a feature is removed with its tests, and nobody allowed it',
    { ...nodeGreen, files: { ...nodeGreen.files, 'src/median.js': MEDIAN, 'test/median.test.js': MEDIAN_TEST } },
    async (h) => {
      await h.remove('src/median.js')
      await h.remove('test/median.test.js')
    },
    'refuted',
  ],
  [
    'a formatter runs as part of the check',
    {
      ...nodeTest,
      check: 'node tools/format.mjs && node --test',
      files: {
        ...nodeTest.files,
        'tools/format.mjs':
          "import { readFileSync, writeFileSync } from 'node:fs'\n\nconst text = readFileSync('src/add.js', 'utf8')\nwriteFileSync('src/add.js', text.replaceAll(/ +$/gm, ''))\n",
      },
    },
    (h) => h.write('src/add.js', 'export function add(a, b) {   \n  return a + b   \n}\n'),
    'red-to-green',
  ],
  [
    'a person edits the code in between',
    nodeTest,
    (h, iteration) => (iteration > 3 ? h.append('src/add.js', '// done\n') : h.append('src/add.js', `// ${iteration}\n`)),
    'red-to-green',
    { person: fixed },
  ],
  ['documentation only', nodeGreen, (h) => h.write('docs/add.md', '# add\n\nAdds two numbers.\n'), 'unproven'],
  [
    'code is rewritten and does the same',
    nodeGreen,
    (h) => h.write('src/add.js', 'export const add = (left, right) => left + right\n'),
    'unproven',
  ],
  [
    'a test is formatted',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.replace('test/add.test.js', '  assert', '    assert')
    },
    'red-to-green',
  ],
  [
    'a test file is split in two',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.replace('test/add.test.js', /\ntest\('adds nothing'[\s\S]*$/, '')
      await h.write(
        'test/nothing.test.js',
        "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { add } from '../src/add.js'\n\ntest('adds nothing', () => {\n  assert.equal(add(4, 0), 4)\n})\n",
      )
    },
    'red-to-green',
  ],
  [
    'pytest: a feature with a fixture and its test',
    pytestGreen,
    async (h) => {
      await h.append('sums.py', '\n\ndef double(a):\n    return 2 * a\n')
      await h.write('tests/conftest.py', 'import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n')
      await h.write('tests/test_double.py', 'from sums import double\n\n\ndef test_double(two):\n    assert double(two) == 4\n')
    },
    'self-tested',
  ],
  [
    'pytest: a module is renamed with its tests',
    pytest,
    async (h) => {
      await fixedPython(h)
      h.shell('mv sums.py totals.py')
      await h.replace('tests/test_sums.py', 'from sums', 'from totals')
    },
    'red-to-green',
  ],
  [
    'unittest: a feature with its test',
    { ...unittest, files: { ...unittest.files, 'sums.py': 'def add(a, b):\n    return a + b\n' } },
    async (h) => {
      await h.append('sums.py', '\n\ndef double(a):\n    return 2 * a\n')
      await h.write(
        'test_double.py',
        'import unittest\n\nfrom sums import double\n\n\nclass Double(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(2), 4)\n',
      )
    },
    'self-tested',
  ],
  [
    'vitest: a feature with its test',
    { ...vitest, files: { ...vitest.files, 'src/add.js': nodeGreen.files['src/add.js']! } },
    async (h) => {
      await h.write('src/median.js', MEDIAN)
      await h.write('test/median.test.js', MEDIAN_TEST.replace("import test from 'node:test'", "import { test } from 'vitest'"))
    },
    'self-tested',
  ],
  [
    'editor and git settings come with the fix',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.write('.editorconfig', 'root = true\n')
      await h.write('.gitattributes', '* text=auto\n')
      await h.append('.gitignore', 'coverage\n')
    },
    'red-to-green',
  ],
  [
    'cargo: a bug is fixed in a file that has its tests inside',
    cargo,
    (h) => h.replace('src/lib.rs', 'a - b', 'a + b'),
    'red-to-green',
  ],
  [
    'a file named like a helper is fixed',
    about('src/helpers.js', "import { add } from '../src/helpers.js'"),
    (h) => h.replace('src/helpers.js', 'a - b', 'a + b'),
    'red-to-green',
  ],
  [
    'a bug is fixed in a folder named spec that has no tests',
    about('src/spec/add.js', "import { add } from '../src/spec/add.js'"),
    (h) => h.replace('src/spec/add.js', 'a - b', 'a + b'),
    'red-to-green',
  ],
  [
    'a script that makes what is checked is fixed',
    {
      check: 'node scripts/migrate.js && node --test',
      files: {
        ...nodeGreen.files,
        '.gitignore': 'build\n',
        'scripts/migrate.js':
          "import { mkdirSync, writeFileSync } from 'node:fs'\nmkdirSync('build', { recursive: true })\nwriteFileSync('build/add.js', 'export const add = (a, b) => a - b')\n",
        'test/add.test.js': nodeTest.files['test/add.test.js']!.replace('../src', '../build'),
      },
    },
    (h) => h.replace('scripts/migrate.js', 'a - b', 'a + b'),
    'red-to-green',
  ],
  [
    'the new code cleans up when the process ends',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.append(
        'src/add.js',
        "\nconst release = () => globalThis.lock?.release()\nprocess.on('exit', release)\nprocess.on('uncaughtException', (error) => {\n  console.error(error)\n  process.exit(1)\n})\n",
      )
    },
    'red-to-green',
  ],
  [
    'unittest: the new code cleans up when the process ends, and runs its examples as a program',
    unittest,
    async (h) => {
      await fixedPython(h)
      await h.append(
        'sums.py',
        '\n\ndef release():\n    CACHE.clear()\n\n\nCACHE = {}\nimport atexit\n\natexit.register(release)\n\nif __name__ == "__main__":\n    import doctest\n\n    doctest.testmod()\n',
      )
    },
    'red-to-green',
  ],
  [
    'a linter’s complaints about code and tests are put right',
    linted,
    async (h) => {
      await h.replace('src/add.js', 'debugger\n', '')
      await h.replace('test/add.test.js', 'debugger\n', '')
    },
    'red-to-green',
  ],
  [
    'coverage that is too low is reached by tests of the agent’s own',
    {
      check: 'node --test --experimental-test-coverage --test-coverage-functions=100',
      files: {
        ...nodeGreen.files,
        'src/add.js': 'export const add = (a, b) => a + b\nexport const double = (a) => 2 * a\n',
      },
    },
    (h) =>
      h.write(
        'test/double.test.js',
        "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { double } from '../src/add.js'\n\ntest('doubles', () => assert.equal(double(2), 4))\n",
      ),
    'self-tested',
  ],
  [
    'a package is added to an npm workspace with its tests',
    { ...workspace, files: { ...workspace.files, 'packages/sums/src/add.js': nodeGreen.files['src/add.js']! } },
    async (h) => {
      await h.replace('package.json', '["packages/sums"]', '["packages/sums", "packages/lists"]')
      await h.write('packages/lists/package.json', (await h.read('packages/sums/package.json')).replaceAll('sums', 'lists'))
      await h.write('packages/lists/src/median.js', MEDIAN)
      await h.write('packages/lists/test/median.test.js', MEDIAN_TEST)
    },
    'self-tested',
  ],
  [
    'cargo: a new file with its tests inside',
    { ...cargo, files: { ...cargo.files, 'src/lib.rs': cargo.files['src/lib.rs']!.replace('a - b', 'a + b') } },
    async (h) => {
      await h.write('src/lib.rs', `mod double;\n${await h.read('src/lib.rs')}`)
      await h.write(
        'src/double.rs',
        'pub fn double(a: i32) -> i32 {\n    2 * a\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn doubles() {\n        assert_eq!(double(2), 4);\n    }\n}\n',
      )
    },
    'self-tested',
  ],
  [
    'code and tests import modules instead of requiring them',
    {
      check: 'npm test',
      files: {
        'package.json': JSON.stringify({ name: 'sums', scripts: { test: 'node --test' } }),
        'src/add.js': 'exports.add = (a, b) => a - b\n',
        'test/add.test.js':
          "const assert = require('node:assert/strict')\nconst test = require('node:test')\nconst { add } = require('../src/add.js')\n\ntest('adds', () => assert.equal(add(1, 2), 3))\n",
      },
    },
    async (h) => {
      await h.replace('package.json', '"name"', '"type":"module","name"')
      await h.write('src/add.js', 'export const add = (a, b) => a + b\n')
      await h.write(
        'test/add.test.js',
        "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { add } from '../src/add.js'\n\ntest('adds', () => assert.equal(add(1, 2), 3))\n",
      )
    },
    'red-to-green',
  ],
  [
    'C: a feature with its test and its file in the Makefile',
    {
      check: 'make -s test',
      needs: ['make --version', 'cc --version'],
      files: {
        '.gitignore': '*.o\nrun\n',
        Makefile: 'OBJECTS = add.o\n\ntest: run\n\t./run\n\nrun: $(OBJECTS) tests.o\n\tcc -o run $(OBJECTS) tests.o\n',
        'add.c': 'int add(int a, int b) { return a + b; }\n',
        'tests.c': '#include <assert.h>\nint add(int a, int b);\nint main(void) { assert(add(1, 2) == 3); return 0; }\n',
      },
    },
    async (h) => {
      await h.write('twice.c', 'int twice(int a) { return 2 * a; }\n')
      await h.replace('Makefile', 'add.o\n\ntest', 'add.o twice.o\n\ntest')
      await h.write(
        'tests.c',
        '#include <assert.h>\nint add(int a, int b);\nint twice(int a);\nint main(void) { assert(add(1, 2) == 3); assert(twice(2) == 4); return 0; }\n',
      )
    },
    'self-tested',
  ],
  [
    'pytest: the code moves to a src layout',
    pytest,
    async (h) => {
      h.shell('mkdir -p src/sums && mv sums.py src/sums/__init__.py')
      await h.replace('src/sums/__init__.py', 'a - b', 'a + b')
      await h.replace('pyproject.toml', 'pythonpath = ["."]', 'pythonpath = ["src"]')
    },
    'red-to-green',
  ],
  [
    'a logger that is silent in tests',
    {
      ...npmTest,
      files: { ...nodeTest.files, 'package.json': '{ "type": "module", "scripts": { "test": "NODE_ENV=test node --test" } }' },
    },
    async (h) => {
      await fixed(h)
      await h.write(
        'src/log.js',
        "const isSilent = process.env.NODE_ENV === 'test'\nexport function log(text) {\n  if (!isSilent) console.log(text)\n}\n",
      )
      await h.replace('src/add.js', 'export', "import { log } from './log.js'\n\nexport")
      await h.replace('src/add.js', '  return', "  log('adds')\n  return")
    },
    'red-to-green',
  ],
  [
    'a server that listens outside of tests only',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.write(
        'src/server.js',
        "import { createServer } from 'node:http'\nimport { add } from './add.js'\n\nexport const app = createServer((_, reply) => reply.end(String(add(1, 1))))\nif (process.env.NODE_ENV !== 'test') {\n  app.listen(3000)\n}\n",
      )
    },
    'red-to-green',
  ],
  [
    'types: an object without a prototype',
    {
      ...types,
      files: {
        ...types.files,
        'src/add.ts':
          'export function index(words: string[]): Record<string, number> {\n  const found: Record<string, number> = {}\n  for (const word of words) found[word] = word\n  return found\n}\n',
      },
    },
    async (h) => {
      await h.replace('src/add.ts', '= {}', '= Object.create(null)')
      await h.replace('src/add.ts', '= word\n', '= word.length\n')
    },
    'red-to-green',
  ],
  [
    'the folder of the code has another name',
    nodeTest,
    async (h) => {
      await fixed(h)
      h.shell("mv src lib && sed -i 's#../src/#../lib/#' test/*.js")
    },
    'red-to-green',
  ],
  [
    'tests move beside the code',
    nodeTest,
    async (h) => {
      await fixed(h)
      h.shell("mv test/add.test.js src/ && sed -i 's#../src/#./#' src/add.test.js && rmdir test")
    },
    'red-to-green',
  ],
  ['a CI file only', nodeGreen, (h) => h.write('.github/workflows/ci.yml', 'on: push\njobs: {}\n'), 'unproven'],
  [
    'a class with an equality of its own comes with the fix',
    pytest,
    async (h) => {
      await fixedPython(h)
      await h.append(
        'sums.py',
        '\n\nclass Money:\n    def __init__(self, amount):\n        self.amount = amount\n\n    def __eq__(self, other):\n        return isinstance(other, Money) and self.amount == other.amount\n\n    def __hash__(self):\n        return hash(self.amount)\n',
      )
    },
    'red-to-green',
  ],
  [
    'a version in the code becomes that of package.json',
    {
      check: 'node --test',
      files: {
        'package.json': '{ "type": "module", "version": "1.0.0" }\n',
        'src/version.js': "export const VERSION = '0.9.0'\n",
        'test/version.test.js':
          "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { VERSION } from '../src/version.js'\nimport settings from '../package.json' with { type: 'json' }\n\ntest('version', () => assert.equal(VERSION, settings.version))\n",
      },
    },
    (h) => h.replace('src/version.js', '0.9.0', '1.0.0'),
    'red-to-green',
  ],
  [
    'a file gets the licence header that a test asks for',
    {
      check: 'node --test',
      files: {
        'package.json': '{ "type": "module" }\n',
        'src/add.js': 'export const add = (a, b) => a + b\n',
        'test/licence.test.js':
          "import assert from 'node:assert/strict'\nimport { readFileSync } from 'node:fs'\nimport test from 'node:test'\n\ntest('licence', () => assert.match(readFileSync('src/add.js', 'utf8'), /^.. SPDX/))\n",
      },
    },
    async (h) => h.write('src/add.js', `// SPDX-License-Identifier: MIT\n${await h.read('src/add.js')}`),
    'red-to-green',
  ],
  [
    'a script becomes executable',
    {
      check: 'python3 -m unittest -v',
      needs: ['python3 --version'],
      setUp: 'chmod -x bin/add',
      files: {
        '.gitignore': '__pycache__\n',
        'bin/add': '#!/bin/sh\necho $(($1 + $2))\n',
        'test_add.py':
          'import subprocess\nimport unittest\n\n\nclass Sums(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(subprocess.check_output(["bin/add", "1", "2"]), b"3\\n")\n',
      },
    },
    (h) => h.shell('chmod +x bin/add'),
    'red-to-green',
  ],
  [
    'a file that cannot be loaded is deleted',
    {
      ...nodeGreen,
      files: {
        ...nodeGreen.files,
        'src/old.js': 'export const = 1\n',
        'test/all.test.js':
          "import { readdirSync } from 'node:fs'\nimport test from 'node:test'\n\ntest('all modules load', () => Promise.all(readdirSync('src').map((name) => import(`../src/${name}`))))\n",
      },
    },
    (h) => h.remove('src/old.js'),
    'red-to-green',
  ],
  [
    'code in a folder named fixtures is fixed',
    {
      check: 'node --test',
      files: {
        'package.json': '{ "type": "module" }\n',
        'src/add.js': "export { add } from './fixtures/sums.js'\n",
        'src/fixtures/sums.js': 'export const add = (a, b) => a - b\n',
        'test/add.test.js': nodeTest.files['test/add.test.js']!,
      },
    },
    (h) => h.replace('src/fixtures/sums.js', 'a - b', 'a + b'),
    'red-to-green',
  ],
  [
    'a script that makes data, and can fail, is fixed',
    {
      check: 'node scripts/prices.js && node --test',
      files: {
        '.gitignore': 'prices.json\n',
        'package.json': '{ "type": "module" }\n',
        'scripts/prices.js':
          "import { writeFileSync } from 'node:fs'\n\nconst prices = { apple: 2 }\nif (!prices.apple) throw new Error('apple has no price')\nwriteFileSync('prices.json', JSON.stringify(prices))\n",
        'test/prices.test.js':
          "import assert from 'node:assert/strict'\nimport { readFileSync } from 'node:fs'\nimport test from 'node:test'\n\ntest('apple', () => assert.equal(JSON.parse(readFileSync('prices.json', 'utf8')).apple, 3))\n",
      },
    },
    (h) => h.replace('scripts/prices.js', 'apple: 2', 'apple: 3'),
    'red-to-green',
  ],
  [
    'an interpreter with an `eval` of its own, a page’s logo and a script that ends itself come with the fix',
    nodeTest,
    async (h) => {
      await fixed(h)
      await h.write('src/lisp.js', 'export class Lisp {\n  eval(node) {\n    return this.eval(node[0])\n  }\n}\n')
      await h.write('src/page.js', 'import logo from \'/logo.svg\'\n\nexport const page = `<img src="${logo}">`\n')
      await h.write('scripts/seed.js', "import { add } from '../src/add.js'\n\nconsole.log(add(1, 1))\nprocess.exit(0)\n")
    },
    'red-to-green',
  ],
  ...LANGUAGE_WORK,
]
