import { describe, expect, it, test } from 'vitest'
import { leakedIn, straddling } from '../../test/support/planted-secrets.ts'
import { plantedSecrets } from '../testing/planted-secrets.ts'
import { claimBy } from '../loops/shared/perform-promise.ts'
import { sessionOf, usageOf } from './perform-work.ts'
import { spinningBy } from './spinning-text.ts'

const captured = (text: string) => ({ text, bytesCut: 0 })

describe.each(plantedSecrets().filter(({ text }) => !text.includes('\n')))('what an agent said: $name', (planted) => {
  it('SECRET-24 the reason that it gives for being blocked and what it says again and again hold no part of a secret', async () => {
    const blocked = `<promise>BLOCKED</promise>: ${straddling(planted, 300)}\n`
    const claims = [
      await claimBy({ words: blocked }, ['DONE'], ''),
      await claimBy({ output: captured(blocked) }, ['DONE'], ''),
      await claimBy({ summary: blocked }, ['DONE'], ''),
    ]
    expect(claims).toMatchObject([{ promise: 'BLOCKED' }, { promise: 'BLOCKED' }, { promise: 'BLOCKED' }])
    const { spinning } = await spinningBy({ words: `${straddling(planted, 120)}. That is it.\n`.repeat(30) })
    expect(leakedIn(JSON.stringify([claims, spinning]), [planted])).toEqual([])
  })
})

it('SECRET-24 without a secret the reason and the words stay as they are', async () => {
  const words = 'I am stuck.\n<promise>BLOCKED</promise>: the disk is full\n'
  expect(await claimBy({ words }, ['DONE'], '')).toEqual({ promise: 'BLOCKED', reason: 'the disk is full' })
  expect(await claimBy({ words: '<promise>DONE</promise>' }, ['DONE'], '')).toEqual({ promise: 'DONE' })
  expect(await claimBy({ words: 'Nothing.' }, ['DONE'], '')).toBeUndefined()
  const again = await spinningBy({ words: 'I will now try to read the file once more and see what it says.\n'.repeat(60) })
  expect(again.spinning).toMatchObject({ unit: expect.stringContaining('read the file once more') })
  expect(await spinningBy({ words: 'Short.' })).toEqual({})
})

test('CORE-239 a reported figure counts if it can be an amount; else the agent used more than is known', () => {
  expect(usageOf({ costUsd: 0.5, tokens: 7 })).toEqual({ costUsd: 0.5, tokens: 7 })
  expect(usageOf({ costUsd: 1e308, tokens: 7 })).toEqual({ tokens: 7, isUsagePartial: true })
  expect(usageOf({})).toEqual({})
})

test('CORE-239 an impossible session total is ignored', () => {
  const sum = { costUsd: 2, tokens: 7 }
  expect(sessionOf({ session: 's-1', sessionUsed: sum, settlesSession: true })).toEqual({
    session: 's-1',
    sessionUsed: sum,
    settlesSession: true,
  })
  expect(sessionOf({ session: 's-1', sessionUsed: { ...sum, costUsd: 1e308 }, settlesSession: true })).toEqual({ session: 's-1' })
})
