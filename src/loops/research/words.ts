import { sayingIn, type Words } from '../../core/saying.ts'
import { counted } from '../../core/wording.ts'
import { SHARED_WORDS } from '../shared/words.ts'

export interface Full {
  readonly iteration: number
  readonly coverage: number
  readonly confidence: number
  readonly skipped?: number
  readonly failed: readonly string[]
}

/** What the research loop says to people. */
export const RESEARCH_WORDS = {
  ...SHARED_WORDS,
  'research.not-converged': ({ unmet }: { unmet: string }) => `Not converged: ${unmet}.`,
  'research.ask': () => 'Go on, or take what was found?',
  'research.accept': () => 'Take the findings as they are',
  'research.decided.nothing-yet': () => 'Nothing is measured yet.',
  'research.decided.silent': ({ failed }: { failed: string }) => `No agent ever answered, so nothing is known: ${failed}`,
  'research.decided.full': ({ iteration, coverage, confidence, skipped, failed }: Full) => {
    const early = skipped === undefined ? '' : ` High confidence reached early: ${counted(skipped, 'iteration')} skipped.`
    const but = failed.length === 0 ? '' : ` But ${counted(failed.length, 'agent')} failed: ${failed.join(', ')}.`
    return `FULL CONVERGENCE in iteration ${iteration}: coverage ${percent(coverage)}, confidence ${percent(confidence)}.${early}${but}`
  },
  'research.decided.partial': ({ reason, unmet, gaps }: { reason: string; unmet: string; gaps: number }) => {
    const open = gaps === 0 ? 'no gap is left open' : `${counted(gaps, 'gap')} still open`
    return `PARTIAL CONVERGENCE: ${reason} Unmet: ${unmet}; ${open}.`
  },
} satisfies Words

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

/** Names a sentence of the research loop. */
export const researchSaying = sayingIn(RESEARCH_WORDS)
