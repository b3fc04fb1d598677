import { join } from 'node:path'
import { LOG_PAGES_MAX } from '../../src/stores/sqlite-connection.ts'
import { alternated } from '../alternated.ts'
import { bareInserts } from '../bare-inserts.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { recordedWrites, type WrittenRow } from '../recorded-writes.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { timedRun } from '../timed-run.ts'
import { WARM_UP_ITERATIONS, WARM_UP_MS, warmUp } from '../warm-up.ts'
import { milliseconds, significant, spread } from '../wording.ts'

const ITERATIONS = 1000
const ROUNDS = 15

/** What an iteration of the engine costs above inserting the same rows in as many transactions. */
export const engineOverhead: Figure = {
  name: 'engine-overhead',
  bound: atMost(4),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      say(`${ITERATIONS} iterations, to learn what they write`)
      const transactions = await recordedWrites(() => timedRun(join(folder, 'recorded.db'), ITERATIONS))
      say('shorter loops and their bare inserts, to warm up')
      const ofWarmUp = transactions.slice(0, (transactions.length * WARM_UP_ITERATIONS) / ITERATIONS)
      await warmUp(async (round) => {
        await timedRun(join(folder, `warm-up-engine-${round}.db`), WARM_UP_ITERATIONS)
        await bareInserts(join(folder, `warm-up-bare-${round}.db`), ofWarmUp)
      })
      say(`the engine and bare inserts in turn, ${ROUNDS} times ${ITERATIONS} iterations`)
      const { ones, others, ratios, ratio } = await alternated(
        ROUNDS,
        (round) => timedRun(join(folder, `engine-${round}.db`), ITERATIONS),
        (round) => bareInserts(join(folder, `bare-${round}.db`), transactions),
      )
      const details = [
        `An iteration writes ${written(transactions)}, with synchronous=NORMAL and a log of ${LOG_PAGES_MAX} pages on both sides.`,
        `The engine takes ${milliseconds(median(ones) / ITERATIONS)} an iteration, bare inserts take ${milliseconds(median(others) / ITERATIONS)} (medians).`,
        `The value is the median of the ratios of ${ROUNDS} rounds, which went from ${spread(ratios)}; both were warmed up for ${WARM_UP_MS / 1000} s together, as many iterations each.`,
      ]
      return { status: 'measured', value: ratio, details }
    }),
}

function written(transactions: readonly (readonly WrittenRow[])[]): string {
  const rows = transactions.flat()
  const events = rows.filter(({ sql }) => /\bINTO\s+events\b/i.test(sql)).length
  return `${anIteration(events)} events and ${anIteration(rows.length - events)} texts in ${anIteration(transactions.length)} transactions`
}

function anIteration(count: number): string {
  return significant(count / ITERATIONS)
}
