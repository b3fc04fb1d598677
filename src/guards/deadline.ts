import type { Instant } from '../core/event.ts'
import type { Guard } from '../core/guard.ts'
import type { Severity } from '../core/run-config.ts'
import { duration } from '../core/wording.ts'
import { inFiles, INSTANT_TEXT } from '../schema/file-kinds.ts'
import { AMOUNT, type EntriesOf, needed, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface DeadlineOptions {
  /** The instant at which it ends, in milliseconds since 1970, as `Date.parse` gives it. */
  readonly until: Instant
  /** Default `trip`; as a `warn` it leaves the agent its time. */
  readonly severity?: Severity
}

/**
 * Trips when an instant has come, whatever the time was spent on, and leaves an agent only the time until then.
 *
 * @part deadline
 */
export function deadline(options: DeadlineOptions): Guard {
  const { until, severity } = readOptions('deadline', SETTINGS, options)
  const guard: Guard = {
    spec: { name: 'deadline', v: 1, severity, settings: { until } },
    inspect: (state) => {
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
          raise: { guard: 'deadline', setting: 'until', to, label: `a deadline of ${instant(to)}` },
        },
      ]
    },
  }
  return severity === 'warn' ? guard : { ...guard, remainingMs: (state) => Math.max(0, until - state.at) }
}

const SETTINGS = settingsSchema({
  until: needed(
    inFiles(AMOUNT, { kind: INSTANT_TEXT }),
    'When the run ends, whatever the time was spent on; in programs as milliseconds since 1970',
  ),
  severity: severityOf('trip'),
} satisfies EntriesOf<DeadlineOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings deadline
 */
export const deadlineSettings: GuardSettings = { schema: SETTINGS, bareText: 'until' }

const HOUR_MS = 3_600_000

/** "2026-11-16 18:00 UTC". */
function instant(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
