import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { takeBack, type KeptEdit } from './take-back.ts'

const edit = (start: number, replaced: string, replacement: string, path = 'a.js'): KeptEdit => ({
  path,
  start,
  end: start + replaced.length,
  replaced,
  replacement,
})

test('TINKER-13 an edit is taken back from under later ones, before and behind it', () => {
  const [first, second, third] = [edit(4, 'b', 'BBB'), edit(0, 'a', ''), edit(8, 'c', 'CC')]
  expect(takeBack('a + BBB + c', first, [])).toBe('a + b + c')
  expect(takeBack(' + BBB +CC', first, [second, third])).toBe(' + b +CC')
  expect(takeBack('a + BBB', first, [edit(0, 'zzz', '', 'other.js')])).toBe('a + b')
})

test('TINKER-13 an edit that a later one touches stays', () => {
  expect(takeBack('a + Bxx', edit(4, 'b', 'BBB'), [edit(5, 'BB', 'xx')])).toBe(undefined)
})

test('TINKER-13 taking back the first of two edits leaves the second alone', () => {
  const text = fc.stringMatching(/^[a-z]{10}$/)
  fc.assert(
    fc.property(text, fc.nat(8), fc.nat(8), fc.string(), (source, one, two, replacement) => {
      fc.pre(Math.abs(one - two) > 1)
      const first = edit(one, source[one]!, replacement)
      const afterFirst = source.slice(0, one) + replacement + source.slice(one + 1)
      const place = two < one ? two : two + replacement.length - 1
      const second = edit(place, afterFirst[place]!, 'XY')
      const afterBoth = afterFirst.slice(0, place) + 'XY' + afterFirst.slice(place + 1)
      expect(takeBack(afterBoth, first, [second])).toBe(source.slice(0, two) + 'XY' + source.slice(two + 1))
    }),
  )
})
