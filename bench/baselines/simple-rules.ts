import type { Policy } from '../../src/evidence/backtest/policy.ts'
import { sameFailure } from '../../src/guards/index.ts'
import { isSequenceRatioAtLeast } from '../../src/similarity/index.ts'
import { actionsOf, hasActed, isSameAtEnd } from './recorded-signals.ts'
import { tripWhen } from './trip-when.ts'

/** Rules that everybody can write in a line, as the README of the recorded loops has them. */
export const simpleRules: readonly Policy[] = [
  ...[2, 3, 4].map((count) => ({
    name: `${count} identical errors`,
    about: `The same error ${count} times in a row; our own sameFailure guard, deciding.`,
    guards: [sameFailure({ repeatsMin: count, severity: 'trip' })],
  })),
  ...[2, 3, 4].map((count) => ({
    name: `${count} identical actions`,
    about: `The same action, or the same solution, ${count} times in a row, whatever came back; iterations without an action in between are passed over.`,
    guards: [
      tripWhen(
        `${count} identical actions`,
        (state) => hasActed(state) && isSameAtEnd(actionsOf(state), count, (one, other) => one.input === other.input),
      ),
    ],
  })),
  {
    name: 'similarity 0.97',
    about:
      "The last action, or solution, is nearly the one before: difflib ratio of at least 0.97, with `autojunk` off, since it takes what is common in a text for noise from 200 characters on. With Python's default, which has it on, long texts that are nearly the same can count as different.",
    guards: [
      tripWhen('similarity 0.97', (state) => {
        const [before, last] = actionsOf(state).slice(-2)
        if (!before?.label || !last?.label || !hasActed(state)) return false
        return isSequenceRatioAtLeast(before.label, last.label, 0.97) === true
      }),
    ],
  },
]
