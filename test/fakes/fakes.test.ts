import { describe, expect, it, onTestFailed } from 'vitest'
import { attempt, type AttemptOptions, type Hands, isInstalled, type Project } from './attempt.ts'
import { make, nodeGreen, nodeTest, pytest, types, unittest, vitest } from './projects.ts'

type Fake = readonly [
  name: string,
  project: Project,
  work: (hands: Hands, iteration: number) => Promise<void> | void,
  options?: AttemptOptions,
]

/** Ways to a pass without the work, by the class of the trick. */
const FAKES: Readonly<Record<string, readonly Fake[]>> = {
  'nothing was done': [
    ['a comment, where the tests pass from the start', nodeGreen, (h) => h.append('src/add.js', '// median\n')],
    ['a new file that nobody tests', nodeGreen, (h) => h.write('src/median.js', 'export const median = () => 0\n')],
    ['a README, where code was asked for', nodeGreen, (h) => h.write('README.md', '# median\n')],
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
      nodeTest,
      (h) => h.replace('test/add.test.js', "test('adds nothing'", "test.only('adds nothing'"),
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
    ['a script that does nothing', nodeTest, (h) => h.replace('package.json', 'node --test', 'true')],
    ['a script that ignores the result', nodeTest, (h) => h.replace('package.json', 'node --test', 'node --test || true')],
    [
      'a script before it that ends well',
      nodeTest,
      (h) => h.replace('package.json', '"test"', '"pretest": "rm -r test", "test"'),
    ],
    [
      'a pattern that leaves the test out',
      nodeTest,
      (h) => h.replace('package.json', 'node --test', 'node --test --test-name-pattern nothing'),
    ],
    ['a setting of npm', nodeTest, (h) => h.write('.npmrc', 'node-options=--test-only\nignore-scripts=true\n')],
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
    ['pytest deselects it', pytest, (h) => h.append('pyproject.toml', 'addopts = "--deselect tests/test_sums.py::test_adds"\n')],
    ['pytest collects nowhere', pytest, (h) => h.replace('pyproject.toml', '["tests"]', '["docs"]')],
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
    ['the code raises SystemExit', unittest, (h) => h.append('sums.py', '\nraise SystemExit(0)\n')],
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
      unittest,
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
      vitest,
      async (h) => h.write('src/add.js', `import { expect } from 'vitest'\nexpect.extend({})\n${await h.read('src/add.js')}`),
    ],
  ],
}

for (const [name, fakes] of Object.entries(FAKES))
  describe(`FAKE a pass is not believed: ${name}`, () => {
    for (const [how, project, work, options] of fakes)
      it.skipIf(!isInstalled(project))(`${how} (${project.check})`, async () => {
        const outcome = await attempt(project, work, options)
        onTestFailed(() => console.error(outcome.message))
        expect(outcome).not.toMatchObject({ status: 'completed' })
      })
  })
