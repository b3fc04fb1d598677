import { join } from 'node:path'
import { atMost } from '../bound.ts'
import { bareInserts } from '../bare-inserts.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { recordedWrites, type WrittenRow } from '../recorded-writes.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { timedRun } from '../timed-run.ts'
import { milliseconds, significant, spread } from '../wording.ts'

const ITERATIONS = 1000
const ROUNDS = 9

/** What an iteration of the engine costs above inserting the same rows in as many transactions. */
export const engineOverhead: Figure = {
  name: 'engine-overhead',
  bound: atMost(3),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      say(`${ITERATIONS} iterations, to learn what they write`)
      const transactions = await recordedWrites(() => timedRun(join(folder, 'recorded.db'), ITERATIONS))
      const engine: number[] = []
      const bare: number[] = []
      // The first round warms both sides up and is not counted.
      for (let round = 0; round <= ROUNDS; round++) {
        say(round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}: the engine, then bare inserts`)
        const engineMs = await timedRun(join(folder, `engine-${round}.db`), ITERATIONS)
        const bareMs = await bareInserts(join(folder, `bare-${round}.db`), transactions)
        if (round === 0) continue
        engine.push(engineMs / ITERATIONS)
        bare.push(bareMs / ITERATIONS)
      }
      const ratios = engine.map((engineMs, index) => engineMs / (bare[index] as number))
      const details = [
        `An iteration writes ${written(transactions)}.`,
        `The engine takes ${milliseconds(median(engine))} an iteration, bare inserts take ${milliseconds(median(bare))} (medians; synchronous=NORMAL on both sides).`,
        `The value is the median of the ratios of ${ROUNDS} rounds, which went from ${spread(ratios)}.`,
      ]
      return { status: 'measured', value: median(ratios), details }
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
