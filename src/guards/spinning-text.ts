import { freshIterations, lastWhile } from '../core/measures/last-iterations.ts'
import type { Spinning } from '../core/event-data.ts'
import type { Seq } from '../core/event.ts'
import type { Guard } from '../core/guard.ts'
import type { Severity } from '../core/run-config.ts'
import type { IterationSummary, State } from '../core/state.ts'
import type { Trip } from '../core/trip.ts'
import { iterationNoun, shortened } from '../core/wording.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface SpinningTextOptions {
  /** Iterations in a row whose text ended in circles. Default 1. */
  readonly iterationsMin?: number
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when what the agent wrote ends in the same words again and again, in one iteration or in several in a row.
 *
 * @part spinningText
 */
export function spinningText(options: SpinningTextOptions = {}): Guard {
  const { iterationsMin, severity } = readOptions('spinningText', SETTINGS, options)
  const inspect = ({ unit, repeats }: Spinning, iterations: number, facts: readonly Seq[]): readonly Trip[] => {
    if (iterations < iterationsMin) return []
    const to = iterations + iterationsMin
    return [
      {
        guard: 'spinningText',
        severity,
        code: 'spinningText.repeats',
        message: `The agent's words went round in circles: "${shortened(unit, UNIT_LENGTH_MAX)}", ${repeats} times over.`,
        evidence: { facts: facts.slice(-FACTS_MAX), measures: { iterations, iterationsMin, unit, repeats } },
        hint: 'Words that come to an end would let it continue: do one small step, say in a sentence what came of it, and stop.',
        raise: { guard: 'spinningText', setting: 'iterationsMin', to, label: `up to ${iterationNoun(to)} of such text` },
      },
    ]
  }
  return {
    spec: { name: 'spinningText', v: 1, severity, settings: { iterationsMin } },
    inspect: (state) => {
      const spun = spunIterations(state)
      const spinning = spun.at(-1)?.spinning
      return spinning ? inspect(spinning, spun.length, seqsOf(spun)) : []
    },
    watch: (state, { spinning }) => {
      if (!spinning) return []
      const spun = spunIterations(state)
      const trips = inspect(spinning, spun.length + 1, [...seqsOf(spun), state.seq])
      // Beyond doubt: an agent that can't be warned would continue like this.
      const isEndless = spinning.unit.length * spinning.repeats >= ENDLESS_CHARACTERS_MIN
      return isEndless ? trips.map((trip) => ({ ...trip, severity: 'trip' })) : trips
    },
  }
}

function spunIterations(state: State): readonly IterationSummary[] {
  return lastWhile(freshIterations(state), (iteration) => iteration.spinning !== undefined)
}

function seqsOf(iterations: readonly IterationSummary[]): readonly Seq[] {
  return iterations.map(({ seq }) => seq)
}

const ENDLESS_CHARACTERS_MIN = 3000

const SETTINGS = settingsSchema({
  iterationsMin: byDefault(wholeNumber(1), 1, 'Iterations in a row in which the agent repeats itself'),
  severity: severityOf('warn'),
} satisfies EntriesOf<SpinningTextOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings spinningText
 */
export const spinningTextSettings: GuardSettings = { schema: SETTINGS, place: 10 }

const UNIT_LENGTH_MAX = 80
const FACTS_MAX = 10
