import { concluded, LOOP } from './conclude.ts'
import type { Fact } from './event.ts'
import type { State } from './state.ts'
import { shortened } from './wording.ts'

/** The promise by which an agent says that it cannot go on without a person. */
export const BLOCKED = 'BLOCKED'

export interface Claim {
  readonly promise: string
  /** What it gives as the reason, where it gives one. */
  readonly reason?: string
}

/**
 * The promise that an agent's words claim: `<promise>WORD</promise>` with a declared word, or `BLOCKED`, which needs no declaring and
 * comes first. An empty text claims nothing. Whether a claim holds, the checks say.
 */
export function claimIn(text: string, promises: readonly string[]): Claim | undefined {
  const claims = [...text.matchAll(/<promise>\s*([^<]{1,500}?)\s*<\/promise>([^\n<]{0,500})/g)].map((match) => ({
    words: match[1] ?? '',
    after: (match[2] ?? '').trim(),
  }))
  const blocked = claims.findLast(({ words }) => words === BLOCKED || words.startsWith(`${BLOCKED}:`))
  if (blocked) {
    const reason = shortened(blocked.words.slice(BLOCKED.length + 1).trim() || blocked.after, 300)
    return { promise: BLOCKED, ...(reason === '' ? {} : { reason }) }
  }
  const kept = claims.findLast(({ words }) => promises.includes(words))
  return kept && { promise: kept.words }
}

/** What the checks make of a claim: a claim of success holds only when all passed on the tree that the work left behind. */
export function claimFacts(state: State): readonly Fact[] {
  const { claim, ended, checks } = state.current
  if (!claim || !ended || claim.promise === BLOCKED) return []
  const { promise } = claim
  const tree = state.tree?.tree ?? ''
  const holds = ended.verdict.passed && checks.every((check) => check.tree === tree)
  if (holds) return [concluded(state, LOOP, 'promise.verified', { promise, tree }, claim.seq)]
  const failed = checks.filter((check) => !check.passed).map((check) => check.name)
  const message = failed.length === 0 ? 'No check passed on this tree.' : `Not passed: ${failed.join(', ')}.`
  return [concluded(state, LOOP, 'promise.refuted', { promise, tree, message }, claim.seq)]
}
