import { type Action, isSameAction } from '../core/action.ts'
import type { Seq } from '../core/event.ts'
import type { Guard } from '../core/guard.ts'
import { actionsWith } from '../core/measures/measures.ts'
import type { Severity } from '../core/run-config.ts'
import type { Trip } from '../core/trip.ts'
import { shortened } from '../core/wording.ts'
import { byDefault, type EntriesOf, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface RepeatedActionOptions {
  /** How often the same call got the same result. Default 3. */
  readonly repeatsMin?: number
  /** Default `warn`: only warns the agent; make it `trip` to decide. */
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
  const inspect = (last: readonly Action[], facts: readonly Seq[]): readonly Trip[] => {
    const found = repetitionAtEnd(last, repeatsMin)
    if (!found) return []
    const { kind, repeats } = found
    const to = enoughFor(last, found, repeatsMin)
    return [
      {
        guard: 'repeatedAction',
        severity,
        code: `repeatedAction.${kind}`,
        message: messageOf(found),
        evidence: { facts, measures: { kind, repeats, repeatsMin, actions: found.actions.map(labelOf) } },
        hint: 'Another call, or another result, would let it continue: what it returns does not change by asking again, so use what it said or do something else.',
        raise: { guard: 'repeatedAction', setting: 'repeatsMin', to, label: `up to ${to} times the same action` },
      },
    ]
  }
  return {
    spec: { name: 'repeatedAction', v: 1, severity, settings: { repeatsMin } },
    inspect: ({ measures: { actions } }) => inspect(actions.last, actions.facts),
    watch: ({ measures: { actions }, seq }, work) => {
      const { last, facts } = actionsWith(actions, work.actions, seq)
      const trips = inspect(last, facts)
      // Beyond doubt: an agent that can't be warned would continue like this.
      const endless = trips.length > 0 ? repetitionAtEnd(last, ENDLESS_TIMES * repeatsMin) : undefined
      return endless ? trips.map((trip) => ({ ...trip, severity: 'trip', message: messageOf(endless) })) : trips
    },
  }
}

/** So many times the number of repeats that warns. */
const ENDLESS_TIMES = 10

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

/** Actions that were done again and again with the same results. */
export interface Repetition {
  /** `same`: one action. `few`: two to four, in whatever order. `between`: one action, with others in between. */
  readonly kind: 'same' | 'few' | 'between'
  /** How often each of them was done. */
  readonly repeats: number
  readonly actions: readonly Action[]
}

/**
 * The repetition that the actions end with. The same call with another result is another action, so polling that sees something new is
 * none; calls that wait are left out; a call without a result equals no other. With other actions in between it takes twice as many
 * repeats, at least one action in three, no call that meanwhile got another result than before, and no edit that was not made before:
 * edit and check, edit and check is how work is done.
 */
function repetitionAtEnd(actions: readonly Action[], repeatsMin: number): Repetition | undefined {
  if (actions.length < repeatsMin) return undefined
  const counted = actions.some((action) => action.isWaiting) ? actions.filter((action) => !action.isWaiting) : actions
  return fewAtEnd(counted, repeatsMin) ?? betweenOthers(counted, repeatsMin)
}

const DIFFERENT_MAX = 4

function fewAtEnd(actions: readonly Action[], repeatsMin: number): Repetition | undefined {
  const seen: { readonly action: Action; count: number }[] = []
  let found: { readonly different: number; readonly repeats: number } | undefined
  for (let index = actions.length - 1; index >= 0; index--) {
    const action = actions[index]
    if (action?.result === undefined) break
    const known = seen.find((each) => isSameAction(each.action, action))
    if (known) known.count++
    else if (seen.length === (found?.different ?? DIFFERENT_MAX)) break
    else seen.push({ action, count: 1 })
    const repeats = seen.reduce((least, each) => Math.min(least, each.count), Infinity)
    if (repeats >= repeatsMin) found = { different: seen.length, repeats }
  }
  if (!found) return undefined
  const { different, repeats } = found
  return { kind: different === 1 ? 'same' : 'few', repeats, actions: seen.slice(0, different).map((each) => each.action) }
}

function betweenOthers(actions: readonly Action[], repeatsMin: number): Repetition | undefined {
  const last = actions.at(-1)
  if (!last) return undefined
  const start = lastNewEdit(actions) + 1
  let repeats = 0
  let found: { readonly repeats: number; readonly from: number } | undefined
  for (let index = actions.length - 1; index >= start; index--) {
    if (!isSameAction(actions[index] as Action, last)) continue
    repeats++
    const isDense = repeats * ONE_IN_MAX >= actions.length - index
    if (isDense && repeats >= 2 * repeatsMin) found ??= { repeats, from: index }
  }
  if (!found || hasNewResult(actions.slice(found.from))) return undefined
  return { kind: 'between', repeats: found.repeats, actions: [last] }
}

/** One action in this many at least is the repeated one. */
const ONE_IN_MAX = 3

/** The index of the last edit that was not made before, or -1. */
function lastNewEdit(actions: readonly Action[]): number {
  const made = new Set<string>()
  let last = -1
  for (const [index, { name, input }] of actions.entries()) {
    const edit = `${name}\n${input}`
    if (!EDITS.test(name) || made.has(edit)) continue
    made.add(edit)
    last = index
  }
  return last
}

/** The tools by which agents change files. Their to-do lists don't count; edits by a shell look like other commands. */
const EDITS = /^(?!.*(?:todo|stdin|memory))(?:.*[_-])?(?:multi|apply|notebook)?_?(?:edit|write|replace|patch)/i

/** Whether a call got another result than the same call before: then something moves. */
function hasNewResult(actions: readonly Action[]): boolean {
  const results = new Map<string, string>()
  return actions.some(({ name, input, result }) => {
    const call = `${name}\n${input}`
    const before = results.get(call)
    if (result !== undefined) results.set(call, result)
    return before !== undefined && result !== undefined && before !== result
  })
}
