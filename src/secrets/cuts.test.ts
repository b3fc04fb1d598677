import { describe, expect, it } from 'vitest'
import { leakedIn, straddling, straddlingEnd } from '../../test/support/planted-secrets.ts'
import { plantedSecrets } from '../testing/planted-secrets.ts'
import { redactedAction, redactedEnd, redactedLine, redactedStart } from './filter.ts'

describe.each(plantedSecrets())('a cut through a secret: $name', (planted) => {
  it('SECRET-20 leaves no part of it at the beginning, at the end, in a line or in a label', async () => {
    for (const offset of [-6, 0, 5]) {
      const kept = [
        await redactedStart(straddling(planted, 500 + offset), 500),
        await redactedEnd(straddlingEnd(planted, 500 + offset), 500),
        await redactedLine(straddling(planted, 200 + offset), 200),
        JSON.stringify(await redactedAction({ name: 'Bash', input: { command: straddling(planted, 80 + offset) } })),
        JSON.stringify(await redactedAction({ name: 'Write', input: { content: straddling(planted, 68 + offset) } })),
      ]
      expect(kept.map((text) => leakedIn(text, [planted]))).toEqual(kept.map(() => []))
      expect(kept.slice(0, 3).every((text, index) => text.length <= (index === 2 ? 200 : 500))).toBe(true)
    }
  })
})

it('SECRET-20 a text that is short enough stays as it is', async () => {
  expect(await redactedStart('  as it is\n', 100)).toBe('  as it is\n')
  expect(await redactedEnd('as it is', 100)).toBe('as it is')
  expect(await redactedStart('0123456789', 5)).toBe('0123…')
  expect(await redactedEnd('0123456789', 5)).toBe('…6789')
})
