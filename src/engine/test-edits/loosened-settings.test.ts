import { expect, it } from 'vitest'
import { unifiedDiff } from '../../workspaces/diff.ts'
import { testEdits } from './test-edits.ts'

const scripts = (command: string): string => `{\n  "scripts": {\n    "test": "${command}"\n  }\n}\n`
const config = (settings: string): string => `export default {\n  test: { ${settings} },\n}\n`

it.each<[string, string, string | undefined, string]>([
  ['a script for one name', 'package.json', scripts('vitest run'), scripts('vitest run -t adds')],
  ['a script for one file', 'package.json', scripts('node --test test/'), scripts('node --test test/other.test.js')],
  ['a script that tests nothing', 'package.json', scripts('vitest run'), scripts('node -e 0')],
  ['a list of one file', 'vitest.config.ts', config(''), config("include: ['src/other.test.ts']")],
  ['a new list of one file', 'vitest.config.ts', undefined, config("include: ['src/other.test.ts']")],
  ['errors that do not count', 'vitest.config.ts', config(''), config('dangerouslyIgnoreUnhandledErrors: true')],
  ['names of one test', 'pytest.ini', '[pytest]\n', '[pytest]\npython_functions = test_g\n'],
  ['an option for one name', 'pytest.ini', '[pytest]\n', '[pytest]\naddopts = -q -k test_g\n'],
  ['a hook that leaves tests out', 'conftest.py', '', 'def pytest_collection_modifyitems(items):\n    items[:] = items[:1]\n'],
  ['a hook that skips', 'conftest.py', '', 'def hook(items):\n    for i in items: i.add_marker(pytest.mark.skip)\n'],
  ['a hook that calls all passed', 'conftest.py', '', 'def hook(o):\n    o.get_result().outcome = "passed"\n'],
])('GUARD-231 %s is held against the agent', (_name, path, before, after) => {
  expect(edits(path, before, after).map(({ kind }) => kind)).toEqual(['weakened'])
})

it.each<[string, string, string | undefined, string]>([
  ['a script with a step before', 'package.json', scripts('vitest run'), scripts('tsc --noEmit && vitest run')],
  ['a script with one more file', 'package.json', scripts('node --test a.test.js'), scripts('node --test a.test.js b.test.js')],
  ['another runner', 'package.json', scripts('jest'), scripts('vitest run')],
  ['a list of patterns', 'vitest.config.ts', config(''), config("include: ['src/**/*.test.ts']")],
  [
    'one more file in a list',
    'vitest.config.ts',
    config("include: ['a.test.ts']"),
    config("include: ['a.test.ts', 'b.test.ts']"),
  ],
  ['patterns of names', 'pytest.ini', '[pytest]\n', '[pytest]\npython_functions = test_* check_*\n'],
  ['a fixture', 'conftest.py', '', '@pytest.fixture\ndef items():\n    return [1]\n'],
])('GUARD-231 %s is not', (_name, path, before, after) => {
  expect(edits(path, before, after)).toEqual([])
})

function edits(path: string, before: string | undefined, after: string) {
  return testEdits(unifiedDiff(path, version(before), version(after)).text.toString('utf8'))
}

function version(text: string | undefined) {
  return text === undefined ? undefined : { mode: '100644', content: Buffer.from(text) }
}
