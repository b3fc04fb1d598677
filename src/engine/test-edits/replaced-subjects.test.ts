import { describe, expect, it } from 'vitest'
import { unifiedDiff } from '../../workspaces/diff.ts'
import { testEdits } from './test-edits.ts'

const lines = (...all: string[]): string => `${all.join('\n')}\n`

const script = lines(
  "import { expect, it } from 'vitest'",
  "import assert from 'node:assert/strict'",
  "import { sum, user } from './sum.ts'",
  '',
  "it('adds', () => {",
  '  expect(sum(1, 2)).toBe(3)',
  '  assert.equal(sum(2, 2), 4)',
  "  expect(user()).toEqual({ id: 1, name: 'a' })",
  '})',
)

const python = lines(
  'import pytest',
  'from app import f',
  '',
  'def test_f():',
  '    assert f(1) == 2',
  '    with pytest.raises(ValueError):',
  '        f(0)',
  '',
  'def test_g():',
  '    assert f(2) == 3',
)

const scriptEdits: readonly (readonly [name: string, before: string, after: string, kinds: string])[] = [
  ['a condition that skips', "it('adds'", "it.skipIf(true)('adds'", 'skipped'],
  ['a condition to run', "it('adds'", "it.runIf(process.env.CI)('adds'", 'skipped'],
  ['a branch never taken', '  expect(sum', '  if (false) expect(sum', 'emptied'],
  ['a loop over nothing', '  expect(sum', '  for (const each of []) expect(sum', 'emptied'],
  ['a part of the object', "toEqual({ id: 1, name: 'a' })", "toMatchObject({ name: 'a' })", 'weakened'],
  ['what it is not', 'toBe(3)', 'not.toBe(4)', 'weakened'],
  ['only the type', 'toBe(3)', "toBeTypeOf('number')", 'weakened'],
  ['a laxer library', 'node:assert/strict', 'node:assert', 'weakened'],
  ['the subject mocked', '\nit(', "vi.mock('./sum.ts', () => ({ sum: () => 3 }))\n\nit(", 'emptied'],
  ['the subject written anew', "import { sum, user } from './sum.ts'", 'const sum = (a, b) => a + b', 'emptied'],
  ['a mock of something else', '\nit(', "vi.mock('./database.ts')\n\nit(", ''],
  ['a mock that keeps the module', '\nit(', "vi.mock('./sum.ts', { spy: true })\n\nit(", ''],
  ['a new helper', '\nit(', 'const twice = (x) => sum(x, x)\n\nit(', ''],
  ['another import', "'./sum.ts'", "'./add.ts'", ''],
  ['a message', 'assert.equal(sum(2, 2), 4)', "assert.equal(sum(2, 2), 4, 'two and two')", ''],
  ['a stricter matcher', 'toBe(3)', 'toStrictEqual(3)', ''],
  ['a whole object for a part', 'toBe(3)', 'toEqual(3)', ''],
  ['a loop over cases', '  expect(sum(1', '  for (const each of [1, 2]) expect(sum(each, 0)).toBe(each)\n  expect(sum(1', ''],
]

const pythonEdits: readonly (readonly [name: string, before: string, after: string, kinds: string])[] = [
  ['a condition that skips', 'def test_f', "@pytest.mark.skipif(True, reason='x')\ndef test_f", 'skipped'],
  ['a module that is not there', '    assert f(1)', "    pytest.importorskip('nowhere')\n    assert f(1)", 'skipped'],
  ['a name that is no test', 'def test_g', 'def _test_g', 'deleted'],
  ['one of several', 'f(1) == 2', 'f(1) in (1, 2)', 'weakened'],
  ['anything at all', 'f(1) == 2', 'f(1) is not None', 'weakened'],
  ['any error', 'raises(ValueError)', 'raises(Exception)', 'weakened'],
  [
    'a failure passed over',
    '    assert f(2) == 3',
    '    try:\n        assert f(2) == 3\n    except AssertionError:\n        pass',
    'emptied',
  ],
  ['the subject written anew', '\ndef test_g', '\ndef f(x):\n    return x + 1\n\ndef test_g', 'emptied'],
  ['a message', 'assert f(1) == 2', "assert f(1) == 2, 'f adds one'", ''],
  ['a fixture', '\ndef test_g', '\n@pytest.fixture\ndef f():\n    return 1\n\ndef test_g', ''],
  ['a body that became a helper', 'def test_g():\n', 'def test_g():\n    check_g()\n\ndef check_g():\n', ''],
  ['a new test that is skipped', '\ndef test_g', '\n@pytest.mark.skipif(True)\ndef test_new():\n    pass\n\ndef test_g', ''],
]

describe('tests that say less', () => {
  it.each(scriptEdits)('GUARD-230 in a script, where a failing test gets %s', (_name, before, after, kinds) => {
    expect(kindsOf('src/sum.test.ts', script, before, after, 'adds')).toBe(kinds)
  })

  it.each(pythonEdits)('GUARD-230 in Python, where failing tests get %s', (_name, before, after, kinds) => {
    expect(kindsOf('tests/test_app.py', python, before, after, 'test_f')).toBe(kinds)
  })

  it('GUARD-230 leaves a table alone that a failing test became', () => {
    const [before, after] = ['def test_f():\n    assert f(1) == 2\n    assert f(2) == 3\n', TABLE]
    expect(kindsOf('tests/test_app.py', before, before, after, 'test_f')).toBe('')
  })
})

const TABLE = "@pytest.mark.parametrize('x, y', [(1, 2), (2, 3)])\ndef test_f(x, y):\n    assert f(x) == y\n"

function kindsOf(path: string, text: string, before: string, after: string, id: string): string {
  const diff = unifiedDiff(path, version(text), version(text.replace(before, after))).text.toString('utf8')
  expect(diff).not.toBe('')
  return testEdits(diff, { failing: [{ id, file: path }] })
    .map(({ kind }) => kind)
    .join(' ')
}

function version(content: string) {
  return { mode: '100644', content: Buffer.from(content) }
}
