import { expect, test } from 'vitest'
import { benchWords } from './bench-words.ts'

test('ODDS-36 a flag that is not known is an error that says which there are, never passed over', () => {
  expect(benchWords(['--chek'], ['--check', '--json']).problem).toBe(
    '--chek is not known here: there are --check and --json. Nothing was written.',
  )
  expect(benchWords(['loops', '-x'], []).problem).toContain('-x is not known here')
})

test('ODDS-36 flags and one folder are understood in any order, and two folders are an error', () => {
  const words = benchWords(['--check', 'loops'], ['--check', '--json'])
  expect(words).toEqual({ flags: new Set(['--check']), folder: 'loops' })
  expect(benchWords([], ['--check'])).toEqual({ flags: new Set() })
  expect(benchWords(['one', 'two'], []).problem).toContain('these are 2: one, two')
})
