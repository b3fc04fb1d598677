import { counted } from '../core/wording.ts'
import type { BestView } from './run-view.ts'

/** The best state of a run so far, in words. */
export function bestWords({ iteration, passed, failing, score, isInReview }: BestView): string {
  const which = iteration === 0 ? 'the state before any work' : `iteration ${iteration}`
  if (isInReview) return `${which}: every other check passed, and it waits for the review`
  const verdict = passed
    ? 'every check passed'
    : `${failing === undefined ? 'failing' : counted(failing, 'failure')}, score ${Number(score.toFixed(3))}`
  return `${which}: ${verdict}`
}
