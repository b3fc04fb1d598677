import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/recorded-report.ts'
import { general } from './general.ts'

test('REPORT-5 compiler errors: the telling lines, the kind and the first place', () => {
  expect(general(recorded('general-gcc-12.txt'))).toEqual({
    format: 'general',
    counts: { passed: 0, failed: 1, skipped: 0 },
    failures: [
      {
        id: 'output',
        kind: 'compile',
        file: 'broken.c',
        line: 5,
        message:
          "broken.c:5:10: error: 'nowhere' undeclared (first use in this function)\nbroken.c:9:25: error: expected ';' before 'return'",
      },
    ],
  })
  expect(general(recorded('general-javac-17.txt'))?.failures).toMatchObject([{ kind: 'compile', file: 'Broken.java', line: 3 }])
  expect(general(recorded('cargo-text-1.95-broken.txt'))?.failures).toMatchObject([
    {
      kind: 'compile',
      file: 'src/lib.rs',
      line: 3,
      message: expect.stringMatching(/^error\[E0308\]: mismatched types\n --> src\/lib/),
    },
  ])
  expect(general('Shop/Login.cs(12,5): error CS0103: The name is not known [/x/Shop.csproj]')?.failures).toMatchObject([
    { kind: 'compile', file: 'Shop/Login.cs', line: 12 },
  ])
})

test.each([
  ['general-python-3.11.txt', { kind: 'exception', frame: '/project/check.py:16', file: '/project/check.py', line: 16 }],
  ['general-python-3.11-syntax.txt', { kind: 'compile', file: '/project/shapes.py', line: 1 }],
  ['general-go-1.19.txt', { kind: 'exception', frame: 'main.port (/project/check.go:5)' }],
  ['general-rust-1.95.txt', { kind: 'assertion', frame: 'check::main (check.rs:7)', expected: '80', received: '81' }],
  ['general-java-17.txt', { kind: 'exception', frame: 'Main.start (Main.java:13)', file: 'Main.java', line: 13 }],
  ['general-node-24.txt', { kind: 'assertion', frame: 'read (/project/check.js:6)', expected: '80', received: '81' }],
  ['maven-text-3-failed.txt', { frame: 'com.example.Login.read (Login.java:15)', expected: '43', received: '42' }],
])('REPORT-159 of an unknown text place, frame, kind and values are found: %s', (file, failure) => {
  expect(general(recorded(file))?.failures).toMatchObject([{ id: 'output', ...failure }])
})

test('REPORT-159 distinguishes what the machine lacks from what is wrong with the work', () => {
  expect(general('sh: 1: foo: command not found')?.failures[0]?.kind).toBe('environment')
  expect(general('Error: connect ECONNREFUSED 127.0.0.1:5432')?.failures[0]?.kind).toBe('environment')
})

test('REPORT-5 what was expected and what came is found, and harmless lines are left out', () => {
  const text =
    '0 errors so far\nnpm error code 1\nAssertionError: wrong id\n  Expected: 42\n  Received: "42"\n    at check (src/check.js:7:3)\n'
  expect(general(text)?.failures).toEqual([
    {
      id: 'output',
      kind: 'assertion',
      message: 'AssertionError: wrong id\n  Expected: 42\n  Received: "42"\n    at check (src/check.js:7:3)',
      file: 'src/check.js',
      line: 7,
      frame: 'check (src/check.js:7)',
      expected: '42',
      received: '"42"',
    },
  ])
})

test('REPORT-5 if no line names an error, takes the last ones; empty output gives nothing', () => {
  expect(general('one\ntwo\n\n')?.failures).toMatchObject([{ message: 'one\ntwo', kind: 'unknown' }])
  expect(general(' \n')).toBeUndefined()
})

test('REPORT-5 however long the output, the message is short', () => {
  const message = general(`error: ${'x'.repeat(100_000)}\n`.repeat(5) + 'error: y\n'.repeat(1000))?.failures[0]?.message ?? ''
  expect(message.length).toBeLessThan(5000)
})
