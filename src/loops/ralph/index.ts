import { concluded, LOOP } from '../../core/conclude.ts'
import type { Loop } from '../../core/loop.ts'
import { shortened } from '../../core/wording.ts'
import { promiseFold, promisesOf } from '../shared/promises.ts'
import { awaitsReview } from '../task/effects.ts'
import { wholeSettings } from '../task/settings.ts'
import { claimFacts, decideRalph } from './decide.ts'
import { ralphEffects } from './effects.ts'
import { isOffered, type RalphSettings, wholeRalphSettings } from './settings.ts'

export type { RalphSettings } from './settings.ts'

/**
 * The same prompt again and again until the agent says a promise that the checks confirm on the tree it left behind. Without promises
 * passing checks are enough.
 *
 * @part ralph
 */
export function ralphLoop(settings: RalphSettings): Loop {
  const whole = wholeRalphSettings(settings)
  // What a person who reviews reads about it.
  const asked = wholeSettings({ goal: shortened(whole.prompt, ASKED_LENGTH_MAX) })
  return {
    spec: { name: 'ralph', v: 1, settings: { ...whole } },
    begins: (state) =>
      whole.promises.length === 0 || promisesOf(state)
        ? []
        : [concluded(state, LOOP, 'promise.declared', { promises: whole.promises })],
    settles: claimFacts,
    fold: promiseFold,
    performers: () => import('../shared/perform-promise.ts').then(({ performPromise }) => ({ promise: performPromise })),
    awaits: (state) => (isOffered(whole, state) ? awaitsReview(asked, state) : undefined),
    effects: (state) => ralphEffects(whole, state),
    decide: (state, trips) => decideRalph(whole, state, trips),
  }
}

const ASKED_LENGTH_MAX = 500
