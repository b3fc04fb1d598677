import { describe, expect, it } from 'vitest'
import { redactText } from '../secrets/filter.ts'
import { leakedIn, plantedSecrets, straddlingEnd } from '../testing/planted-secrets.ts'
import { growingEnd } from './clean-words.ts'

const LENGTH = 2000

describe.each(plantedSecrets())('what an agent says without end: $name', (planted) => {
  it('SECRET-21 the end that is kept begins behind a secret that the cut goes through, whatever line it stands in', async () => {
    const before = 'so it goes on '.repeat(LENGTH)
    const texts = [-30, -5, 0, 5].flatMap((offset) => {
      const text = `${before}${straddlingEnd(planted, LENGTH + offset)}`
      return [text, text.replace(planted.text, `\n${planted.text}\n`), `${text}\nand on\n`]
    })
    for (const text of texts) {
      const kept = growingEnd(text, LENGTH)
      expect(kept.length).toBeLessThanOrEqual(LENGTH)
      expect(leakedIn(await redactText(kept), [planted])).toEqual([])
    }
  })
})

it('SECRET-21 what is not twice too long stays whole, and an endless word is dropped', () => {
  const text = 'so it goes on '.repeat(200)
  expect(growingEnd(text, LENGTH)).toBe(text)
  expect(growingEnd('x'.repeat(LENGTH * 3), LENGTH)).toBe('')
})
