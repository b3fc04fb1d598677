import type { Guard } from '../core/guard.ts'
import type { Severity } from '../core/run-config.ts'
import { endingsBy } from '../core/watch-work.ts'
import { duration } from '../core/wording.ts'
import { durationText, inFiles } from '../schema/file-kinds.ts'
import { byDefault, type EntriesOf, MILLISECONDS, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface IdleOptions {
  /** How long nothing may happen. Default 10 minutes. */
  readonly quietMsMax?: number
  /** Default `warn`, since a long test run looks the same; `trip` ends the agent's work. */
  readonly severity?: Severity
}

/**
 * Holds when an agent at work prints nothing and changes no file for a while.
 *
 * @part idle
 */
export function idle(options: IdleOptions = {}): Guard {
  const { quietMsMax, severity } = readOptions('idle', SETTINGS, options)
  return {
    spec: { name: 'idle', v: 1, severity, settings: { quietMsMax } },
    inspect: (state) => endingsBy(state, 'idle'),
    watch: (state, { quietMs }) => {
      if (quietMs < quietMsMax) return []
      const to = Math.ceil(Math.max(quietMs, quietMsMax) / 60_000) * 120_000
      return [
        {
          guard: 'idle',
          severity,
          code: 'idle.quiet',
          message: `The agent printed nothing and changed no file for ${duration(quietMs)}.`,
          evidence: { facts: [state.seq], measures: { quietMs, quietMsMax } },
          hint: 'Output or a changed file would let it continue: start long commands in the background, and give each a time limit.',
          raise: { guard: 'idle', setting: 'quietMsMax', to, label: `up to ${duration(to)} without a sign` },
        },
      ]
    },
  }
}

const SETTINGS = settingsSchema({
  quietMsMax: byDefault(
    inFiles(MILLISECONDS, { kind: durationText(1), byDefault: '10m' }),
    600_000,
    'How long an agent may print nothing and change no file',
  ),
  severity: severityOf('warn'),
} satisfies EntriesOf<IdleOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings idle
 */
export const idleSettings: GuardSettings = { schema: SETTINGS, place: 15 }
