import { expect, it } from 'vitest'
import { ago, dateAndTime, shortDuration } from './times.ts'

it.each([
  [0, 'just now'],
  [4999, 'just now'],
  [12_000, '12s ago'],
  [200_000, '3m ago'],
  [7_500_000, '2h ago'],
  [3 * 86_400_000 + 5000, '3d ago'],
  [-5000, 'just now'],
])('CLI-203 %i ms back is "%s"', (ms, words) => {
  expect(ago(1_000_000_000_000 - ms, 1_000_000_000_000)).toBe(words)
})

it.each([
  [850, '850ms'],
  [12_000, '12s'],
  [59_999, '1m00s'],
  [200_000, '3m20s'],
  [7_500_000, '2h05m'],
  [4 * 3_600_000 + 3 * 86_400_000, '3d04h'],
])('CLI-203 %i ms is "%s" in a table', (ms, words) => {
  expect(shortDuration(ms)).toBe(words)
})

it('CLI-203 a date is that of this machine, with leading zeros', () => {
  expect(dateAndTime(new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('2026-01-02 03:04:05')
})
