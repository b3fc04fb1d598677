import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, test } from 'vitest'
import { redactText } from '../secrets/filter.ts'
import { leakedIn, straddlingEnd } from '../../test/support/planted-secrets.ts'
import { plantedSecrets } from '../testing/planted-secrets.ts'
import { growingEnd, LastLineReporter } from './last-lines.ts'

test('PROC-11 the first line is reported at once, the last at the end, and those between only now and then', async () => {
  const lines: string[] = []
  const reporter = new LastLineReporter((line) => lines.push(line), 20)
  for (let number = 1; number <= 1000; number++) reporter.push(Buffer.from(`line ${number}\n\n`))
  expect(lines).toEqual(['line 1'])
  await sleep(100)
  expect(lines).toEqual(['line 1', 'line 1000'])
  reporter.push(Buffer.from('line 1001 is not yet'))
  reporter.push(Buffer.from(' ended'))
  reporter.end()
  expect(lines.at(-1)).toBe('line 1001 is not yet ended')
})

test('PROC-11 a silent program and a line that says the same again are not reported', () => {
  const lines: string[] = []
  const reporter = new LastLineReporter((line) => lines.push(line), 1000)
  reporter.push(Buffer.from('\n \n'))
  reporter.push(Buffer.from('same\n'))
  reporter.end()
  reporter.push(Buffer.from('same\n'))
  reporter.end()
  expect(lines).toEqual(['same'])
})

const LENGTH = 2000

describe.each(plantedSecrets())('what an agent says without end: $name', (planted) => {
  it('SECRET-21 the end that is kept begins behind a secret that the cut goes through, whatever line it is in', async () => {
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
