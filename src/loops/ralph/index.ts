import type { Loop } from '../../core/loop.ts'
import { decideRalph } from './decide-ralph.ts'
import { ralphEffects } from './ralph-effects.ts'
import { type RalphSettings, wholeRalphSettings } from './ralph-settings.ts'

export type { RalphSettings } from './ralph-settings.ts'

/**
 * The same prompt again and again until the agent says a promise that the checks confirm on the tree it left behind. Without promises
 * passing checks are enough.
 */
export function ralphLoop(settings: RalphSettings): Loop {
  const whole = wholeRalphSettings(settings)
  return {
    spec: { name: 'ralph', v: 1, settings: { ...whole } },
    ...(whole.promises.length === 0 ? {} : { promises: whole.promises }),
    effects: (state) => ralphEffects(whole, state),
    decide: (state, trips) => decideRalph(whole, state, trips),
  }
}
