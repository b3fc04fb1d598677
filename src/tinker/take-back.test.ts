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

test('TINKER-13 an edit is taken back from under later ones, before and behind it and elsewhere', () => {
  const kept = [edit(4, 'b', 'BBB'), edit(0, 'a', ''), edit(9, 'c', 'CC'), edit(0, 'zzz', '', 'other.js')]
  expect(takeBack(' + BBB + CC', kept, 0)?.text).toBe(' + b + CC')
})

test('TINKER-13 an edit that a later one touches stays', () => {
  expect(takeBack('a + Bxx', [edit(4, 'b', 'BBB'), edit(5, 'BB', 'xx')], 0)).toBe(undefined)
})

test('TINKER-13 all edits taken back in any order give the first text again', () => {
  const places = fc.uniqueArray(fc.nat(9), { minLength: 2, maxLength: 6 })
  const order = fc.infiniteStream(fc.nat(100))
  fc.assert(
    fc.property(places, fc.infiniteStream(fc.stringMatching(/^[A-Z]{0,3}$/)), order, (chosen, replacements, random) => {
      const source = 'abcdefghij'
      let text = source
      let kept: KeptEdit[] = []
      for (const place of chosen) {
        const letter = source[place]!
        const made = edit(text.indexOf(letter), letter, replacements.next().value!)
        text = text.slice(0, made.start) + made.replacement + text.slice(made.end)
        kept.push(made)
      }
      while (kept.length > 0) {
        const taken = takeBack(text, kept, random.next().value! % kept.length)!
        text = taken.text
        kept = taken.kept
      }
      expect(text).toBe(source)
    }),
  )
})
