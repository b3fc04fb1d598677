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
 * comes first where it stands alone on its line or ends the text; elsewhere it is only spoken of. An empty text claims nothing.
 * Whether a claim holds, the checks say.
 */
export function claimIn(text: string, promises: readonly string[]): Claim | undefined {
  const claims = [...text.matchAll(/<promise>\s*([^<]{1,500}?)\s*<\/promise>/g)].map((match) => ({
    words: match[1] ?? '',
    before: lastLine(text.slice(Math.max(0, match.index - LINE_LENGTH_MAX), match.index)),
    after: text.slice(match.index + match[0].length, match.index + match[0].length + LINE_LENGTH_MAX),
  }))
  const blocked = claims.findLast((each) => !promises.includes(each.words) && isBlocked(each))
  if (blocked) {
    const inside = blocked.words.replace(BLOCKED_WORDS, '').trim()
    const reason = shortened(inside || firstWords(blocked.after), 300)
    return { promise: BLOCKED, ...(reason === '' ? {} : { reason }) }
  }
  const kept = claims.findLast(({ words }) => promises.includes(words))
  return kept && { promise: kept.words }
}

interface Said {
  readonly words: string
  /** What stands before it on its line. */
  readonly before: string
  /** What follows it. */
  readonly after: string
}

const LINE_LENGTH_MAX = 1000

/** `BLOCKED`, `BLOCKED: why`, `BLOCKED - why`. */
const BLOCKED_WORDS = /^BLOCKED(?:\s*[:\u2013\u2014-]|\s|$)/

/** Marks of Markdown and the end of a sentence are not words. */
const NO_WORDS = /^[\s*_`~>#"'.!•-]*$/

function isBlocked({ words, before, after }: Said): boolean {
  if (!BLOCKED_WORDS.test(words)) return false
  if (NO_WORDS.test(after)) return true
  const rest = after.split('\n', 1)[0] ?? ''
  return NO_WORDS.test(before) && (NO_WORDS.test(rest) || /^[\s*_`]*[:\u2013\u2014-]/.test(rest))
}

function lastLine(text: string): string {
  return text.slice(text.lastIndexOf('\n') + 1)
}

/** The first line that says something, up to the next tag. */
function firstWords(after: string): string {
  const line = (after.split('<', 1)[0] ?? '').split('\n').find((each) => !NO_WORDS.test(each)) ?? ''
  return line.replace(/^[\s*_`:\u2013\u2014-]+/, '').trim()
}

/** What the checks make of a claim: a claim of success holds only when all passed on the tree that the work left behind. */
export function claimFacts(state: State): readonly Fact[] {
  const { claim, ended, checks } = state.current
  if (!claim || !ended || claim.promise === BLOCKED) return []
  // Without checks nothing confirms it, and nothing refutes it either.
  if (state.config.checks.length === 0) return []
  const { promise } = claim
  const tree = state.tree?.tree ?? ''
  const holds = ended.verdict.passed && checks.every((check) => check.tree === tree)
  if (holds) return [concluded(state, LOOP, 'promise.verified', { promise, tree }, claim.seq)]
  const failed = checks.filter((check) => !check.passed).map((check) => check.name)
  const message = failed.length === 0 ? 'No check passed on this tree.' : `Not passed: ${failed.join(', ')}.`
  return [concluded(state, LOOP, 'promise.refuted', { promise, tree, message }, claim.seq)]
}
