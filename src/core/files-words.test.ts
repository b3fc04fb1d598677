import { expect, test } from 'vitest'
import { filesWords } from './wording.ts'

test.for([
  [['a.js'], undefined, '1 file (a.js)'],
  [['a.js', 'b.js', 'c.js'], undefined, '3 files (a.js, b.js, c.js)'],
  [['a.js', 'b.js', 'c.js', 'd.js'], undefined, '4 files (a.js, b.js and 2 more)'],
  [['a.js', 'b.js', 'c.js'], 1200, '1,200 files (a.js, b.js and 1,198 more)'],
] as const)('CLI-442 the first files of %j are named and all are counted', ([paths, count, words]) => {
  const files = paths.map((path) => ({ path, change: 'modified' as const }))
  expect(filesWords(files, count)).toBe(words)
})
