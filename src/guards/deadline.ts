import type { Instant } from '../core/event.ts'
import type { Guard } from '../core/guard.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Raise } from '../core/question.ts'
import type { Severity } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import { duration } from '../core/wording.ts'
import { durationText, inFiles, INSTANT_TEXT } from '../schema/file-kinds.ts'
import { AMOUNT, type EntriesOf, optional, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface DeadlineOptions {
  /** The instant at which it ends, in milliseconds since 1970, as `Date.parse` gives it. Goes before `afterMs`. */
  readonly until?: Instant
  /** How long after the run's start it ends. One of the two is needed. */
  readonly afterMs?: number
  /** Default `trip`; as a `warn` it leaves the agent its time. */
  readonly severity?: Severity
}

/**
 * Trips when an instant has come, whatever the time was spent on, and leaves an agent only the time until then.
 *
 * @part deadline
 */
export function deadline(options: DeadlineOptions): Guard {
  const { until: at, afterMs, severity } = readOptions('deadline', SETTINGS, options)
  if (at === undefined && afterMs === undefined)
    throw new PawlError('setting.missing', 'deadline needs until or afterMs: without one it never comes.')
  const instantIn = ({ startedAt }: State): Instant => at ?? startedAt + (afterMs ?? 0)
  const raiseTo = (to: Instant, { startedAt }: State): Pick<Raise, 'setting' | 'to'> =>
    at === undefined ? { setting: 'afterMs', to: to - startedAt } : { setting: 'until', to }
  const guard: Guard = {
    spec: { name: 'deadline', v: 1, severity, settings: at === undefined ? { afterMs: afterMs ?? 0 } : { until: at } },
    inspect: (state) => {
      const until = instantIn(state)
      if (state.at < until) return []
      const late = state.at - until
      const to = state.at + HOUR_MS
      return [
        {
          guard: 'deadline',
          severity,
          code: 'deadline.reached',
          message: `The deadline has come: ${instant(until)}${late < 1000 ? '' : `, ${duration(late)} ago`}.`,
          evidence: { facts: [state.current.ended?.seq ?? state.seq], measures: { at: state.at, until } },
          hint: 'A later deadline would let it continue.',
          raise: { guard: 'deadline', ...raiseTo(to, state), label: `a deadline of ${instant(to)}` },
        },
      ]
    },
  }
  if (severity === 'warn') return guard
  return {
    ...guard,
    remainingMs: (state) => Math.max(0, instantIn(state) - state.at),
    waitLimit: (state) => ({
      remainingMs: Math.max(0, instantIn(state) - state.at),
      message: `the deadline is ${instant(instantIn(state))}`,
      fix: `To set a later deadline: pawl resume ${state.run} --deadline 6h`,
    }),
  }
}

const SETTINGS = settingsSchema({
  until: optional(
    inFiles(AMOUNT, { kind: INSTANT_TEXT }),
    'When the run ends, whatever the time was spent on; in programs as milliseconds since 1970',
  ),
  afterMs: optional(
    inFiles(AMOUNT, { kind: durationText(1) }),
    'The same as a time after the run began; one of the two is needed',
  ),
  severity: severityOf('trip'),
} satisfies EntriesOf<DeadlineOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings deadline
 */
export const deadlineSettings: GuardSettings = { schema: SETTINGS, bareTexts: ['until', 'afterMs'] }

const HOUR_MS = 3_600_000

/** "2026-11-16 18:00 UTC". */
function instant(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
