import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { valueMismatch } from '../../core/measures/value-mismatch.ts'
import type { Report } from '../check.ts'
import { failBlocks } from './blocks.ts'
import { reportParsers } from './index.ts'
import { expectedReceived } from './test-failure.ts'

/** What the first parser that understands the text reads. */
function read(text: string): Report | undefined {
  return reportParsers.map((parser) => parser(text)).find((report) => report !== undefined)
}

test('REPORT-175 ctest: every test is named, and one that printed nothing has its reason', () => {
  const report = read(fixture('ctest-text-3-failed'))
  expect(report).toMatchObject({ format: 'ctest', counts: { passed: 2, failed: 3, skipped: 1 } })
  expect(report?.failures).toMatchObject([
    { id: 'login.numeric_user_id', expected: '42', received: '"42"', kind: 'assertion', file: 'tests.c', line: 6 },
    { id: 'orders.crash', message: 'Subprocess aborted' },
    { id: 'orders.slow', message: 'Timeout', kind: 'timeout' },
  ])
  expect(report?.tests).toHaveLength(6)
  expect(read(fixture('ctest-text-3-passed'))).toMatchObject({ counts: { passed: 1, failed: 0 }, failures: [] })
})

test('REPORT-176 gcc under make: each error is one item, warnings and notes don’t count', () => {
  const report = read(fixture('compiler-make-4-failed'))
  expect(report).toMatchObject({ format: 'compiler', counts: { failed: 2 } })
  expect(report?.failures).toMatchObject([
    { id: "main.c > expected ';' before 'return'", kind: 'compile', file: 'main.c', line: 4 },
    { kind: 'compile', file: 'port.c', line: 1 },
  ])
})

test('REPORT-177 Maven: every failed test with its message, place and values', () => {
  const report = read(fixture('maven-text-3-failed'))
  expect(report).toMatchObject({ format: 'maven', counts: { passed: 1, failed: 4, skipped: 1 } })
  expect(report?.failures.map(({ id }) => id)).toEqual([
    'com.example.LoginTest.readsTheConfig',
    'com.example.LoginTest.answersInTime',
    'com.example.LoginTest.numericUserId',
    'com.example.LoginTest.refuses',
  ])
  expect(report?.failures[2]).toMatchObject({ expected: '43', received: '42', line: 21, kind: 'assertion' })
})

const DOTNET = `Starting test execution, please wait...
A total of 1 test files matched the specified pattern.
[xUnit.net 00:00:00.38]     Shop.LoginTests.NumericUserId [FAIL]
  Failed Shop.LoginTests.NumericUserId [21 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 42
Actual:   "42"
  Stack Trace:
     at Shop.LoginTests.NumericUserId() in /project/LoginTests.cs:line 10
  Failed Shop.LoginTests.Refuses(name: "bob") [< 1 ms]
  Error Message:
   System.InvalidOperationException : no such user
  Stack Trace:
     at Shop.Login.Find(String name) in /project/Login.cs:line 7

Failed!  - Failed:     2, Passed:     3, Skipped:     1, Total:     6, Duration: 35 ms - Shop.Tests.dll (net8.0)
`

const GRADLE = `> Task :test FAILED

LoginTest > numericUserId() FAILED
    org.opentest4j.AssertionFailedError: expected: <42> but was: <43>
        at app//com.example.LoginTest.numericUserId(LoginTest.java:21)

OrderTest > when empty > adds up FAILED
    java.lang.NullPointerException at OrderTest.java:9

5 tests completed, 2 failed, 1 skipped

FAILURE: Build failed with an exception.
`

const PHPUNIT = `PHPUnit 11.5.2 by Sebastian Bergmann and contributors.

.FES                                                                4 / 4 (100%)

Time: 00:00.012, Memory: 8.00 MB

There was 1 error:

1) Shop\\LoginTest::testRefuses
RuntimeException: no such user

/project/src/Login.php:7

--

There was 1 failure:

1) Shop\\LoginTest::testNumericUserId with data set "a"
Failed asserting that '42' is identical to 42.

/project/tests/LoginTest.php:12

--

There was 1 skipped test:

1) Shop\\LoginTest::testLater
not yet

ERRORS!
Tests: 4, Assertions: 2, Errors: 1, Failures: 1, Skipped: 1.
`

test.each([
  [
    'REPORT-178 dotnet test',
    DOTNET,
    { format: 'dotnet', counts: { passed: 3, failed: 2, skipped: 1 } },
    [
      { id: 'Shop.LoginTests.NumericUserId', expected: '42', received: '"42"', line: 10 },
      { id: 'Shop.LoginTests.Refuses(name: "bob")', message: expect.stringContaining('no such user') },
    ],
  ],
  [
    'REPORT-179 Gradle',
    GRADLE,
    { format: 'gradle', counts: { passed: 2, failed: 2, skipped: 1 } },
    [
      { id: 'LoginTest > numericUserId()', expected: '42', received: '43' },
      { id: 'OrderTest > when empty > adds up', kind: 'exception', file: 'OrderTest.java', line: 9 },
    ],
  ],
  [
    'REPORT-180 PHPUnit',
    PHPUNIT,
    { format: 'phpunit', counts: { passed: 1, failed: 2, skipped: 1 } },
    [
      { id: 'Shop\\LoginTest::testRefuses', file: '/project/src/Login.php', line: 7 },
      { id: 'Shop\\LoginTest::testNumericUserId with data set "a"', message: expect.stringContaining("'42' is identical to 42") },
    ],
  ],
])('%s: every failed test is one item', (_name, text, report, failures) => {
  const found = read(text)
  expect(found).toMatchObject(report)
  expect(found?.failures).toMatchObject(failures)
})

test('REPORT-181 mypy, MSBuild, and javac under Maven: each error is one item, and what is said twice counts once', () => {
  const lines = [
    'shop/login.py:3: error: Incompatible types in assignment (expression has type "str", variable has type "int")  [assignment]',
    'shop/login.py:9: note: See https://mypy.readthedocs.io',
    'Found 1 error in 1 file (checked 2 source files)',
    '/project/Login.cs(12,9): error CS1002: ; expected [/project/Shop.csproj]',
    '/project/Login.cs(12,9): error CS1002: ; expected [/project/Shop.csproj]',
    '[ERROR] /project/src/main/java/Login.java:[3,5] cannot find symbol',
    "main.c:(.text+0x5): undefined reference to `port'",
  ]
  expect(read(lines.join('\n'))?.failures).toMatchObject([
    { file: 'shop/login.py', line: 3, message: expect.stringContaining('(assignment)') },
    { file: '/project/Login.cs', line: 12, message: '; expected (CS1002)' },
    { file: '/project/src/main/java/Login.java', line: 3, message: 'cannot find symbol' },
    { file: 'main.c', message: "undefined reference to `port'" },
  ])
})

test('REPORT-182 a line FAIL with nothing below it is a failure if no other says more; a count does not count', () => {
  const output = 'PASS pops\nFAIL push refuses when full\nFAILED (failures=1)\nmake: *** [Makefile:2: test] Error 1\n'
  expect(read(output)?.failures.map(({ id }) => id)).toEqual(['push refuses when full'])
  expect(failBlocks('FAILED (failures=1)\n')).toBeUndefined()
})

test('REPORT-182 an unknown runner that prints FAIL and the values below it gives one failure a block', () => {
  const text = [
    'FAIL src/auth/login.test.ts',
    '  Expected: token to contain userId',
    '  Received: undefined',
    'PASS src/other.test.ts',
    'FAIL src/auth/logout.test.ts',
    '  Expected: 204',
    '  Received: 500',
    'FAIL src/cart.test.ts > adds',
    '  TypeError: cart is undefined',
    '2 passed, 3 failed',
  ].join('\n')
  const report = read(text)
  expect(report?.counts.failed).toBe(3)
  expect(report?.failures).toMatchObject([
    { id: 'src/auth/login.test.ts', expected: 'token to contain userId', received: 'undefined' },
    { id: 'src/auth/logout.test.ts', expected: '204', received: '500' },
    { id: 'src/cart.test.ts > adds', message: 'TypeError: cart is undefined' },
  ])
})

test.each([
  ['expected 1, received "1"', '1', '"1"'],
  ['Expected 1 but got "1"', '1', '"1"'],
  ['AssertionError: expected: 1; but received: "1"', '1', '"1"'],
])('REPORT-183 inline values are read: %s is a difference in type', (text, expected, received) => {
  expect(expectedReceived(text)).toEqual({ expected, received })
  expect(valueMismatch(expected, received)?.difference).toBe('type')
})
