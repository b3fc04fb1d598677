import type { EffectKey } from '../../core/event-data.ts'
import type { Seq } from '../../core/event.ts'
import { foldWith, type LoopFold } from '../../core/loop.ts'
import { type State, withSlice } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'

/** The events of completion promises. */
export interface PromiseEventData {
  /** What the agent has to say when it is done, declared before it begins. */
  'promise.declared': { readonly promises: readonly string[] }
  'promise.claimed': { readonly key: EffectKey; readonly promise: string; readonly reason?: string }
  /** The claim holds: every check passed on the same tree. */
  'promise.verified': { readonly promise: string; readonly tree: string }
  'promise.refuted': { readonly promise: string; readonly tree: string; readonly message: string }
}

declare global {
  namespace Pawl {
    interface LoopEvents extends PromiseEventData {}
    interface LoopSlices {
      readonly promises: PromiseProgress
    }
    interface LoopWork {
      /** Promises to look for in what the agent says. */
      readonly promises?: readonly string[]
    }
  }
}

/** What the agent has to say when it is done, and what it says. */
export interface PromiseProgress {
  readonly declared?: readonly string[]
  /** What the agent says it has reached in the iteration under way, until it is verified or refuted. */
  readonly claim?: { readonly seq: Seq; readonly promise: string; readonly reason?: string }
  /** What became of the claim of the iteration that ended last. */
  readonly last?: { readonly promise: string; readonly refutedBy?: string }
}

/** Keeps what was promised. Whether a claim holds, the checks say. */
export const promiseFold: LoopFold = foldWith({
  'promise.declared': (state, { data: { promises } }) =>
    withSlice(state, 'promises', { ...state.slices?.promises, declared: promises }),
  'promise.claimed': (state, { seq, data: { promise, reason } }) => {
    const claim = { seq, promise, ...(reason === undefined ? {} : { reason }) }
    return withSlice(state, 'promises', { ...state.slices?.promises, claim })
  },
  'promise.verified': (state, { data: { promise } }) => withLast(withoutClaim(state), { promise }),
  'promise.refuted': (state, { data: { promise, message } }) => withLast(withoutClaim(state), { promise, refutedBy: message }),
  'iteration.started': unsettledClaim,
  'iteration.ended': (state) => withLast(state),
})

function withLast(state: State, last?: PromiseProgress['last']): State {
  const { last: before, ...rest } = state.slices?.promises ?? {}
  if (!last) return before ? withSlice(state, 'promises', rest) : state
  return withSlice(state, 'promises', { ...rest, last })
}

/** A claim that was neither verified nor refuted, because a person was asked, was made all the same. */
function unsettledClaim(state: State): State {
  const claim = claimOf(state)
  return claim ? withLast(withoutClaim(state), { promise: claim.promise }) : state
}

function withoutClaim(state: State): State {
  const { claim, ...rest } = state.slices?.promises ?? {}
  return claim ? withSlice(state, 'promises', rest) : state
}

/** The promises on record; `undefined` before any are. */
export function promisesOf({ slices }: State): readonly string[] | undefined {
  return slices?.promises?.declared
}

/** What the agent says it has reached in the iteration under way, until that is verified or refuted. */
export function claimOf({ slices }: State): PromiseProgress['claim'] {
  return slices?.promises?.claim
}

/** The promise by which an agent says that it cannot continue without a person. */
export const BLOCKED = 'BLOCKED'

export interface Claim {
  readonly promise: string
  /** What it gives as the reason, where it gives one. */
  readonly reason?: string
}

/**
 * The promise that an agent's last message claims: `<promise>WORD</promise>` with a declared word, alone on the last line. Elsewhere it is
 * only mentioned. `BLOCKED` needs no declaring, comes first, and may also be followed by its reason. Whether a claim holds, the
 * checks and the proof say.
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
  const last = text.split('\n').findLast((line) => !/^[\s`]*$/.test(line)) ?? ''
  const promise = PROMISE_ALONE.exec(last.trim())?.[1]
  return promise !== undefined && promises.includes(promise) ? { promise } : undefined
}

/** Bold and code are no words; a quotation, a list item or a struck-out line is something else. */
const PROMISE_ALONE = /^[*_`]{0,3}<promise>\s*([^<]{1,500}?)\s*<\/promise>[*_`]{0,3}[.!]?$/

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

/**
 * What an agent printed, less what it only repeats of its brief: some print the whole brief first, and a brief that says
 * "end with <promise>…</promise>" promises nothing. A line of the brief that is a promise and nothing else is kept unless all of the
 * brief is repeated, since that is how an agent promises.
 */
export function withoutEcho(text: string, brief: string): string {
  const whole = brief.trim()
  const rest = whole === '' ? text : text.replaceAll(whole, '')
  const asking = new Set(
    brief
      .split('\n')
      .map(plain)
      .filter((line) => line.includes(TAG) && !ALONE.test(line)),
  )
  if (asking.size === 0) return rest
  return rest
    .split('\n')
    .filter((line) => !line.includes(TAG) || !asking.has(plain(line)))
    .join('\n')
}

const TAG = '<promise>'
const ALONE = /^[\W_]*<promise>[^<]*<\/promise>[\W_]*$/

/** Agents indent, quote and number what they repeat. */
function plain(line: string): string {
  return line.replace(/^[\s>|*#\d.:-]+/, '').trimEnd()
}
