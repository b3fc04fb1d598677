import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { searchForMany } from './many-texts-search.ts'

test('SECRET-34 very many texts are no more than a longer preparation', () => {
  const texts = Array.from({ length: 200_000 }, (_, index) => `text-${index}-end`)
  const search = searchForMany(texts)
  expect(search.placesIn('see text-150000-end')).toEqual([{ start: 4, found: 'text-150000-end' }])
  expect(search.isAnyIn('see text-200000-end')).toBe(false)
})

test('SECRET-34 many texts are found at once in the very places where each of them is', () => {
  // Few characters, so that texts overlap and nearly match; some that share their number with others.
  const characters = fc.constantFrom('a', 'b', 'A', ' ', 'é', '😀')
  const wanted = fc.array(fc.string({ unit: characters, minLength: 3, maxLength: 9 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(wanted, fc.string({ unit: characters, maxLength: 200 }), fc.nat({ max: 11 }), (texts, random, index) => {
      const different = [...new Set(texts)]
      const text = `${random}${texts[index] ?? ''}${random}`
      const places = different.flatMap((found) =>
        Array.from({ length: text.length }, (_, start) => start).flatMap((start) =>
          text.startsWith(found, start) ? [{ start, found }] : [],
        ),
      )
      const search = searchForMany(different)
      expect(new Set(search.placesIn(text).map((place) => JSON.stringify(place)))).toEqual(
        new Set(places.map((place) => JSON.stringify(place))),
      )
      expect(search.isAnyIn(text)).toBe(places.length > 0)
    }),
    { numRuns: 500 },
  )
})
