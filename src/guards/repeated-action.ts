import type { Action } from '../core/action.ts'
import type { Guard } from '../core/guard.ts'
import { type Repetition, repetitionAtEnd } from '../core/measures/repetition.ts'
import type { Severity } from '../core/run-config.ts'
import { shortened } from '../core/wording.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface RepeatedActionOptions {
  /** How often the same call got the same result. Default 3. */
  readonly repeatsMin?: number
  /** Default `warn`: the agent is told; make it `trip` to decide. */
  readonly severity?: Severity
}

/**
 * Holds when the agent makes the same call and gets the same result again and again: one call in a row, two to four in any order, or
 * one with others in between (then twice as often). Waiting and polling that sees something new never count.
 *
 * @part repeatedAction
 */
export function repeatedAction(options: RepeatedActionOptions = {}): Guard {
  const { repeatsMin, severity } = readOptions('repeatedAction', SETTINGS, options)
  return {
    spec: { name: 'repeatedAction', v: 1, severity, settings: { repeatsMin } },
    inspect: ({ measures: { actions } }) => {
      const found = repetitionAtEnd(actions.last, repeatsMin)
      if (!found) return []
      const { kind, repeats } = found
      const to = enoughFor(actions.last, found, repeatsMin)
      return [
        {
          guard: 'repeatedAction',
          severity,
          code: `repeatedAction.${kind}`,
          message: messageOf(found),
          evidence: { facts: actions.facts, measures: { kind, repeats, repeatsMin, actions: found.actions.map(labelOf) } },
          hint: 'Another call, or another result, would have let it go on: what it returns does not change by asking again, so use what it said or do something else.',
          raise: { guard: 'repeatedAction', setting: 'repeatsMin', to, label: `up to ${to} times the same action` },
        },
      ]
    },
  }
}

const SETTINGS = settingsSchema({
  repeatsMin: byDefault(wholeNumber(2), 3, 'How often the same call gets the same result'),
  severity: severityOf('warn'),
} satisfies EntriesOf<RepeatedActionOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings repeatedAction
 */
export const repeatedActionSettings: GuardSettings = { schema: SETTINGS, place: 11 }

/** Behind the repetition that is seen there may be one of more repeats: the value must let go of all of them. */
function enoughFor(actions: readonly Action[], found: Repetition, repeatsMin: number): number {
  const to = found.repeats + repeatsMin
  const next = repetitionAtEnd(actions, to)
  return next ? enoughFor(actions, next, repeatsMin) : to
}

function messageOf({ kind, repeats, actions }: Repetition): string {
  const names = actions.map(labelOf).join(', ')
  if (kind === 'few') return `The same ${actions.length} actions with the same results, each at least ${repeats} times: ${names}.`
  const where = kind === 'between' ? ', with others in between' : ' in a row'
  return `The same action with the same result ${repeats} times${where}: ${names}.`
}

function labelOf({ name, label }: Action): string {
  return label === undefined ? name : `${name} (${shortened(label, LABEL_LENGTH_MAX)})`
}

const LABEL_LENGTH_MAX = 80
