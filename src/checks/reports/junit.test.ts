import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/recorded-report.ts'
import { TESTS_KEPT_MAX } from '../check.ts'
import { junit } from './junit.ts'

test('REPORT-150 pytest: every test with its outcome, every failure with message, place, frame and values', () => {
  const report = junit(recorded('junit-pytest-9-failed.xml'))
  expect(report).toMatchObject({ format: 'junit', counts: { passed: 3, failed: 7, skipped: 2 } })
  expect(report?.trouble).toBeUndefined()
  expect(report?.tests).toHaveLength(12)
  expect(report?.tests).toContainEqual({ id: 'test_login > test_to_do', outcome: 'skipped' })
  expect(report?.failures.slice(0, 4)).toMatchObject([
    {
      id: 'test_broken',
      kind: 'compile',
      file: '/project/test_broken.py',
      line: 1,
      message: expect.stringMatching(/SyntaxError/),
    },
    {
      id: 'test_login.TestLogin > test_numeric_user_id',
      kind: 'assertion',
      file: 'test_login.py',
      line: 8,
      frame: 'test_numeric_user_id (test_login.py:8)',
      expected: '42',
      received: "'42'",
      message: "AssertionError: assert '42' == 42\n +  where '42' = user_id('ann')",
    },
    { id: 'test_login.TestLogin.TestWhenThePasswordIsWrong > test_refuses', kind: 'assertion', line: 12 },
    { id: 'test_login > test_reads_the_config', kind: 'exception', frame: 'read (login.py:6)', message: "KeyError: 'port'" },
  ])
})

test('REPORT-150 vitest: the file is before the names, and tests of one name get different ids', () => {
  const report = junit(recorded('junit-vitest-5-failed.xml'))
  expect(report?.counts).toEqual({ passed: 2, failed: 10, skipped: 3 })
  expect(report?.failures).toMatchObject([
    { id: 'broken.test.js', kind: 'compile', line: 4 },
    { id: 'hook.test.js > with a database', kind: 'exception', message: 'no database', line: 5 },
    { id: 'login.test.js > login > returns a numeric userId', kind: 'assertion', expected: '42', received: '"42"', line: 10 },
    { id: 'login.test.js > login > when the password is wrong > refuses # with a reason', kind: 'assertion' },
    { id: 'login.test.js > reads the config', kind: 'exception', frame: 'deepPort (login.js:11)', file: 'login.js', line: 11 },
    { id: 'login.test.js > answers in time', kind: 'timeout', line: 23 },
    { id: 'login.test.js > is the same for both', expected: '2', received: '1' },
    { id: 'login.test.js > is the same for both (2)' },
    { id: 'login.test.js > throws words with "quotes" & <marks>', message: 'first line second "line" & <mark>' },
    { id: 'other.test.js > login > returns a numeric userId' },
  ])
})

test('REPORT-150 jest and mocha: names that hold the class, messages in the text, what a test prints before the report', () => {
  const jest = junit(recorded('junit-jest-30-failed.xml'))
  expect(jest?.counts).toEqual({ passed: 3, failed: 9, skipped: 1 })
  expect(jest?.failures[0]).toMatchObject({
    id: 'login returns a numeric userId',
    kind: 'assertion',
    expected: '42',
    received: '"42"',
    file: '/project/login.test.js',
    line: 9,
  })
  const mocha = junit(recorded('junit-mocha-12-failed.xml'))
  expect(mocha?.counts).toEqual({ passed: 2, failed: 9, skipped: 2 })
  expect(mocha?.failures[0]).toMatchObject({
    id: 'reads the config',
    kind: 'exception',
    message: "TypeError: Cannot read properties of undefined (reading 'port')",
    frame: 'deepPort (/project/login.js:11)',
  })
})

test('REPORT-150 Maven Surefire: Java frames, and a test that prints tags', () => {
  const report = junit(recorded('junit-surefire-3-failed.xml'))
  expect(report?.counts).toEqual({ passed: 1, failed: 4, skipped: 1 })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    { id: 'com.example.LoginTest > readsTheConfig', kind: 'exception', frame: 'com.example.Login.read (Login.java:15)' },
    { id: 'com.example.LoginTest > answersInTime', kind: 'timeout' },
    { id: 'com.example.LoginTest > numericUserId', kind: 'assertion', expected: '43', received: '42', line: 21 },
    {
      id: 'com.example.LoginTest$WhenThePasswordIsWrong > refuses',
      message: 'let in <b> & out ==> expected: <true> but was: <false>',
    },
  ])
})

test('REPORT-150 a suite may fail without a test, a test may fail twice, and suites may be nested', () => {
  const text =
    '<testsuites><testsuite name="all"><testsuite name="inner"><testcase name="a"><failure message="one"/><error message="two"/></testcase>' +
    '<testcase name="b"/></testsuite><error message="no set-up" type="Error"/></testsuite></testsuites>'
  expect(junit(text)).toMatchObject({
    counts: { passed: 1, failed: 2, skipped: 0 },
    failures: [
      { id: 'all > inner > a', message: 'one', kind: 'assertion' },
      { id: 'all', message: 'no set-up', kind: 'exception' },
    ],
    tests: [{ id: 'all > inner > a' }, { id: 'all > inner > b', outcome: 'passed' }, { id: 'all' }],
  })
})

test('REPORT-151 noise, colours, byte order marks, UTF-16, other line ends and several documents change nothing', () => {
  const whole = recorded('junit-pytest-9-failed.xml')
  const { counts, failures } = junit(whole) ?? {}
  const wide = Buffer.from(`\uFEFF${whole}`, 'utf16le').toString('utf8')
  for (const text of [
    `> shop@1.0.0 test\n> pytest a < b\n\n\u001B[31mwarning\u001B[0m: <testsuite> is no report\n${whole}\nDone <in> 1s & more\n`,
    `\uFEFF${whole.replaceAll('\n', '\r\n')}`,
    wide,
  ]) {
    expect(junit(text)).toMatchObject({ counts, failures })
    expect(junit(text)?.trouble).toBeUndefined()
  }
  const both = junit(`${recorded('junit-pytest-9-passed.xml')}\n> next\n${whole}`)
  expect(both).toMatchObject({ counts: { passed: 4, failed: 7, skipped: 2 } })
  expect(junit('<testsuites name="none" tests="0"/>\nno tests < were found')).toMatchObject({
    counts: { failed: 0 },
    failures: [],
  })
})

test('REPORT-151 what is cut off, broken or counts more failures than it lists is in trouble', () => {
  const whole = recorded('junit-pytest-9-failed.xml')
  expect(junit(whole.slice(0, -20))?.trouble).toMatch(/cut off/)
  expect(junit(whole.slice(0, whole.indexOf('assert user_id')))).toMatchObject({
    // The suite has said at its beginning how many failed.
    counts: { failed: 7 },
    failures: [{}, { id: 'test_login.TestLogin > test_numeric_user_id' }],
  })
  expect(junit('<testsuite><testcase name="a"></testsuite>')?.trouble).toMatch(/not well formed/)
  const miscounted = junit('<testsuite name="x" failures="2"><testcase name="a"><failure/></testcase></testsuite>')
  expect(miscounted).toMatchObject({ counts: { failed: 2 }, trouble: 'The JUnit report counts 2 failures and lists 1.' })
})

test('REPORT-151 entities and a DOCTYPE are never expanded', () => {
  const laughs = Array.from({ length: 12 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join('')
  const text = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">${laughs}<!ENTITY file SYSTEM "file:///etc/passwd">]>
<testsuite><testcase name="&l12; &file;"><failure message="&l12;">\u0001 &#0; ]]> </failure></testcase></testsuite>`
  const report = junit(text)
  expect(report).toMatchObject({ counts: { failed: 1 }, failures: [{ id: '&l12; &file;', message: '&l12;' }] })
  expect(report?.trouble).toBeUndefined()
})

test('REPORT-151 tests are counted where they are, not where a text or a comment looks like one', () => {
  const printed =
    '<system-out><![CDATA[</testcase>\n<testcase name="said"/>\n</testcase><testcase name="too"></testcase>]]></system-out>'
  const cases = [
    '<testcase name="a" classname="c" time="1"/>',
    `<testcase name="b" classname="c">${printed}</testcase>`,
    '<!-- </testcase><testcase name="never"/> -->',
    '<testcase name="x &amp; y" classname="c"/><testcase classname="c" name="d"><skipped/></testcase>',
    '<testcase name="e" classname="c" status="notrun"/><testcase name="f"\n classname="c"> </testcase>',
    '<testcase name="g" classname="c"><failure message="1 > 2">no</failure></testcase>',
  ]
  const text = `<testsuites><testsuite name="s">${cases.join('\n')}</testsuite></testsuites>`
  expect(junit(text)).toMatchObject({
    counts: { passed: 4, failed: 1, skipped: 2 },
    failures: [{ id: 'c > g', message: '1 > 2' }],
  })
  expect(junit(text)?.tests?.map(({ id }) => id)).toEqual(['a', 'b', 'x & y', 'd', 'e', 'f', 'g'].map((name) => `c > ${name}`))
  expect(junit(text)?.trouble).toBeUndefined()
})

test('REPORT-151 other text is left to others', () => {
  for (const text of ['', 'a <testsuite> in prose', '<html></html>', '{"testsuite": 1}']) expect(junit(text)).toBeUndefined()
})

test('REPORT-151 of very many tests all are counted and so many are named as a report may have', () => {
  const cases = Array.from({ length: TESTS_KEPT_MAX + 500 }, (_, index) => `<testcase name="t${index}"/>`).join('\n')
  const failed = Array.from({ length: 1200 }, (_, index) => `<testcase name="f${index}"><failure>no</failure></testcase>`).join(
    '\n',
  )
  const report = junit(`<testsuite>${cases}${failed}</testsuite>`)
  expect(report?.counts).toEqual({ passed: TESTS_KEPT_MAX + 500, failed: 1200, skipped: 0 })
  expect(report?.tests).toHaveLength(TESTS_KEPT_MAX)
  expect(report?.failures).toHaveLength(1000)
})

test('REPORT-170 a test that is to be written yet is skipped, though its failure is there too', () => {
  const todo =
    '<testcase name="b" classname="test"><skipped type="todo" message="true"/><failure message="1 == 2">no</failure></testcase>'
  const report = junit(`<testsuites>\n<testcase name="a" classname="test"/>\n${todo}\n</testsuites>\n`)
  expect(report).toMatchObject({ counts: { passed: 1, failed: 0, skipped: 1 }, failures: [] })
  expect(report?.trouble).toBeUndefined()
  expect(junit(`<testsuites>${todo.replace(' type="todo"', '')}</testsuites>`)?.counts.failed).toBe(1)
})
