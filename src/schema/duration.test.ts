import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PawlError } from '../core/pawl-error.ts'
import { parseDuration } from './file-kinds.ts'

test.each([
  ['90s', 90_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1h 30m', 5_400_000],
  ['500ms', 500],
  ['1s500ms', 1500],
  ['2d', 172_800_000],
  ['1.5h', 5_400_000],
  ['45', 45_000],
  ['0.25', 250],
  ['0', 0],
  [' 7m ', 420_000],
])('CONFIG-11 %s is %i milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each([
  '',
  ' ',
  'soon',
  '10 minutes',
  '-5',
  '-5m',
  '1:30',
  '30m1h',
  '1m1m',
  '1h30',
  'm',
  '1e3',
  'Infinity',
  'NaN',
  '9'.repeat(30),
  '5M',
  '٣s',
])('CONFIG-11 %j is no duration, and the error says how to write one', (text) => {
  expect(() => parseDuration(text)).toThrow(PawlError)
  expect(() => parseDuration(text)).toThrow(/90s, 10m, 1h30m/)
})

test('CONFIG-11 what is put together from whole units is read back as it was', () => {
  fc.assert(
    fc.property(fc.nat(99), fc.nat(99), fc.nat(99), fc.nat(999), (hours, minutes, seconds, ms) => {
      expect(parseDuration(`${hours}h${minutes}m${seconds}s${ms}ms`)).toBe(((hours * 60 + minutes) * 60 + seconds) * 1000 + ms)
    }),
  )
})
