import { safeText } from '../core/safe-text.ts'
import { assert, integer, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, dateAndTime, fitted, folded, labelled, oneLine, padded, shortDuration, textWidth, wrapped } from './layout.ts'

describe('text on a screen', () => {
  it('CLI-201 text of agents and tests cannot move the cursor, colour the screen or turn the direction of writing', () => {
    expect(oneLine('\u001B[2Ja\u0007b\u202Ec\n\td')).toBe('abc d')
    expect(safeText('one\ntwo\u001B]0;title\u0007')).toBe('one\ntwo')
  })

  it('CLI-202 wide characters count two columns, so that tables stay aligned', () => {
    expect(textWidth('abc')).toBe(3)
    expect(textWidth('登录')).toBe(4)
    expect(textWidth('e\u0301')).toBe(1)
    expect(padded('登录', 6)).toBe('登录  ')
    expect(padded('7', 3, 'right')).toBe('  7')
  })

  it('CLI-202 a line that is fitted never exceeds its width, whatever it holds', () => {
    assert(
      property(string({ unit: 'grapheme' }), integer({ min: 1, max: 30 }), (text, width) => {
        expect(textWidth(fitted(text, width))).toBeLessThanOrEqual(width)
      }),
    )
    expect(fitted('short enough', 12)).toBe('short enough')
    expect(fitted('a goal that is too long', 10)).toBe('a goal th…')
  })

  it('CLI-202 wrapped text keeps its words and its line ends and never exceeds the width', () => {
    expect(wrapped('one two three\nfour', 20)).toEqual(['one two three', 'four'])
    assert(
      property(string(), (text) => {
        const lines = wrapped(text, 24)
        expect(lines.every((line) => textWidth(line) <= 24)).toBe(true)
        expect(lines.join('').replaceAll(/\s/g, '')).toBe(safeText(text).replaceAll(/\s/g, ''))
      }),
    )
  })

  it('CLI-487 a line of progress is broken between words, under its label and in its colour', () => {
    const lines = ['  note             one two three four five', '                   six seven eight']
    const whole = '  note             one two three four five six seven eight'
    expect(folded(whole, 45)).toEqual(lines)
    expect(folded(`\u001b[33m${whole}\u001b[39m`, 45)).toEqual(lines.map((line) => `\u001b[33m${line}\u001b[39m`))
    expect(folded('  agent tinker · checks: tests', 24)).toEqual(['  agent tinker · checks:', '  tests'])
    expect(folded('short', 24)).toEqual(['short'])
    expect(folded('  note             one \u001b[2mtwo three four five six seven\u001b[22m', 40)).toEqual([
      '  note             one \u001b[2mtwo three four',
      '                   five six seven\u001b[22m',
    ])
  })

  it('CLI-202 a label has its own column', () => {
    expect(labelled('Goal', 'a b', 40)).toEqual(['Goal        a b'])
    expect(labelled('Goal', 'aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb', 32)).toEqual([
      'Goal        aaaaaaaaaaaaaaaa',
      '            bbbbbbbbbbbbbbbb',
    ])
  })
})

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
