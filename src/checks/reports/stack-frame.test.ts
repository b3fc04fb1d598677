import { expect, test } from 'vitest'
import { ownFrame, stackFrame } from './stack-frame.ts'
import { valuePair } from './test-failure.ts'

test.each([
  [
    'Python, past the standard library and packages',
    'Traceback (most recent call last):\n  File "app/main.py", line 3, in start\n  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode\n  File "/x/site-packages/y.py", line 1, in y\nValueError: no',
    'start (app/main.py:3)',
  ],
  [
    'Java, past the runtime and JUnit',
    'java.lang.Error: x\n\tat java.base/java.util.ArrayList.get(ArrayList.java:1)\n\tat org.junit.jupiter.api.Assertions.fail(Assertions.java:2)\n\tat shop.Login.read(Login.kt:15)',
    'shop.Login.read (Login.kt:15)',
  ],
  [
    '.NET, past System and Xunit',
    'System.Exception: x\n   at System.Linq.First(Object o) in /_/src/Linq.cs:line 4\n   at Xunit.Assert.Equal(Object a) in /x/Assert.cs:line 9\n   at Shop.Login.Read(String key) in /home/ann/Shop/Login.cs:line 15',
    'Shop.Login.Read (/home/ann/Shop/Login.cs:15)',
  ],
  [
    'Go, past runtime and testing',
    'goroutine 1 [running]:\npanic({0x1})\n\t/usr/local/go/src/runtime/panic.go:884 +0x212\nmain.(*Shop).open(0xc0)\n\t/x/shop.go:9 +0x1d\n',
    'main.(*Shop).open (/x/shop.go:9)',
  ],
  [
    'Rust, past core and dependencies',
    '   0: core::panicking::panic\n             at /rustc/abc/library/core/src/panicking.rs:1:2\n   1: serde::de\n             at /x/.cargo/registry/src/serde/de.rs:3:4\n   2: shop::open\n             at ./src/shop.rs:9:26',
    'shop::open (src/shop.rs:9)',
  ],
  [
    'JavaScript, past Node and node_modules',
    'Error: x\n    at y (/p/node_modules/y/i.js:1:2)\n    at node:internal/z:3:4\n    at open (/p/shop.js:9:3)',
    'open (/p/shop.js:9)',
  ],
  ['only frames of others', '\tat java.base/java.lang.Thread.run(Thread.java:840)', undefined],
])('REPORT-160 the innermost frame of the user’s own code: %s', (_, text, frame) => {
  expect(stackFrame(text)?.frame).toBe(frame)
})

test.each([
  ['Rust', 'assertion `left == right` failed\n  left: 1\n right: 2', '2', '1'],
  ['NUnit', '  Expected: 2\n  But was:  1', '2', '1'],
  ['xUnit', 'Assert.Equal() Failure\nExpected: 2\nActual:   1', '2', '1'],
  ['MSTest', 'Assert.AreEqual failed. Expected:<2>. Actual:<1>. ', '2', '1'],
  ['AssertJ', 'expected: "2"\n but was: "1"', '"2"', '"1"'],
  ['unittest', "AssertionError: 'a' != 'b'", "'b'", "'a'"],
  ['JUnit', 'expected: <2> but was: <1>', '2', '1'],
])('REPORT-161 what was expected and what came, in the words of %s', (_, text, expected, received) => {
  expect(valuePair(text)).toEqual({ expected, received })
})

test.each<[stack: string, frame: string | undefined]>([
  ['Error: x\n    at deep (/p/a.js:3:5)\n    at /p/b.js:1:1', 'deep (/p/a.js:3)'],
  [
    'Error: x\n    at node:internal/timers:5:1\n    at run (/p/node_modules/x/a.js:1:1)\n    at async go (file:///p/b%20c.mjs:7:2)',
    'go (/p/b c.mjs:7)',
  ],
  ['    at Object.<anonymous> (a.test.js:4:2)', 'a.test.js:4'],
  ['    at Object.toEqual [as same] (a.test.js:4:2)', 'Object.toEqual (a.test.js:4)'],
  [' ❯ login src/a.ts:11:24\n ❯ src/b.ts:1:1', 'login (src/a.ts:11)'],
  ['    at run (node:async_hooks:2:1) {', undefined],
  ['no stack at all: 12:34', undefined],
  ['', undefined],
])('REPORT-104 the innermost own frame of %j', (stack, frame) => {
  expect(ownFrame(stack)?.frame).toBe(frame)
})

test('REPORT-104 frames without `at` are read where a format writes them so, and long lines are passed over', () => {
  expect(ownFrame('TestContext.<anonymous> (file:///p/a.js:3:5)', { isBare: true })?.frame).toBe('/p/a.js:3')
  expect(ownFrame('TestContext.<anonymous> (file:///p/a.js:3:5)')).toBeUndefined()
  expect(ownFrame(`at ${'a'.repeat(50_000)}:1:1\n    at b (c.js:1:2)`)?.frame).toBe('b (c.js:1)')
})
