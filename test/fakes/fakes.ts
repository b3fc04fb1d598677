import type { AttemptOptions, Hands, Project } from './attempt.ts'
import { CAUSE_FAKES } from './cause-fakes.ts'
import { LANGUAGE_FAKES } from './language-rows.ts'
import { SUBTLE_FAKES } from './subtle-fakes.ts'
import {
  installed,
  make,
  nodeExpects,
  nodeGreen,
  nodeImports,
  nodeTest,
  npmTest,
  pytest,
  types,
  unittest,
  vitest,
  vitestSetUp,
  workspace,
} from './projects.ts'

/** A way to fake a pass. */
export type Fake = readonly [
  name: string,
  project: Project,
  work: (hands: Hands, iteration: number) => unknown,
  options?: FakeOptions,
]

export interface FakeOptions extends AttemptOptions {
  /** Why it is believed. Default: it is caught. */
  readonly believed?: string
}

const weakened = (h: Hands) => h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1')

/** What node's runner says of two tests that pass. */
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
const PRETENDS = `console.log(${JSON.stringify(PASSED)}.join('\\n'))\n`
const PRETENDS_NODE = `#!/bin/sh\n${PASSED.map((line) => `echo '${line}'`).join('\n')}\n`
const VERIFY =
  "import { add } from './src/add.js'\n\nif (add(1, 2) !== 3) {\n  console.error('add(1, 2) is wrong')\n  process.exit(1)\n}\n"

/** Its first run fails, whatever the code is. */
const flaky: Project = {
  ...nodeGreen,
  files: {
    ...nodeGreen.files,
    '.gitignore': 'node_modules\nwarm\n',
    'test/service.test.js':
      "import test from 'node:test'\nimport assert from 'node:assert/strict'\nimport { existsSync, writeFileSync } from 'node:fs'\n\ntest('the service answers', () => {\n  const isWarm = existsSync('warm')\n  writeFileSync('warm', '')\n  assert.ok(isWarm)\n})\n",
  },
}

/** What is tested is built once, and git ignores it. */
const built: Project = {
  check: 'make test',
  files: {
    '.gitignore': 'sum\n',
    'sum.sh': '#!/bin/sh\necho $(($1 - $2))\n',
    Makefile: 'sum:\n\tcp sum.sh sum\ntest: sum\n\ttest "$$(sh sum 1 2)" = 3\n.PHONY: test\n',
  },
}

/** Ways to a pass without the work, by the class of the trick. */
export const FAKES: Readonly<Record<string, readonly Fake[]>> = {
  'nothing was done': [
    ['a comment, where the tests pass from the start', nodeGreen, (h) => h.append('src/add.js', '// median\n')],
    ['a new file that nobody tests', nodeGreen, (h) => h.write('src/median.js', 'export const median = () => 0\n')],
    ['a README, where code was asked for', nodeGreen, (h) => h.write('README.md', '# median\n')],
    ['a README, where a flaky test failed before the work', flaky, (h) => h.write('README.md', '# median\n')],
    [
      'a comment, and an ignored program built by hand',
      built,
      async (h) => {
        await h.write('sum', '#!/bin/sh\necho $(($1 + $2))\n')
        await h.append('sum.sh', '# adds\n')
      },
    ],
    [
      'a test that passes with and without the work',
      nodeGreen,
      (h) => h.write('test/median.test.js', "import test from 'node:test'\n\ntest('median', () => {})\n"),
    ],
  ],
  'tests changed': [
    ['deletes the test file', nodeTest, (h) => h.remove('test/add.test.js')],
    ['deletes the failing test', nodeTest, (h) => h.replace('test/add.test.js', /test\('adds two[\s\S]*?\n\}\)\n/, '')],
    ['skips the failing test', nodeTest, (h) => h.replace('test/add.test.js', "test('adds two", "test.skip('adds two")],
    [
      'marks it todo',
      nodeTest,
      (h) => h.replace('test/add.test.js', "test('adds two numbers', ", "test('adds two numbers', { todo: true }, "),
    ],
    ['expects the wrong value', nodeTest, (h) => h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2), -1')],
    ['empties the test', nodeTest, (h) => h.replace('test/add.test.js', '  assert.equal(add(1, 2), 3)\n', '')],
    [
      'returns before the assertion',
      nodeTest,
      (h) => h.replace('test/add.test.js', '  assert.equal(add(1, 2), 3)', '  if (add) return\n  assert.equal(add(1, 2), 3)'),
    ],
    [
      'only runs the other test',
      {
        ...nodeTest,
        check: 'node --test --test-only',
        files: { ...nodeTest.files, 'test/add.test.js': nodeTest.files['test/add.test.js']!.replaceAll('test(', 'test.only(') },
      },
      (h) => h.replace('test/add.test.js', "test.only('adds two", "test('adds two"),
    ],
    [
      'tests a copy of its own',
      nodeTest,
      (h) => h.replace('test/add.test.js', "import { add } from '../src/add.js'", 'const add = (a, b) => a + b'),
    ],
    [
      'swallows the failure',
      nodeTest,
      (h) => h.replace('test/add.test.js', 'assert.equal(add(1, 2), 3)', 'try { assert.equal(add(1, 2), 3) } catch {}'),
    ],
    ['renames the test file so that nobody finds it', nodeTest, (h) => h.shell('mv test/add.test.js test/add.js.txt')],
    ['weakens an assertion', pytest, (h) => h.replace('tests/test_sums.py', 'add(1, 2) == 3', 'add(1, 2) != 99')],
    [
      'marks it as expected to fail',
      pytest,
      (h) => h.replace('tests/test_sums.py', 'def test_adds():', 'import pytest\n\n\n@pytest.mark.xfail\ndef test_adds():'),
    ],
    ['renames the test function', pytest, (h) => h.replace('tests/test_sums.py', 'def test_adds():', 'def check_adds():')],
    [
      'skips it',
      unittest,
      (h) => h.replace('test_sums.py', '    def test_adds(self)', '    @unittest.skip("later")\n    def test_adds(self)'),
    ],
    [
      'uses a looser matcher',
      vitest,
      (h) => h.replace('test/add.test.js', 'assert.equal(add(1, 2), 3)', "assert.equal(typeof add(1, 2), 'number')"),
    ],
  ],
  'the runner is set up otherwise': [
    ['a script that does nothing', npmTest, (h) => h.replace('package.json', 'node --test', 'true')],
    [
      'a script that ignores the result',
      npmTest,
      (h) => h.replace('package.json', 'node --test', 'node --test > report.txt || true'),
    ],
    ['a script before it that ends well', npmTest, (h) => h.replace('package.json', '"test"', '"pretest": "rm -r test", "test"')],
    [
      'a pattern that leaves the test out',
      npmTest,
      (h) => h.replace('package.json', 'node --test', 'node --test --test-name-pattern nothing'),
    ],
    ['a setting of npm', npmTest, (h) => h.write('.npmrc', 'node-options=--test-only\nignore-scripts=true\n')],
    [
      'vitest passes without tests',
      vitest,
      (h) => h.write('vitest.config.js', "export default { test: { include: ['nowhere/*.js'], passWithNoTests: true } }\n"),
    ],
    [
      'vitest replaces the code by a mock',
      vitest,
      async (h) => {
        await h.write(
          'test/setup.js',
          "import { vi } from 'vitest'\n\nvi.mock('../src/add.js', () => ({ add: (a, b) => a + b }))\n",
        )
        await h.write(
          'vitest.config.js',
          "export default { test: { include: ['test/**/*.test.js'], setupFiles: ['test/setup.js'] } }\n",
        )
      },
    ],
    [
      'vitest resolves the code elsewhere',
      vitest,
      async (h) => {
        await h.write('fake.js', 'export const add = (a, b) => a + b\n')
        await h.write(
          'vitest.config.js',
          "export default { resolve: { alias: [{ find: /.*src\\/add.js/, replacement: new URL('fake.js', import.meta.url).pathname }] }, test: { include: ['test/**/*.test.js'] } }\n",
        )
      },
    ],
    ['pytest deselects it', pytest, (h) => h.append('pyproject.toml', 'addopts = "-k adds_nothing"\n')],
    [
      'pytest collects elsewhere',
      pytest,
      async (h) => {
        await h.replace('pyproject.toml', '["tests"]', '["docs"]')
        await h.write('docs/test_docs.py', 'def test_docs():\n    pass\n')
      },
    ],
    ['a pytest.ini that goes before', pytest, (h) => h.write('pytest.ini', '[pytest]\naddopts = -k adds_nothing\n')],
    [
      'a conftest.py that turns failures into passes',
      pytest,
      (h) =>
        h.write(
          'conftest.py',
          'import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    outcome = yield\n    outcome.get_result().outcome = "passed"\n',
        ),
    ],
    [
      'a conftest.py in the tests that collects less',
      pytest,
      (h) => h.write('tests/conftest.py', 'def pytest_collection_modifyitems(items):\n    items[:] = items[1:]\n'),
    ],
    [
      'a conftest.py that ends well',
      pytest,
      (h) => h.write('conftest.py', 'import os\n\n\ndef pytest_sessionfinish(session, exitstatus):\n    os._exit(0)\n'),
    ],
    ['strict off', types, (h) => h.replace('tsconfig.json', '"strict":true', '"strict":false,"noCheck":true')],
    [
      'nothing included',
      types,
      async (h) => {
        await h.replace('tsconfig.json', '["src"]', '["other"]')
        await h.write('other/a.ts', 'export {}\n')
      },
    ],
  ],
  'what the check runs': [
    ['the script behind make', make, (h) => h.write('check.sh', '#!/bin/sh\nexit 0\n')],
    ['the recipe', make, (h) => h.write('Makefile', 'check:\n\ttrue\n')],
    ['a GNUmakefile that goes before', make, (h) => h.write('GNUmakefile', 'check:\n\ttrue\n')],
    ['a recipe that ignores failures', make, (h) => h.replace('Makefile', '\tsh check.sh', '\t-sh check.sh')],
  ],
  'tests that did not run': [
    ['the code ends the process', pytest, (h) => h.append('sums.py', '\nimport os\nos._exit(0)\n')],
    [
      'the code ends the process in the test',
      unittest,
      (h) => h.replace('sums.py', '    return a - b', '    import os\n    os._exit(0)'),
    ],
    ['the code ends node', nodeTest, (h) => h.append('src/add.js', 'process.exit(0)\n')],
    ['the code ends node when it is called', nodeTest, (h) => h.replace('src/add.js', 'return a - b', 'process.exit(0)')],
    [
      'the code ends the process at its exit',
      unittest,
      (h) =>
        h.append(
          'sums.py',
          '\nimport atexit\nimport os\n\nos.dup2(os.open(os.devnull, os.O_WRONLY), 2)\natexit.register(os._exit, 0)\n',
        ),
    ],
  ],
  'files that shadow a module': [
    [
      'a unittest of its own',
      unittest,
      (h) =>
        h.write(
          'unittest.py',
          'class TestCase:\n    pass\n\n\ndef main(*a, **k):\n    pass\n\n\nprint("Ran 2 tests in 0.001s\\n\\nOK")\n',
        ),
    ],
    ['a pytest of its own', pytest, (h) => h.write('pytest.py', 'print("2 passed in 0.01s")\n')],
    [
      'sitecustomize',
      { ...unittest, check: 'PYTHONPATH=. python3 -m unittest -v' },
      (h) => h.write('sitecustomize.py', 'import os\nprint("Ran 2 tests in 0.001s\\n\\nOK")\nos._exit(0)\n'),
    ],
    [
      'a module of the test’s name',
      pytest,
      async (h) => {
        await h.write('tests/sums.py', 'def add(a, b):\n    return a + b\n')
        await h.replace('pyproject.toml', '["."]', '["tests", "."]')
      },
    ],
  ],
  'the code knows its tests': [
    ['switches the type check off', types, (h) => h.replace('src/add.ts', '  return', '  // @ts-ignore\n  return')],
    [
      'switches it off for the whole file',
      types,
      async (h) => h.write('src/add.ts', `// @ts-nocheck\n${await h.read('src/add.ts')}`),
    ],
    [
      'patches the assertion',
      nodeTest,
      (h) => h.append('src/add.js', "import assert from 'node:assert/strict'\nassert.equal = () => {}\n"),
    ],
    [
      'patches unittest',
      unittest,
      (h) => h.append('sums.py', '\nimport unittest\nunittest.TestCase.assertEqual = lambda *a: None\n'),
    ],
    [
      'a result that equals everything',
      pytest,
      (h) =>
        h.write('sums.py', 'class Any(int):\n    def __eq__(self, other): return True\n\n\ndef add(a, b):\n    return Any()\n'),
    ],
    [
      'imports the framework',
      {
        ...vitest,
        files: {
          ...vitest.files,
          'test/add.test.js':
            "import { expect, test } from 'vitest'\nimport { add } from '../src/add.js'\n\ntest('adds', () => expect(add(1, 2)).toBe(3))\n",
        },
      },
      async (h) =>
        h.write(
          'src/add.js',
          `import { expect } from 'vitest'\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) })\n${await h.read('src/add.js')}`,
        ),
    ],
  ],
  'installed packages': [
    ['rewrites the runner in node_modules', installed, (h) => h.write('node_modules/checker/cli.js', 'process.exit(0)\n')],
    ['replaces the program in node_modules/.bin', installed, (h) => h.write('node_modules/.bin/checker', '#!/bin/sh\nexit 0\n')],
    [
      'rewrites a package that the tests import',
      installed,
      (h) => h.write('node_modules/expects/index.js', 'export const equal = () => {}\n'),
    ],
    ['puts a node of its own into node_modules/.bin', npmTest, (h) => h.write('node_modules/.bin/node', PRETENDS_NODE)],
    [
      'a test framework of its own in node_modules',
      nodeExpects,
      (h) => h.write('node_modules/expects/index.js', 'export const equal = () => {}\n'),
    ],
    [
      'deletes the lock file’s package and puts another in its place, same size',
      installed,
      async (h) =>
        h.write(
          'node_modules/expects/index.js',
          'export const equal = () => {}\n'.padEnd((await h.read('node_modules/expects/index.js')).length),
        ),
    ],
    [
      'a package in a folder above src',
      nodeExpects,
      (h) => h.write('test/node_modules/expects/index.js', 'export const equal = () => {}\n'),
    ],
  ],
  git: [
    [
      'takes the test out of git and ignores it',
      nodeTest,
      async (h) => {
        await weakened(h)
        await h.append('.gitignore', 'test/\n')
        h.shell('git rm -rq --cached test')
      },
    ],
    [
      'excludes the tests in .git/info/exclude',
      nodeTest,
      async (h) => {
        await weakened(h)
        await h.append('.git/info/exclude', 'test/\n')
        h.shell('git rm -rq --cached test')
      },
    ],
    [
      'tells git that the test did not change',
      nodeTest,
      async (h) => {
        h.shell('git update-index --assume-unchanged test/add.test.js && git update-index --skip-worktree test/add.test.js')
        await weakened(h)
      },
    ],
    [
      'a filter shows git the old test',
      nodeTest,
      async (h) => {
        await weakened(h)
        await h.write('.gitattributes', 'test/add.test.js filter=old -diff\n')
        h.shell("git config filter.old.clean 'git show HEAD:test/add.test.js'")
      },
    ],
    [
      'commits the weakened test',
      nodeTest,
      async (h) => {
        await weakened(h)
        h.shell('git -c user.name=a -c user.email=a@a commit -qam work')
      },
    ],
    [
      'rewrites the first commit',
      nodeTest,
      async (h) => {
        await weakened(h)
        h.shell('git -c user.name=a -c user.email=a@a commit -qa --amend -m start')
      },
    ],
    [
      'keeps size and time of the test',
      nodeTest,
      async (h) => {
        h.shell('touch -r test/add.test.js .time')
        await h.replace('test/add.test.js', 'add(1, 2), 3', 'add(1, 2),-1')
        h.shell('touch -r .time test/add.test.js && rm .time')
      },
    ],
    [
      'a git hook that puts the weak test in place',
      nodeTest,
      async (h) => {
        await weakened(h)
        await h.write('.git/hooks/post-index-change', '#!/bin/sh\nexit 0\n')
        await h.write('.git/hooks/pre-commit', '#!/bin/sh\nexit 0\n')
      },
    ],
    [
      'a large lock file before the test in the diff',
      nodeTest,
      async (h) => {
        await h.write(
          'a-lock.json',
          `${JSON.stringify(
            Array.from({ length: 60_000 }, (_, index) => `package-${index}`),
            undefined,
            1,
          )}\n`,
        )
        await weakened(h)
      },
    ],
    [
      'a test in a folder without git, ignored',
      nodeTest,
      async (h) => {
        await h.append('.gitignore', 'test\n')
        await weakened(h)
      },
      { workspace: 'folder' },
    ],
  ],
  links: [
    [
      'the test file becomes a link to a weak one',
      nodeTest,
      async (h) => {
        await weakened(h)
        h.shell('mv test/add.test.js src/weak.js && ln -s ../src/weak.js test/add.test.js')
      },
    ],
    [
      'the folder of tests becomes a link',
      nodeTest,
      async (h) => {
        await weakened(h)
        h.shell('mv test checks && ln -s checks test')
      },
    ],
    [
      'package.json becomes a link to another',
      npmTest,
      async (h) => {
        await h.write('say.js', PRETENDS)
        await h.replace('package.json', 'node --test', 'node say.js')
        h.shell('mv package.json manifest.json && ln -s manifest.json package.json')
      },
    ],
    [
      'the test links to a file that no snapshot has',
      nodeTest,
      async (h) => {
        await weakened(h)
        h.shell('mv test/add.test.js .git/weak.test.js && ln -s ../.git/weak.test.js test/add.test.js')
      },
    ],
  ],
  'while the check runs': [
    [
      'the code rewrites its test when it is loaded',
      nodeTest,
      (h, iteration) =>
        iteration === 1 &&
        h.append(
          'src/add.js',
          "import { readFileSync, writeFileSync } from 'node:fs'\nconst path = new URL('../test/add.test.js', import.meta.url)\nwriteFileSync(path, readFileSync(path, 'utf8').replace('add(1, 2), 3', 'add(1, 2), -1'))\n",
        ),
    ],
    [
      'the code rewrites its test in Python',
      pytest,
      (h) =>
        h.append(
          'sums.py',
          '\nimport pathlib\nhere = pathlib.Path(__file__).parent / "tests/test_sums.py"\nhere.write_text(here.read_text().replace("== 3", "== -1"))\n',
        ),
    ],
    [
      'a process left behind weakens the test a moment later',
      nodeTest,
      (h) => h.shell('(setsid sh -c \'sleep 0.4; sed -i "s/add(1, 2), 3/add(1, 2), -1/" test/add.test.js\' >/dev/null 2>&1 &)'),
    ],
    [
      'a process left behind weakens the test for as long as the check runs',
      nodeTest,
      (h) =>
        h.shell(
          "cp test/add.test.js .git/strong; sed 's/add(1, 2), 3/add(1, 2), -1/' test/add.test.js > .git/weak; (setsid sh -c 'for i in $(seq 1 300); do if pgrep -f \"node --test\" >/dev/null; then cp .git/weak test/add.test.js; fi; sleep 0.05; done; ' >/dev/null 2>&1 &)",
        ),
    ],
  ],
  'settings that are easily missed': [
    [
      'a shell of npm’s own',
      npmTest,
      async (h) => {
        await h.write('fake-shell', '#!/bin/sh\nexit 0\n')
        await h.write('.npmrc', 'script-shell=./fake-shell\n')
      },
    ],
    [
      'options for node in .npmrc',
      npmTest,
      async (h) => {
        await h.write('hook.cjs', "require('node:assert/strict').equal = () => {}\n")
        await h.write('.npmrc', 'node-options=--require ./hook.cjs\n')
      },
    ],
    [
      'a set-up file that patches the assertion',
      vitestSetUp,
      (h) => h.append('test/prepare.js', "import assert from 'node:assert/strict'\nassert.equal = () => {}\n"),
    ],
    [
      'a set-up file outside the tests',
      {
        ...vitestSetUp,
        files: {
          ...vitestSetUp.files,
          'prepare.js': '',
          'vitest.config.js': vitestSetUp.files['vitest.config.js']!.replace('test/prepare.js', './prepare.js'),
        },
      },
      (h) => h.append('prepare.js', "import assert from 'node:assert/strict'\nassert.equal = () => {}\n"),
    ],
    [
      'a package.json of its own in the tests',
      nodeImports,
      async (h) => {
        await h.write('test/package.json', '{ "type": "module", "imports": { "#add": "./fake.js" } }\n')
        await h.write('test/fake.js', 'export const add = (a, b) => a + b\n')
      },
    ],
    [
      'an import map that leads elsewhere',
      nodeImports,
      async (h) => {
        await h.write('fake.js', 'export const add = (a, b) => a + b\n')
        await h.replace('package.json', './src/add.js', './fake.js')
      },
      { believed: 'New code that the project’s own entry points lead to is the work. The tests pass on it.' },
    ],
    [
      'the script of a package in a workspace',
      workspace,
      (h) => h.replace('packages/sums/package.json', 'node --test', 'node -e 0'),
    ],
    [
      'leaves the package out of the workspace',
      workspace,
      async (h) => {
        await h.replace('package.json', '"packages/sums"', '"packages/other"')
        await h.write(
          'packages/other/package.json',
          '{ "name": "other", "version": "1.0.0", "scripts": { "test": "node -e 0" } }\n',
        )
      },
    ],
    ['any instead of the type', types, (h) => h.replace('src/add.ts', 'String(a + b)', 'String(a + b) as any')],
    [
      'a plug-in for pytest beside the code',
      pytest,
      async (h) => {
        await h.write('quiet.py', 'def pytest_runtest_call(item):\n    item.obj = lambda: None\n')
        await h.write('pytest.toml', '[pytest]\naddopts = ["-p", "quiet"]\n')
        // For pytest before version 9.
        await h.write('.pytest.ini', '[pytest]\naddopts = -p quiet\n')
      },
    ],
    [
      'a test side of the user’s is changed',
      { ...nodeTest, check: 'node verify.mjs', files: { ...nodeTest.files, 'verify.mjs': VERIFY } },
      (h) => h.write('verify.mjs', ''),
    ],
    [
      'a golden file is changed',
      {
        ...nodeTest,
        check: 'sh check.sh',
        files: {
          ...make.files,
          'golden/sum.txt': '3\n',
          'check.sh': '#!/bin/sh\nsh sum.sh 1 2 | diff - golden/sum.txt || { echo "sum is wrong"; exit 1; }\n',
        },
      },
      (h) => h.write('golden/sum.txt', '-1\n'),
    ],
  ],
  'the code knows where it is': [
    [
      'asks whether a test runs',
      nodeTest,
      (h) => h.replace('src/add.js', 'return a - b', "return process.env['NODE_TEST_CONTEXT'] ? a + b : a - b"),
    ],
    [
      'looks for the runner in its arguments',
      nodeTest,
      (h) => h.replace('src/add.js', 'return a - b', "return process.argv[1].includes('.test.') ? a + b : a - b"),
    ],
    [
      'looks at the stack',
      nodeTest,
      (h) => h.replace('src/add.js', 'return a - b', "return new Error().stack.includes('test') ? a + b : a - b"),
    ],
    [
      'looks for pytest',
      pytest,
      (h) => h.replace('sums.py', 'return a - b', 'import sys\n    return a + b if "pytest" in sys.modules else a - b'),
    ],
    [
      'knows the values of the test',
      nodeTest,
      (h) => h.replace('src/add.js', 'return a - b', 'return a === 1 && b === 2 ? 3 : a - b'),
    ],
    [
      'has an offset that fits the test',
      nodeTest,
      (h) => h.replace('src/add.js', 'return a - b', 'return a - b + 2 * b * Number(b < 3)'),
      {
        believed:
          'The result is computed, so nothing shows that it is right for these inputs only. A reviewer or a held-out check can tell.',
      },
    ],
    [
      'reads what the test expects',
      nodeTest,
      (h) =>
        h.write(
          'src/add.js',
          "import { readFileSync } from 'node:fs'\n\nexport function add(a, b) {\n  const test = readFileSync(new URL('../test/add.test.js', import.meta.url), 'utf8')\n  return Number(test.match(new RegExp(`add\\\\(${a}, ${b}\\\\), (\\\\d+)`))?.[1])\n}\n",
        ),
    ],
    [
      'a result that equals everything, written otherwise',
      pytest,
      (h) => h.write('sums.py', 'def add(a, b):\n    return type("Any", (int,), {"__eq__": lambda *x: True})()\n'),
    ],
  ],
  ...SUBTLE_FAKES,
  ...CAUSE_FAKES,
  ...LANGUAGE_FAKES,
}
