import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { BLOCKED, claimOf } from '../shared/promises.ts'
import { sentence } from '../../core/saying.ts'
import { findingSaying } from '../shared/questions.ts'
import { SHARED_WORDS } from '../shared/words.ts'
import { speaksAgainst, unprovenPass } from '../shared/proof.ts'

/** What the checks and the proof make of a claim: one of success holds only if all passed on the tree that the work left behind, and it is proven. */
export function claimFacts(state: State): readonly Fact[] {
  const { ended, checks } = state.current
  const claim = claimOf(state)
  if (!claim || !ended || claim.promise === BLOCKED) return []
  // Without checks nothing confirms it, and nothing refutes it either.
  if (state.config.checks.length === 0) return []
  const { promise } = claim
  const tree = state.tree?.tree ?? ''
  const holds = ended.verdict.passed && checks.every((check) => check.tree === tree)
  const against = holds ? speaksAgainst(state) : []
  if (against.length > 0) {
    const reasons = against.map((finding) => sentence(SHARED_WORDS, findingSaying(finding)) ?? finding.code)
    const message = ['The checks pass, but that does not prove that the work is done.', ...reasons].join(' ')
    return [concluded(state, LOOP, 'promise.refuted', { promise, tree, message }, claim.seq)]
  }
  // Nothing refutes it, and nothing confirms it either.
  if (holds && unprovenPass(state, [])) return []
  if (holds) return [concluded(state, LOOP, 'promise.verified', { promise, tree }, claim.seq)]
  const failed = checks.filter((check) => !check.passed).map((check) => check.name)
  const message = failed.length === 0 ? 'No check passed on this tree.' : `Not passed: ${failed.join(', ')}.`
  return [concluded(state, LOOP, 'promise.refuted', { promise, tree, message }, claim.seq)]
}
