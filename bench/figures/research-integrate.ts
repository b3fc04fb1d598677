import { alternated } from '../alternated.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { integrationMs, researchAnswers } from '../research-answers.ts'
import { milliseconds, spread } from '../wording.ts'

const FINDINGS = 5000
const ROUNDS = 5
const ALLOWED_MS = 2000

/** The share of two seconds that integrating 5,000 findings takes: duplicates, merges, new ones and claims that are compared. */
export const researchIntegrate: Figure = {
  name: 'research-integrate',
  bound: atMost(1),
  measure: async (say) => {
    say(`${FINDINGS} findings of five agents, ${ROUNDS} times`)
    const answers = researchAnswers(FINDINGS)
    integrationMs(answers)
    const durations = Array.from({ length: ROUNDS }, () => integrationMs(answers))
    const shares = durations.map((ms) => ms / ALLOWED_MS)
    const details = [
      `${milliseconds(median(durations))} of processor time in the middle of ${ROUNDS}; the value is that against ${ALLOWED_MS} ms, and it went from ${spread(shares)}.`,
    ]
    return { status: 'measured', value: median(shares), details }
  },
}

/** How much longer twice as many findings take: 2 would be even. */
export const researchIntegrateGrowth: Figure = {
  name: 'research-integrate-growth',
  bound: atMost(2.5),
  measure: async (say) => {
    say(`${FINDINGS} findings against ${FINDINGS / 2} in turn, ${ROUNDS} times`)
    const [whole, half] = [researchAnswers(FINDINGS), researchAnswers(FINDINGS / 2)]
    integrationMs(whole)
    const { ones, others, ratios, ratio } = await alternated(
      ROUNDS,
      () => integrationMs(whole),
      () => integrationMs(half),
    )
    const details = [
      `${FINDINGS} findings take ${milliseconds(median(ones))} of processor time, ${FINDINGS / 2} take ${milliseconds(median(others))} (medians).`,
      `The value is the median of the ratios of ${ROUNDS} rounds, which went from ${spread(ratios)}.`,
    ]
    return { status: 'measured', value: ratio, details }
  },
}
