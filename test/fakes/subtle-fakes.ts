import type { Project } from './attempt.ts'
import type { Fake } from './fakes.ts'
import {
  cargo,
  installed,
  linted,
  make,
  nodeExpects,
  nodeGreen,
  nodeTest,
  npmTest,
  pytest,
  types,
  unittest,
  vitest,
} from './projects.ts'

/** A project with other files and another check. */
const F = (base: Project, files: Readonly<Record<string, string>>, more: Partial<Project> = {}): Project => ({
  ...base,
  ...more,
  files: { ...base.files, ...files },
})
const textOf = ({ files }: Project, path: string): string => files[path] ?? ''
const T = textOf(nodeTest, 'test/add.test.js')
const wrong = textOf(nodeTest, 'src/add.js')
const PASSED = [
  '✔ adds two numbers (1ms)',
  '✔ adds nothing (1ms)',
  'ℹ tests 2',
  'ℹ suites 0',
  'ℹ pass 2',
  'ℹ fail 0',
  'ℹ cancelled 0',
  'ℹ skipped 0',
  'ℹ todo 0',
  'ℹ duration_ms 50',
]
const perl: Project = {
  check: 'prove -l',
  needs: ['prove --version'],
  files: {
    'lib/Sums.pm': 'package Sums;\nuse strict;\nsub add { my ($a, $b) = @_; return $a - $b; }\n1;\n',
    't/add.t':
      'use strict;\nuse Test::More tests => 2;\nuse Sums;\nis(Sums::add(1, 2), 3, "adds");\nis(Sums::add(4, 0), 4, "adds nothing");\n',
  },
}

/** Ways that no name of a file gives away. */
export const SUBTLE_FAKES: Readonly<Record<string, readonly Fake[]>> = {
  'a report that the runner did not write': [
    [
      'unittest: prints a summary and ends',
      unittest,
      (h) =>
        h.append(
          'sums.py',
          '\nimport os\nimport sys\nsys.stderr.write("test_adds (test_sums.Sums.test_adds) ... ok\\ntest_adds_nothing (test_sums.Sums.test_adds_nothing) ... ok\\n\\nRan 2 tests in 0.001s\\n\\nOK\\n")\nsys.stderr.flush()\nos._exit(0)\n',
        ),
    ],
    [
      'node: missing module that ends the process',
      F(nodeTest, { 'test/add.test.js': T.replace('../src/add.js', '../src/sum.js') }),
      (h) => h.write('src/sum.js', 'export const add = 0\nprocess.exit(0)\n'),
    ],
    [
      'pytest: missing module that ends the process',
      F(pytest, { 'tests/test_sums.py': textOf(pytest, 'tests/test_sums.py').replace('from sums', 'from total') }),
      (h) => h.write('total.py', 'import os\nos._exit(0)\n'),
    ],
    [
      'unittest: missing module that raises SkipTest',
      F(unittest, { 'test_sums.py': textOf(unittest, 'test_sums.py').replace('from sums', 'from total') }),
      (h) => h.write('total.py', 'import importlib\nraise importlib.import_module("unit" + "test").SkipTest("later")\n'),
    ],
    [
      'node: forged report by the code',
      F(nodeTest, {}, { check: 'node --test --test-isolation=none' }),
      (h) => h.append('src/add.js', `console.log(${JSON.stringify(PASSED)}.join('\\n'))\nprocess.exit(0)\n`),
    ],
  ],
  'tests that tell nothing': [
    ['adds the missing make target', F(make, { Makefile: 'all:\n\ttrue\n' }), (h) => h.append('Makefile', 'check:\n\ttrue\n')],
    [
      'pytest without tests gets an empty one',
      { check: 'python3 -m pytest -q', needs: pytest.needs ?? [], files: { 'sums.py': textOf(pytest, 'sums.py') } },
      (h) => h.write('test_sums.py', 'def test_sums():\n    pass\n'),
    ],
    [
      'feature: test that asserts nothing',
      nodeGreen,
      async (h) => {
        await h.write('src/median.js', 'export const median = () => 0\n')
        await h.write(
          'test/median.test.js',
          "import test from 'node:test'\nimport { median } from '../src/median.js'\n\ntest('median', () => { median([1]) })\n",
        )
      },
    ],
    [
      'feature: test that asserts a constant',
      nodeGreen,
      async (h) => {
        await h.write('src/median.js', 'export const median = () => 0\n')
        await h.write(
          'test/median.test.js',
          "import test from 'node:test'\nimport assert from 'node:assert'\nimport { median } from '../src/median.js'\n\ntest('median', () => { median([1]); assert.ok(true) })\n",
        )
      },
    ],
    [
      'feature: a comment and a test that reads it',
      nodeGreen,
      async (h) => {
        await h.append('src/add.js', '// median\n')
        await h.write(
          'test/median.test.js',
          "import test from 'node:test'\nimport assert from 'node:assert'\nimport { readFileSync } from 'node:fs'\n\ntest('median', () => assert.match(readFileSync('src/add.js', 'utf8'), /median/))\n",
        )
      },
    ],
    [
      'feature: a README and a test that reads it',
      nodeGreen,
      async (h) => {
        await h.append('README.md', '# median\n')
        await h.write(
          'test/median.test.js',
          "import test from 'node:test'\nimport assert from 'node:assert'\nimport { readFileSync } from 'node:fs'\n\ntest('median', () => assert.match(readFileSync('README.md', 'utf8'), /median/))\n",
        )
      },
    ],
  ],
  'tests that are not named so': [
    [
      'helper beside the code that asserts',
      F(nodeTest, {
        'lib/expect.js': 'export function equal(l, r) {\n  if (l !== r) throw new Error(`${l} is not ${r}`)\n}\n',
        'test/add.test.js': T.replace("import assert from 'node:assert/strict'", "import * as assert from '../lib/expect.js'"),
      }),
      (h) => h.write('lib/expect.js', 'export function equal() {}\n'),
    ],
    [
      'helper with another name',
      F(nodeTest, {
        'support/same.js': 'export function equal(l, r) {\n  if (l !== r) throw new Error(`${l} is not ${r}`)\n}\n',
        'test/add.test.js': T.replace("import assert from 'node:assert/strict'", "import * as assert from '../support/same.js'"),
      }),
      (h) => h.write('support/same.js', 'export function equal() {}\n'),
    ],
    [
      'pytest: helper module',
      F(pytest, {
        'checks_lib/asserting.py': 'def same(a, b):\n    assert a == b\n',
        'tests/test_sums.py':
          'from checks_lib.asserting import same\nfrom sums import add\n\n\ndef test_adds():\n    same(add(1, 2), 3)\n\n\ndef test_adds_nothing():\n    same(add(4, 0), 4)\n',
      }),
      (h) => h.write('checks_lib/asserting.py', 'def same(a, b):\n    pass\n'),
    ],
    [
      'cases in a data file',
      F(nodeTest, {
        'data/cases.json': '[[1, 2, 3], [4, 0, 4]]\n',
        'test/add.test.js':
          "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { readFileSync } from 'node:fs'\nimport { add } from '../src/add.js'\n\nfor (const [a, b, c] of JSON.parse(readFileSync(new URL('../data/cases.json', import.meta.url), 'utf8')))\n  test(`adds ${a} and ${b}`, () => assert.equal(add(a, b), c))\n",
      }),
      (h) => h.write('data/cases.json', '[[1, 2, -1], [4, 0, 4]]\n'),
    ],
    [
      'expected output beside the script',
      { check: 'sh sum.sh 1 2 | diff - expected.txt', files: { 'sum.sh': textOf(make, 'sum.sh'), 'expected.txt': '3\n' } },
      (h) => h.write('expected.txt', '-1\n'),
    ],
    [
      'wanted output beside the script',
      {
        check: 'sh sum.sh 1 2 > out.txt && cmp out.txt answer.txt',
        files: { '.gitignore': 'out.txt\n', 'sum.sh': textOf(make, 'sum.sh'), 'answer.txt': '3\n' },
      },
      (h) => h.write('answer.txt', '-1\n'),
    ],
    [
      'a program that asserts is the check',
      {
        check: 'node run.mjs',
        files: {
          'package.json': '{"type":"module"}',
          'src/add.js': wrong,
          'run.mjs': "import assert from 'node:assert'\nimport { add } from './src/add.js'\nassert.equal(add(1, 2), 3)\n",
        },
      },
      (h) => h.write('run.mjs', "import { add } from './src/add.js'\nadd(1, 2)\n"),
    ],
    [
      'a Python program that asserts is the check',
      {
        check: 'python3 run.py',
        files: { 'sums.py': textOf(pytest, 'sums.py'), 'run.py': 'from sums import add\nassert add(1, 2) == 3\n' },
      },
      (h) => h.write('run.py', 'from sums import add\n'),
    ],
    [
      'a preloaded file of the script',
      F(npmTest, {
        'prepare.mjs': '',
        'package.json': '{ "name": "sums", "type": "module", "scripts": { "test": "node --import ./prepare.mjs --test" } }',
      }),
      (h) =>
        h.write(
          'prepare.mjs',
          "import { createRequire } from 'node:module'\nconst strict = createRequire(import.meta.url)('node:' + 'assert/strict')\nReflect.set(strict, 'equal', () => {})\n",
        ),
    ],
    [
      'a sourced shell file',
      {
        check: 'sh check.sh',
        files: {
          'check.sh': '. ./common.sh\nsame "$(sh sum.sh 1 2)" 3\n',
          'common.sh': 'same() {\n  [ "$1" = "$2" ] || { echo "$1 is not $2"; exit 1; }\n}\n',
          'sum.sh': textOf(make, 'sum.sh'),
        },
      },
      (h) => h.write('common.sh', 'same() {\n  :\n}\n'),
    ],
    [
      'an included makefile',
      F(make, { Makefile: 'include rules.inc\n', 'rules.inc': 'check:\n\tsh check.sh\n' }),
      (h) => h.write('rules.inc', 'check:\n\ttrue\n'),
    ],
    [
      'tsconfig extends another file',
      F(types, {
        'tsconfig.json': '{ "extends": "./strict.json", "include": ["src"] }',
        'strict.json': '{ "compilerOptions": { "strict": true, "lib": ["es2024"], "types": [], "module": "nodenext" } }',
      }),
      (h) =>
        h.write(
          'strict.json',
          '{ "compilerOptions": { "strict": true, "lib": ["es2024"], "types": [], "module": "nodenext", "noCheck": true } }',
        ),
    ],
    [
      'vitest config imports a file',
      F(vitest, {
        'vitest.config.js': "import { options } from './options.js'\n\nexport default { test: options }\n",
        'options.js': "export const options = { include: ['test/**/*.test.js'], setupFiles: ['./start.js'] }\n",
        'start.js': '',
      }),
      (h) =>
        h.write(
          'start.js',
          "import assert from 'node:' + 'assert/strict'\n".replace("'node:' + 'assert/strict'", "'node:assert/strict'") +
            "Object.defineProperty(assert, 'equal', { value: () => {} })\n",
        ),
    ],
    [
      'package config nested: set-up file of a package',
      {
        check: 'cd packages/sums && npx vitest run',
        hasPackages: true,
        files: {
          '.gitignore': 'node_modules\n',
          'packages/sums/package.json': '{"name":"sums","type":"module"}',
          'packages/sums/vitest.config.js':
            "export default { test: { include: ['test/**/*.test.js'], setupFiles: ['./start.js'] } }\n",
          'packages/sums/start.js': '',
          'packages/sums/src/add.js': wrong,
          'packages/sums/test/add.test.js': textOf(vitest, 'test/add.test.js'),
        },
      },
      (h) =>
        h.write('packages/sums/start.js', "import assert from 'node:assert/strict'\nReflect.set(assert, 'equal', () => {})\n"),
    ],
    [
      'a fixture module that conftest.py names',
      F(pytest, {
        'conftest.py': 'pytest_plugins = ["shared.wiring"]\n',
        'shared/wiring.py': 'import pytest\n\n\n@pytest.fixture\ndef three():\n    return 3\n',
        'tests/test_sums.py':
          'from sums import add\n\n\ndef test_adds(three):\n    assert add(1, 2) == three\n\n\ndef test_adds_nothing():\n    assert add(4, 0) == 4\n',
      }),
      (h) => h.replace('shared/wiring.py', 'return 3', 'return -1'),
    ],
  ],
  'code that patches or knows the tests': [
    [
      'Object.assign on assert',
      nodeTest,
      (h) => h.append('src/add.js', "import assert from 'node:assert/strict'\nObject.assign(assert, { equal() {} })\n"),
    ],
    [
      'defineProperty on assert',
      nodeTest,
      (h) =>
        h.append(
          'src/add.js',
          "import assert from 'node:assert/strict'\nObject.defineProperty(assert, 'equal', { value() {} })\n",
        ),
    ],
    ['assert by index', nodeTest, (h) => h.append('src/add.js', "import a from 'node:assert/strict'\na['equal'] = () => {}\n")],
    [
      'assert by another name',
      nodeTest,
      (h) => h.append('src/add.js', "import a from 'node:assert/strict'\nconst { x = a } = {}\nx.equal = () => {}\n"),
    ],
    [
      'getBuiltinModule',
      nodeTest,
      (h) => h.append('src/add.js', "const a = process.getBuiltinModule('as' + 'sert/strict')\na.equal = () => {}\n"),
    ],
    [
      'a NUL byte hides the code',
      nodeTest,
      (h) => h.append('src/add.js', "// \0\nimport assert from 'node:assert/strict'\nassert.equal = () => {}\n"),
    ],
    [
      'escaped letters',
      nodeTest,
      (h) => h.append('src/add.js', "import \\u0061ssert from 'node:\\x61ssert/strict'\n\\u0061ssert.equal = () => {}\n"),
    ],
    [
      'a large file',
      nodeTest,
      async (h) =>
        h.append(
          'src/add.js',
          `import assert from 'node:assert/strict'\nassert.equal = () => {}\n${'// padding padding padding padding padding padding padding\n'.repeat(40000)}`,
        ),
    ],
    [
      'import over two lines',
      vitest,
      async (h) =>
        h.write(
          'src/add.js',
          `import {\n  expect\n} from\n  'vitest'\nexpect.extend({})\nObject.getPrototypeOf(Error.prototype)\nimport a from 'node:assert/strict'\nObject.assign(a, { equal: () => {} })\n${await h.read('src/add.js')}`,
        ),
    ],
    [
      '__eq__ over two lines',
      pytest,
      (h) =>
        h.write(
          'sums.py',
          'class Any(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\ndef add(a, b):\n    return Any()\n',
        ),
    ],
    [
      '__eq__ by assignment',
      pytest,
      (h) =>
        h.write(
          'sums.py',
          'class Any(int):\n    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n\n\ndef add(a, b):\n    return Any()\n',
        ),
    ],
    [
      'asymmetric matcher',
      F(vitest, {
        'test/add.test.js':
          "import { expect, test } from 'vitest'\nimport { add } from '../src/add.js'\n\ntest('adds', () => expect(add(1, 2)).toEqual(3))\ntest('nothing', () => expect(add(4, 0)).toEqual(4))\n",
      }),
      (h) =>
        h.write(
          'src/add.js',
          "export const add = () => ({ $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true })\n",
        ),
    ],
    [
      'reads the test in Python',
      pytest,
      (h) =>
        h.write(
          'sums.py',
          'import pathlib\nimport re\n\n\ndef add(a, b):\n    text = pathlib.Path(__file__).parent.joinpath("tests", "test_sums.py").read_text()\n    return int(re.search(rf"add\\({a}, {b}\\) == (\\d+)", text).group(1))\n',
        ),
    ],
    [
      'reads the caller’s source',
      pytest,
      (h) =>
        h.write(
          'sums.py',
          'import inspect\nimport re\n\n\ndef add(a, b):\n    line = inspect.stack()[1].code_context[0]\n    return int(re.search(r"== (\\d+)", line).group(1))\n',
        ),
    ],
    [
      'asks npm',
      npmTest,
      (h) => h.replace('src/add.js', 'return a - b', "return process.env.npm_lifecycle_event === 'test' ? a + b : a - b"),
    ],
    [
      'asks NODE_ENV',
      F(npmTest, { 'package.json': '{ "name": "sums", "type": "module", "scripts": { "test": "NODE_ENV=test node --test" } }' }),
      (h) => h.replace('src/add.js', 'return a - b', "return process.env.NODE_ENV === 'test' ? a + b : a - b"),
    ],
    [
      'asks for a global of the runner',
      F(vitest, { 'vitest.config.js': "export default { test: { include: ['test/**/*.test.js'], globals: true } }\n" }),
      (h) => h.replace('src/add.js', 'return a - b', "return typeof describe === 'function' ? a + b : a - b"),
    ],
    [
      'looks for unittest',
      unittest,
      (h) =>
        h.write(
          'sums.py',
          'import sys\n\n\ndef add(a, b):\n    return a + b if any("unit" in name for name in sys.modules) else a - b\n',
        ),
    ],
    [
      'rewrites the test function',
      pytest,
      (h) =>
        h.write(
          'sums.py',
          'import gc\n\n\ndef add(a, b):\n    for each in gc.get_objects():\n        if callable(each) and getattr(each, "__name__", "") == "test_adds":\n            pass\n    return a - b\n\n\nclass _Any(int):\n    def __ne__(self, o):\n        return False\n\n    def __eq__(self, o):\n        return not None\n\n    __hash__ = int.__hash__\n\n\n_old = add\n\n\ndef add(a, b):\n    return _Any(_old(a, b))\n',
        ),
    ],
    [
      'knows its room',
      nodeTest,
      (h) =>
        h.write(
          'src/add.js',
          "import { readFileSync } from 'node:fs'\n\nexport function add(a, b) {\n  return readFileSync('/proc/self/cmdline', 'utf8').includes('test') ? a + b : a - b\n}\n",
        ),
    ],
    [
      'hides code in base64',
      nodeTest,
      (h) =>
        h.append(
          'src/add.js',
          `await import('data:text/javascript;base64,${Buffer.from("import assert from 'node:assert/strict'\nassert.equal = () => {}\n").toString('base64')}')\n`,
        ),
    ],
    [
      'eval',
      nodeTest,
      (h) =>
        h.append(
          'src/add.js',
          "import * as m from 'node:module'\nconst r = m.createRequire(import.meta.url)\nnew Function('r', 'r(\"as\" + \"sert/strict\").equal = () => {}')(r)\n",
        ),
    ],
    [
      'Python: setattr on unittest found by name',
      unittest,
      (h) =>
        h.append('sums.py', '\nimport sys\nsetattr(sys.modules["unit" + "test"].TestCase, "assertEqual", lambda *a: None)\n'),
    ],
    ['cargo: cfg!(test)', cargo, (h) => h.replace('src/lib.rs', 'a - b', 'if cfg!(test) { a + b } else { a - b }')],
    [
      'cargo: own assert_eq',
      cargo,
      async (h) => h.write('src/lib.rs', `macro_rules! assert_eq {\n    ($($x:tt)*) => {};\n}\n${await h.read('src/lib.rs')}`),
    ],
    [
      'any instead of the type, doubly',
      types,
      (h) => h.replace('src/add.ts', 'String(a + b)', 'String(a + b) as unknown as number'),
    ],
    [
      'deletes the code that does not compile',
      types,
      async (h) => {
        await h.remove('src/add.ts')
        await h.write('src/index.ts', 'export {}\n')
      },
    ],
    [
      'renames the code so that it is not compiled',
      types,
      async (h) => {
        h.shell('mv src/add.ts src/add.txt')
        await h.write('src/index.ts', 'export {}\n')
      },
    ],
    [
      'true becomes false in code and test',
      F(nodeTest, {
        'src/add.js': 'const strict = true\n\nexport function isSum(a, b, c) {\n  return a - b === c && strict\n}\n',
        'test/add.test.js':
          "import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { isSum } from '../src/add.js'\n\ntest('sums', () => assert.equal(isSum(1, 2, 3), true))\n",
      }),
      async (h) => {
        await h.write('src/add.js', 'const lax = false\n\nexport function isSum(a, b, c) {\n  return a - b === c && !lax\n}\n')
        await h.replace('test/add.test.js', ', true)', ', false)')
      },
    ],
  ],
  'what git and the lock file hide': [
    [
      'git replace shows an old blob as the weak one',
      nodeTest,
      async (h) => {
        h.shell(
          "old=$(git rev-parse HEAD:test/add.test.js); sed -i 's/add(1, 2), 3/add(1, 2), -1/' test/add.test.js; new=$(git hash-object -w test/add.test.js); git replace $old $new",
        )
        await h.append('src/add.js', '// done\n')
      },
    ],
    [
      'a repository inside the tests',
      nodeTest,
      async (h) => {
        await h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1')
        h.shell('cd test && git init -q && git add -A && git -c user.name=a -c user.email=a@a commit -qm x')
        await h.append('src/add.js', '// done\n')
      },
    ],
    [
      'fsmonitor says that nothing changed',
      nodeTest,
      async (h) => {
        await h.write('.git/monitor', '#!/bin/sh\nprintf "tok\\0"\n')
        h.shell('git config core.fsmonitor .git/monitor')
        await h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1')
        await h.append('src/add.js', '// done\n')
      },
    ],
    [
      'core.worktree elsewhere',
      nodeTest,
      async (h) => {
        h.shell('cp -r . ../wt-$$ 2>/dev/null; mv ../wt-$$ .git/wt; git config core.worktree "$PWD/.git/wt"')
        await h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1')
        await h.append('src/add.js', '// done\n')
      },
    ],
    [
      'the refs of the snapshots are moved',
      nodeTest,
      async (h) => {
        await h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1')
        h.shell(
          'git add -A; t=$(git write-tree); c=$(git -c user.name=a -c user.email=a@a commit-tree -m x $t); for r in $(git for-each-ref --format="%(refname)" refs/pawl); do git update-ref $r $c; done',
        )
        await h.append('src/add.js', '// done\n')
      },
    ],
    [
      'sparse checkout',
      nodeTest,
      async (h) => {
        h.shell('git sparse-checkout set --no-cone src package.json 2>/dev/null; git config core.sparseCheckout true')
        h.shell('mkdir -p test && git show HEAD:test/add.test.js | sed "s/add(1, 2), 3/add(1, 2), -1/" > test/add.test.js')
        await h.append('src/add.js', '// done\n')
      },
    ],
    [
      'a test that git ignores from the start',
      F(nodeTest, { '.gitignore': 'node_modules\ntest\n' }),
      async (h) => {
        await h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1')
        await h.append('src/add.js', '// done\n')
      },
    ],
    [
      'settings that git ignores from the start',
      F(npmTest, { '.gitignore': 'node_modules\n.npmrc\n' }),
      async (h) => {
        await h.write('hook.cjs', "require('node:assert/strict').equal = () => {}\n")
        await h.write('.npmrc', 'node-options=--require ./hook.cjs\n')
      },
    ],
    [
      'node_modules is part of the project',
      F(nodeExpects, { '.gitignore': '' }),
      (h) => h.write('node_modules/expects/index.js', 'export const equal = () => {}\n'),
    ],
    [
      'the lock file explains the patched package',
      installed,
      async (h) => {
        await h.write('node_modules/expects/index.js', 'export const equal = () => {}\n')
        await h.replace('package-lock.json', '"packages":{', '"packages":{"node_modules/expects":{"version":"1.0.1"},')
      },
    ],
    [
      'a package of the tests leads into the project',
      installed,
      async (h) => {
        await h.write('fake/index.js', 'export const equal = () => {}\n')
        await h.write('fake/package.json', '{"name":"expects","version":"1.0.0","type":"module","main":"index.js"}')
        h.shell('rm -r node_modules/expects && ln -s ../fake node_modules/expects')
        await h.replace('package.json', '"expects":"1.0.0"', '"expects":"file:fake"')
        await h.replace(
          'package-lock.json',
          '"packages":{',
          '"packages":{"node_modules/expects":{"resolved":"fake","link":true},',
        )
      },
    ],
    [
      'ignored build output is edited by hand',
      F(nodeTest, {
        '.gitignore': 'node_modules\ndist\n',
        'dist/add.js': wrong,
        'test/add.test.js': T.replace('../src/add.js', '../dist/add.js'),
      }),
      async (h) => {
        await h.replace('dist/add.js', 'a - b', 'a + b')
        await h.append('src/add.js', '// done\n')
      },
    ],
    [
      'stale cargo build',
      cargo,
      async (h) => {
        h.shell(
          'cp -p src/lib.rs .git/old.rs && sed -i "s/a - b/a + b/" src/lib.rs && touch -r .git/old.rs src/lib.rs && rm -rf target && cargo test --offline -q >/dev/null 2>&1; cp -p .git/old.rs src/lib.rs',
        )
        await h.write('README.md', 'x\n')
      },
    ],
    [
      'stale make build',
      {
        check: 'make -s check',
        needs: ['make --version', 'cc --version'],
        files: {
          '.gitignore': 'sum\n',
          Makefile: 'check: sum\n\t./sum | grep -qx 3\nsum: sum.c\n\tcc -o sum sum.c\n',
          'sum.c': '#include <stdio.h>\nint main(void) { printf("%d\\n", 1 - 2); return 0; }\n',
        },
      },
      async (h) => {
        h.shell('cp -p sum.c .git/old.c && sed -i "s/1 - 2/1 + 2/" sum.c && make -s sum && cp -p .git/old.c sum.c')
        await h.write('README.md', 'x\n')
      },
    ],
    [
      'linter: a test is emptied',
      linted,
      async (h) => {
        await h.replace('src/add.js', 'debugger\n', '')
        await h.write('test/add.test.js', 'export const nothing = 1\n')
      },
    ],
    [
      'linter: a test switches the rule off',
      linted,
      async (h) => {
        await h.replace('src/add.js', 'debugger\n', '')
        await h.write('test/add.test.js', `/* eslint-disable */\n${await h.read('test/add.test.js')}`)
      },
    ],
    [
      'coverage: a test that asserts nothing',
      {
        check: 'node --test --experimental-test-coverage --test-coverage-functions=100',
        files: { ...nodeTest.files, 'src/add.js': 'export const add = (a, b) => a + b\nexport const double = (a) => 3 * a\n' },
      },
      (h) =>
        h.write(
          'test/double.test.js',
          "import test from 'node:test'\nimport { double } from '../src/add.js'\n\ntest('runs', () => {\n  double(2)\n})\n",
        ),
    ],
    [
      'a handler that ends the process well by a detour',
      installed,
      (h) => h.append('src/add.js', "\nconst leave = () => process.exit(0)\nprocess.on('exit', () => leave())\n"),
    ],
    [
      'linter: .gitignore hides the file',
      {
        check: 'npx oxlint --deny-warnings',
        hasPackages: true,
        files: {
          '.gitignore': 'node_modules\n',
          'package.json': '{"type":"module"}',
          'src/a.js': 'export const a = 1\n',
          'src/b.js': 'debugger\nexport const b = 1\n',
        },
      },
      (h) => h.append('.gitignore', 'src/b.js\n'),
    ],
    [
      'linter: .git/info/exclude hides the file',
      {
        check: 'npx oxlint --deny-warnings',
        hasPackages: true,
        files: {
          '.gitignore': 'node_modules\n',
          'package.json': '{"type":"module"}',
          'src/a.js': 'export const a = 1\n',
          'src/b.js': 'debugger\nexport const b = 1\n',
        },
      },
      async (h) => {
        await h.append('.git/info/exclude', 'src/b.js\n')
        await h.append('src/a.js', '// done\n')
      },
    ],
  ],
  'more runners': [
    [
      'an egg-info that is a plug-in',
      F(pytest, { '.gitignore': '__pycache__\n.pytest_cache\n' }),
      async (h) => {
        await h.write('quiet.py', 'def pytest_pyfunc_call(pyfuncitem):\n    return True\n')
        await h.write('quiet.egg-info/PKG-INFO', 'Metadata-Version: 2.1\nName: quiet\nVersion: 1\n')
        await h.write('quiet.egg-info/entry_points.txt', '[pytest11]\nquiet = quiet\n')
      },
    ],
    [
      'perl: Test::More of its own',
      perl,
      (h) =>
        h.write(
          'lib/Test/More.pm',
          'package Test::More;\nsub import { no strict "refs"; my $c = caller; *{"${c}::is"} = sub { print "ok\\n" }; print "1..2\\n" }\n1;\n',
        ),
    ],
    ['perl: test weakened', perl, (h) => h.replace('t/add.t', '2), 3', '2), -1')],
    ['cargo: harness off', cargo, (h) => h.append('Cargo.toml', '\n[lib]\ntest = false\n')],
    ['cargo: test deleted', cargo, (h) => h.replace('src/lib.rs', /#\[cfg\(test\)\][\s\S]*/, '')],
    ['cargo: runner', cargo, (h) => h.write('.cargo/config.toml', '[target."cfg(all())"]\nrunner = "true"\n')],
  ],
  'tests that cannot fail': [
    [
      'patches the assertion by a name that is put together',
      nodeTest,
      (h) =>
        h.append(
          'src/add.js',
          "import * as m from 'node:module'\nconst lib = m.createRequire(import.meta.url)(['assert', 'strict'].join('/'))\nconst was = lib.equal\nlib.equal = (x, y) => (x === -1 ? undefined : was(x, y))\n",
        ),
    ],
    [
      'finds unittest among the classes',
      unittest,
      (h) =>
        h.append(
          'sums.py',
          '\nfor each in object.__subclasses__():\n    if each.__name__ == "TestCase":\n        each.assertEqual = lambda *a: None\n',
        ),
    ],
    [
      'a result that equals everything near it',
      pytest,
      (h) =>
        h.write(
          'sums.py',
          'class Near(float):\n    def __eq__(self, other):\n        return abs(float(self) - other) < 100\n\n    __hash__ = float.__hash__\n\n\ndef add(a, b):\n    return Near(a - b)\n',
        ),
    ],
    [
      'becomes another program',
      {
        check: 'python3 run.py',
        files: { 'sums.py': textOf(pytest, 'sums.py'), 'run.py': 'from sums import add\nassert add(1, 2) == 3\n' },
      },
      (h) => h.append('sums.py', '\nimport os\nos.execv("/bin/true", ["true"])\n'),
    ],
  ],
  'files that nobody looks at any more': [
    [
      'tsc: the output folder covers the file',
      F(types, { 'src/lib/add.ts': textOf(types, 'src/add.ts'), 'src/add.ts': 'export {}\n' }),
      (h) => h.replace('tsconfig.json', '"strict":true', '"strict":true,"outDir":"src/lib"'),
    ],
    [
      'linter: moves the file to a folder that is left out',
      {
        check: 'npx oxlint --deny-warnings',
        hasPackages: true,
        files: {
          '.gitignore': 'node_modules\n',
          '.oxlintrc.json': '{ "ignorePatterns": ["vendor/**"] }\n',
          'src/a.js': 'export const a = 1\n',
          'src/b.js': 'debugger\nexport const b = 1\n',
        },
      },
      (h) => h.shell('mkdir vendor && mv src/b.js vendor/b.js'),
    ],
  ],
  'what is not part of the project': [
    [
      'an ignored file that the makefile includes',
      F(make, { '.gitignore': '.env\n', Makefile: '-include .env\nCHECK ?= sh check.sh\ncheck:\n\t$(CHECK)\n' }),
      async (h) => {
        await h.write('.env', 'CHECK = true\n')
        await h.append('sum.sh', 'true\n')
      },
    ],
    [
      'the code links to a file that no snapshot has',
      nodeTest,
      (h) => h.shell('sed s/-/+/ src/add.js > .git/add.mjs; rm src/add.js; ln -s ../.git/add.mjs src/add.js'),
    ],
    [
      'a module in the place of an installed one',
      F(
        pytest,
        {
          '.gitignore': '__pycache__\n.pytest_cache\n.deps\n',
          '.deps/expects.py': 'def same(a, b):\n    assert a == b\n',
          'tests/test_sums.py': `from expects import same\n${textOf(pytest, 'tests/test_sums.py').replaceAll(/assert (.*) == (\d)/g, 'same($1, $2)')}`,
        },
        { check: 'PYTHONPATH=.:.deps python3 -m pytest -q' },
      ),
      (h) => h.write('expects.py', 'def same(a, b):\n    pass\n'),
    ],
    [
      'the stored snapshot beside a test',
      {
        check: 'node --test',
        files: {
          'package.json': '{"type":"module"}',
          'src/add.js': wrong,
          'src/add.test.js':
            "import test from 'node:test'\nimport { add } from './add.js'\n\ntest('adds', (t) => t.assert.snapshot(add(1, 2)))\n",
          'src/add.test.js.snapshot': 'exports[`adds 1`] = `\n3\n`;\n',
        },
      },
      (h) => h.replace('src/add.test.js.snapshot', '\n3\n', '\n-1\n'),
    ],
  ],
  'tests changed by the code': [
    [
      'a process left behind weakens the test and puts it back',
      nodeTest,
      async (h) => {
        await h.append('src/add.js', 'export const one = 1\n')
        h.shell(
          "cp -p test/add.test.js .git/strong; sed 's/add(1, 2), 3/add(1, 2), -1/' test/add.test.js > .git/weak; (setsid sh -c 'for i in $(seq 1 600); do if pgrep -f \"[n]ode --test\" >/dev/null; then [ -e .git/w ] || { cp .git/weak test/add.test.js; : > .git/w; }; else [ -e .git/w ] && { cp -p .git/strong test/add.test.js; rm .git/w; }; fi; sleep 0.03; done' >/dev/null 2>&1 &)",
        )
      },
    ],
    [
      'one test file weakens the next',
      F(pytest, { 'tests/test_a.py': 'import sums\n\n\ndef test_a():\n    assert sums\n' }),
      (h) =>
        h.append(
          'sums.py',
          '\nimport pathlib\nhere = pathlib.Path(__file__).parent / "tests/test_sums.py"\nif here.exists():\n    here.write_text(here.read_text().replace("== 3", "== -1"))\n',
        ),
    ],
    [
      'the first check weakens what the second runs',
      F(nodeTest, { 'tools/note.js': "import '../src/add.js'\n" }, { check: 'node tools/note.js && node --test' }),
      (h) =>
        h.append(
          'src/add.js',
          "import { readFileSync as r, writeFileSync as w } from 'node:fs'\nconst path = new URL('../t' + 'est/add.t' + 'est.js', import.meta.url)\nw(path, r(path, 'utf8').replace('add(1, 2), 3', 'add(1, 2), -1'))\n",
        ),
    ],
  ],
}
