import { expect, test } from 'vitest'
import { ownFrame } from './own-frame.ts'

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
