import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EditedFile, type FailingTest, testEdits } from './test-edits.ts'

/** What a file was and is; `undefined` for none. */
type Versions = readonly [before: string | undefined, after: string | undefined]

const side = (text: string) => text.split('\n').map((each, index) => ({ line: index + 1, text: each }))

function edited(files: Readonly<Record<string, Versions>>): readonly EditedFile[] {
  return Object.entries(files).map(([path, [before, now]]) => ({
    path,
    ...(before === undefined ? {} : { before: side(before) }),
    ...(now === undefined ? {} : { now: side(now) }),
  }))
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`
const within = (text: string): string => lines('before()', 'more()', `  ${text}`, 'after()')
const shown = (files: Readonly<Record<string, Versions>>, failing?: readonly FailingTest[]): string[] =>
  testEdits(edited(files), failing).map(
    ({ kind, file, line, lines: [text = ''] }) => `${kind} ${file}:${line ?? ''} ${text.trim()}`,
  )

const head = lines("import { expect, it } from 'vitest'", "import { add } from './add.ts'", '')
const adds = lines("it('adds', () => {", '  const sum = add(1, 2)', '  expect(sum).toBe(3)', '})')
const negative = lines("it('adds negative numbers', () => {", '  expect(add(-1, -2)).toBe(-3)', '})')
const python = lines('import shop', '', 'def test_total():', '    cart = shop.cart()', '    assert cart.total == 12', '')
const goTest = lines(
  'package a',
  '',
  'func TestAdd(t *testing.T) {',
  '\tif add(1, 2) != 3 {',
  '\t\tt.Errorf("wrong")',
  '\t}',
  '}',
)
const rustTest = lines(
  'fn add() {}',
  '',
  '#[cfg(test)]',
  'mod tests {',
  '    #[test]',
  '    fn adds() {',
  '        assert_eq!(add(1, 2), 3);',
  '    }',
  '}',
)
const javaTest = lines('class AddTest {', '  @Test', '  public void adds() {', '    assertEquals(3, add(1, 2));', '  }', '}')
const rubyTest = lines("describe 'add' do", "  it 'adds' do", '    expect(add(1, 2)).to eq(3)', '  end', 'end')
const script = lines('{', '  "scripts": {', '    "test": "vitest run"', '  }', '}')

describe('testEdits', () => {
  it.each<[string, Record<string, Versions>, string[]]>([
    ['a test file deleted', { 'src/add.test.ts': [head + adds, undefined] }, ["deleted src/add.test.ts:4 it('adds', () => {"]],
    [
      'a test file renamed away',
      { 'add.test.ts': [head + adds, undefined], 'add.test.ts.off': [undefined, head + adds] },
      ["deleted add.test.ts:4 it('adds', () => {"],
    ],
    [
      'a test case removed',
      { 'add.test.ts': [head + adds + negative, head + adds] },
      ["deleted add.test.ts:8 it('adds negative numbers', () => {"],
    ],
    [
      'a test commented out',
      { 'add.test.ts': [head + adds, head + adds.replaceAll(/^/gm, '// ')] },
      ["deleted add.test.ts:4 it('adds', () => {"],
    ],
    [
      'a python test removed',
      { 'tests/test_shop.py': [python + python.replace('test_total', 'test_other'), python] },
      ['deleted tests/test_shop.py:9 def test_other():'],
    ],
    ['a Rust unit test removed from the code', { 'src/lib.rs': [rustTest, 'fn add() {}\n'] }, ['deleted src/lib.rs:5 #[test]']],
    [
      'a Rust test without its attribute',
      { 'src/lib.rs': [rustTest, rustTest.replace('    #[test]\n', '')] },
      ['deleted src/lib.rs:5 #[test]'],
    ],
  ])('GUARD-200 finds what is deleted: %s', (_name, files, expected) => {
    expect(shown(files)).toEqual(expected)
  })

  const skips: [string, string, string, string][] = [
    ['it.skip', 'a.test.ts', adds, adds.replace('it(', 'it.skip(')],
    ['xit', 'a.spec.js', adds, adds.replace('it(', 'xit(')],
    ['test.fixme', 'e2e/a.spec.ts', adds.replace('it(', 'test('), adds.replace('it(', 'test.fixme(')],
    ['it.todo', 'a.test.ts', adds, "it.todo('adds')\n"],
    ['an option', 'test/a.js', adds, adds.replace("'adds', ", "'adds', { skip: true }, ")],
    ['describe.skip', 'a.test.ts', `describe('add', () => {\n${adds}})\n`, `describe.skip('add', () => {\n${adds}})\n`],
    ['a wrapper that is skipped', 'a.test.ts', head + adds, `${head}describe.skip('later', () => {\n${adds}})\n`],
    ['t.skip within', 'test/a.mjs', adds, adds.replace('  const', '  t.skip()\n  const')],
    ['pytest.mark.skip', 'test_a.py', python, python.replace('def', '@pytest.mark.skip(reason="slow")\ndef')],
    ['pytest.mark.xfail', 'test_a.py', python, python.replace('def', '@pytest.mark.xfail\ndef')],
    ['unittest.skip', 'test_a.py', python, python.replace('def', '@unittest.skip("x")\ndef')],
    ['self.skipTest', 'test_a.py', python, python.replace('    cart', '    self.skipTest("x")\n    cart')],
    ['t.Skip', 'a_test.go', goTest, goTest.replace('\tif', '\tt.Skip("later")\n\tif')],
    ['ignore', 'src/lib.rs', rustTest, rustTest.replace('    fn adds', '    #[ignore]\n    fn adds')],
    ['Disabled', 'src/AddTest.java', javaTest, javaTest.replace('  @Test', '  @Disabled("x")\n  @Test')],
    ['Ignore', 'src/AddTest.kt', javaTest, javaTest.replace('  @Test', '  @Ignore\n  @Test')],
    ['xit in Ruby', 'spec/add_spec.rb', rubyTest, rubyTest.replace(' it ', ' xit ')],
    ['pending', 'spec/add_spec.rb', rubyTest, rubyTest.replace('    expect', "    pending 'x'\n    expect")],
    ['skip in a Perl test', 't/a.t', "ok(1, 'x');\n", "plan skip_all => 'x';\nok(1, 'x');\n"],
    [
      'Ignore in C#',
      'AddTests.cs',
      '[Test]\npublic void Adds()\n{\n  Assert.Equal(3, Add());\n}\n',
      '[Ignore("x")]\n[Test]\npublic void Adds()\n{\n  Assert.Equal(3, Add());\n}\n',
    ],
  ]
  it.each(skips)('GUARD-201 finds what is skipped: %s', (_name, path, before, after) => {
    const found = testEdits(edited({ [path]: [before, after] }))
    expect(found.filter(({ kind }) => kind === 'skipped')).toHaveLength(1)
    expect(found.filter(({ kind }) => kind === 'deleted')).toEqual([])
    expect(after).toContain(found[0]?.lines[0])
  })

  it.each([
    ['it.only', 'a.test.ts', adds, adds.replace('it(', 'it.only(')],
    ['describe.only around', 'a.test.ts', adds, `describe.only('x', () => {\n${adds}})\n`],
    ['fit', 'a.spec.js', adds, adds.replace('it(', 'fit(')],
    ['fdescribe in Ruby', 'spec/a_spec.rb', rubyTest, rubyTest.replace('describe', 'fdescribe')],
  ])('GUARD-201 finds what is focused: %s', (_name, path, before, after) => {
    expect(testEdits(edited({ [path]: [before, after] })).map(({ kind }) => kind)).toEqual(['focused'])
  })

  it.each<[string, string, string, string, string]>([
    ['its assertion is gone', 'a.test.ts', adds, adds.replace('  expect(sum).toBe(3)\n', ''), 'a.test.ts:3 expect(sum).toBe(3)'],
    ['its assertion is a comment', 'a.test.ts', adds, adds.replace('  expect', '  // expect'), 'a.test.ts:3 expect(sum).toBe(3)'],
    ['its body is gone', 'a.test.ts', adds, "it('adds', () => {\n})\n", 'a.test.ts:3 expect(sum).toBe(3)'],
    ['nothing between its braces', 'a.test.ts', adds, "it('adds', () => {})\n", 'a.test.ts:3 expect(sum).toBe(3)'],
    [
      'only pass is left',
      'test_a.py',
      python,
      python.replace(/ {4}cart = [^]*12/, '    pass'),
      'test_a.py:5 assert cart.total == 12',
    ],
    ['a Go test that only logs', 'a_test.go', goTest, goTest.replace('t.Errorf', 't.Logf'), 'a_test.go:5 t.Errorf("wrong")'],
  ])('GUARD-202 finds what is emptied: %s', (_name, path, before, after, expected) => {
    expect(shown({ [path]: [before, after] })).toEqual([`emptied ${expected}`])
  })

  it.each<[string, string, string, string]>([
    ['toBeDefined', 'a.test.ts', 'expect(sum).toBe(3)', 'expect(sum).toBeDefined()'],
    ['toBeTruthy', 'a.test.ts', 'expect(sum).toEqual({ a: 1 })', 'expect(sum).toBeTruthy()'],
    ['anything', 'a.test.ts', 'expect(sum).toEqual({ a: 1 })', 'expect(sum).toEqual(expect.anything())'],
    ['the contrary', 'a.test.ts', 'expect(sum).toBe(3)', 'expect(sum).not.toBe(3)'],
    ['true is true', 'a.test.ts', 'expect(sum).toBe(3)', 'expect(true).toBe(true)'],
    ['node assert', 'test/a.js', 'assert.equal(sum, 3)', 'assert.ok(sum)'],
    ['chai', 'test/a.js', 'expect(sum).to.equal(3)', 'expect(sum).to.exist'],
    ['assert x', 'test_a.py', 'assert sum == 3', 'assert sum'],
    ['assert True', 'test_a.py', 'assert sum == 3', 'assert True'],
    ['is not None', 'test_a.py', 'assert sum == 3', 'assert sum is not None'],
    ['assertIsNotNone', 'test_a.py', 'self.assertEqual(sum, 3)', 'self.assertIsNotNone(sum)'],
    ['the contrary in Python', 'test_a.py', 'assert sum == 3', 'assert sum != 3'],
    ['be_truthy', 'spec/a_spec.rb', 'expect(sum).to eq(3)', 'expect(sum).to be_truthy'],
    ['assertNotNull', 'src/AddTest.java', 'assertEquals(3, sum);', 'assertNotNull(sum);'],
    ['assert!', 'tests/add.rs', 'assert_eq!(sum, 3);', 'assert!(true);'],
    ['testify', 'a_test.go', 'assert.Equal(t, 3, sum)', 'assert.NotNil(t, sum)'],
  ])('GUARD-203 finds an assertion that is looser: %s', (_name, path, old, now) => {
    expect(shown({ [path]: [within(old), within(now)] })).toEqual([`weakened ${path}:3 ${old} → ${now}`])
  })

  it.each<[string, Record<string, Versions>, string]>([
    [
      '|| true',
      { 'package.json': [script, script.replace('run"', 'run || true"')] },
      'package.json:3 "test": "vitest run || true"',
    ],
    [
      'no tests are fine',
      { 'package.json': [script, script.replace('run"', 'run --passWithNoTests"')] },
      'package.json:3 "test": "vitest run --passWithNoTests"',
    ],
    [
      'a script that only speaks',
      { 'package.json': [script, script.replace('vitest run', 'echo ok')] },
      'package.json:3 "test": "echo ok"',
    ],
    ['a Makefile', { Makefile: ['test:\n\tpytest\n', 'test:\n\tpytest || true\n'] }, 'Makefile:2 pytest || true'],
    [
      'CI',
      { '.github/workflows/ci.yml': ['steps:\n  - run: npm test\n', 'steps:\n  - run: npm test\n    continue-on-error: true\n'] },
      '.github/workflows/ci.yml:3 continue-on-error: true',
    ],
    [
      'vitest leaves a test out',
      { 'vitest.config.ts': ['a({\n})\n', "a({\n  exclude: ['src/login.test.ts'],\n})\n"] },
      "vitest.config.ts:2 exclude: ['src/login.test.ts'],",
    ],
    [
      'jest leaves tests out',
      { 'jest.config.js': ['a({\n})\n', "a({\n  testPathIgnorePatterns: ['/node_modules/', 'login'+'.test.js'],\n})\n"] },
      "jest.config.js:2 testPathIgnorePatterns: ['/node_modules/', 'login'+'.test.js'],",
    ],
    [
      'pytest leaves a test out',
      { 'pytest.ini': ['[pytest]\n', '[pytest]\naddopts = --deselect tests/test_a.py::test_b\n'] },
      'pytest.ini:2 addopts = --deselect tests/test_a.py::test_b',
    ],
    [
      'a snapshot is rewritten',
      { 'src/__snapshots__/a.test.ts.snap': ['exports[`a`] = `3`\n', 'exports[`a`] = `4`\n'] },
      'src/__snapshots__/a.test.ts.snap:1 exports[`a`] = `3`',
    ],
  ])('GUARD-204 finds settings that let everything pass: %s', (_name, files, expected) => {
    expect(shown(files)).toEqual([`weakened ${expected}`])
  })

  it.each([
    ['a.test.ts', adds, adds.replace('  const', '  process.exit(0)\n  const')],
    ['test_a.py', python, python.replace('import shop', 'import shop, os\nos._exit(0)')],
  ])('GUARD-204 finds a process that ends well before its tests ran: %s', (path, before, after) => {
    expect(testEdits(edited({ [path]: [before, after] }))).toMatchObject([{ kind: 'weakened', file: path }])
  })

  it('GUARD-205 another expected value is suspicious in a test that failed, and only there', () => {
    const files = { 'src/add.test.ts': [head + adds, head + adds.replace('toBe(3)', 'toBe(4)')] } as const
    expect(shown(files)).toEqual([])
    expect(shown(files, [{ id: 'add > multiplies' }])).toEqual([])
    const found = ['weakened src/add.test.ts:6 expect(sum).toBe(3) → expect(sum).toBe(4)']
    expect(shown(files, [{ id: 'src/add.test.ts > adds' }])).toEqual(found)
    const untitled = { 'a.test.ts': ['expect(sum).toBe(3)\n', 'expect(sum).toBe(4)\n'] } as const
    expect(shown(untitled, [{ id: 'unknown', file: '/tmp/x/a.test.ts', line: 2 }])).toHaveLength(1)
    expect(shown(untitled, [{ id: 'unknown', file: 'b.test.ts', line: 2 }])).toEqual([])
  })
})

describe('testEdits leaves alone', () => {
  const parameters = lines(
    'it.each([',
    '  [1, 2, 3],',
    "])('adds %i and %i', (a, b, sum) => {",
    '  expect(add(a, b)).toBe(sum)',
    '})',
  )
  const helper = lines(
    'function checkSum(a, b, sum) {',
    '  expect(add(a, b)).toBe(sum)',
    '}',
    "it('adds', () => {",
    '  checkSum(1, 2, 3)',
    '})',
  )
  it.each<[string, Record<string, Versions>]>([
    ['a new test file', { 'src/add.test.ts': [undefined, head + adds + negative], 'src/add.ts': ['a\n', 'b\n'] }],
    ['a new test in an old file', { 'src/add.test.ts': [head + adds, head + adds + negative] }],
    ['a new test before an old one', { 'src/add.test.ts': [head + adds, head + negative + adds] }],
    [
      'a new test that is skipped or planned',
      { 'a.test.ts': [head + adds, head + adds + negative.replace('it(', 'it.skip(') + "it.todo('zero')\n"] },
    ],
    [
      'a new Python test that is skipped',
      { 'test_a.py': [python, `${python}\n@pytest.mark.skip\ndef test_new():\n    assert new() == 1\n`] },
    ],
    ['a test moved within its file', { 'a.test.ts': [head + adds + negative, head + negative + adds] }],
    [
      'a test moved to another file',
      { 'a.test.ts': [head + adds + negative, head + adds], 'b.test.ts': [undefined, head + negative] },
    ],
    ['a test file renamed', { 'a.test.ts': [head + adds, undefined], 'test/sum.test.ts': [undefined, head + adds] }],
    [
      'a test put into a group',
      { 'a.test.ts': [head + adds, `${head}describe('add', () => {\n${adds.replaceAll(/^(?=.)/gm, '  ')}})\n`] },
    ],
    ['a test with another title', { 'a.test.ts': [head + adds, head + adds.replace("'adds'", "'gives the sum'")] }],
    [
      'a test with another title and a sharper assertion',
      { 'a.test.ts': [adds, adds.replace("'adds'", "'adds two numbers'").replace('toBe(3)', 'toStrictEqual(3)')] },
    ],
    [
      'quotes, semicolons and lines changed by a formatter',
      {
        'a.test.ts': [
          head + adds,
          (head + adds).replaceAll("'", '"').replace('expect(sum).toBe(3)', 'expect(\n    sum,\n  ).toBe(3);'),
        ],
      },
    ],
    ['indentation', { 'a.test.ts': [adds, adds.replaceAll('  ', '\t')] }],
    ['a sharper assertion', { 'a.test.ts': [adds.replace('toBe(3)', 'toBeDefined()'), adds] }],
    ['a longer assertion', { 'a.test.ts': [adds, adds.replace('  expect', '  expect(sum).toBeGreaterThan(2)\n  expect')] }],
    ['an expected value in a test that did not fail', { 'a.test.ts': [adds, adds.replace('(3)', '(4)')] }],
    ['several tests made into a table', { 'a.test.ts': [head + adds + negative, head + parameters] }],
    ['assertions put into a helper', { 'a.test.ts': [head + adds, head + helper] }],
    ['a skip that is lifted', { 'a.test.ts': [adds.replace('it(', 'it.skip('), adds] }],
    [
      'the reason of a skip',
      {
        'test_a.py': [python.replace('def', '@pytest.mark.skip("a")\ndef'), python.replace('def', '@pytest.mark.skip("b")\ndef')],
      },
    ],
    ['a fit that is no test', { 'tests/test_model.py': [python, python.replace('    cart', '    model.fit(x)\n    cart')] }],
    [
      'a return within a callback',
      { 'a.test.ts': [adds, adds.replace('  const', '  const x = list.map((each) => {\n    return\n  })\n  const')] },
    ],
    [
      'code that asserts',
      { 'src/add.rs': ['fn a() {\n    assert!(x == 1);\n}\n', 'fn a() {\n}\n'], 'src/b.py': ['assert x == 1\n', 'y\n'] },
    ],
    ['data of tests', { 'test/fixtures/a.json': ['1\n', undefined], 'tests/data.txt': ['a\n', undefined] }],
    ['a helper that nobody needs any more', { 'test/helper.ts': ['export const a = 1\n', undefined] }],
    [
      'another script of a package',
      { 'package.json': [script, script.replace('"scripts": {', '"scripts": {\n    "clean": "rm -r dist || true",')] },
    ],
    ['another test command', { 'package.json': [script, script.replace('vitest run', 'vitest run --coverage')] }],
    [
      'folders without tests left out',
      { 'vitest.config.ts': ['a({\n})\n', "a({\n  exclude: ['**/node_modules/**', 'dist'],\n})\n"] },
    ],
    [
      'files left out of the coverage',
      { 'vitest.config.ts': ['a({\n})\n', "a({\n  coverage: {\n    exclude: ['src/x.test.ts'],\n  },\n})\n"] },
    ],
    ['a new snapshot', { '__snapshots__/a.test.ts.snap': ['exports[`a`] = `3`\n', 'exports[`a`] = `3`\nexports[`b`] = `4`\n'] }],
    ['code', { 'src/a.ts': ['const a = it.skip\n', 'expect.only\n'], 'README.md': ['it(\n', ''] }],
  ])('GUARD-206 %s', (_name, files) => {
    expect(shown(files)).toEqual([])
  })

  it('GUARD-207 reads any edit of any lines without an error', () => {
    const line = fc.constantFrom(
      ...(head + adds + negative + python + goTest + rustTest + rubyTest + script).split('\n'),
      '',
      '}',
      '...(((',
      "it('",
    )
    const text = fc.array(line, { maxLength: 30 }).map((all) => lines(...all))
    const path = fc.constantFrom(
      'a.test.ts',
      'test_a.py',
      'a_test.go',
      'src/a.rs',
      'a_spec.rb',
      'package.json',
      'a.snap',
      'ATest.java',
    )
    fc.assert(
      fc.property(path, text, text, (name, before, after) => {
        testEdits(edited({ [name]: [before, after], 'b.test.ts': [after, before] }))
        expect(testEdits(edited({ [name]: [before, before] }))).toEqual([])
        const kinds = testEdits(edited({ [name]: [undefined, before] })).map(({ kind }) => kind)
        expect(kinds.filter((kind) => kind === 'deleted' || kind === 'emptied')).toEqual([])
      }),
      { numRuns: 200 },
    )
  })
})
