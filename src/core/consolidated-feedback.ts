import type { Failure } from './failure.ts'
import { failureItem } from './failure-item.ts'
import { failureRank } from './failure-rank.ts'
import { failureFingerprint } from './measures/fingerprint.ts'
import type { State } from './state.ts'

/**
 * What failed over all attempts, without repeats, at most ten lines: what fails now before what was overcome, the most severe first,
 * each with the iterations it failed in.
 */
export function consolidatedFeedback({ recent }: State): readonly string[] {
  const seen = new Map<string, Seen>()
  for (const { iteration, failures } of recent) {
    for (const failure of failures) {
      const key = failureFingerprint([failure])
      const before = seen.get(key)
      const iterations = before?.iterations ?? []
      const isRepeat = iterations.at(-1) === iteration
      seen.set(key, { failure, iterations: isRepeat ? iterations : [...iterations, iteration] })
    }
  }
  const last = recent.at(-1)?.iteration ?? 0
  // Where tests did not run, nobody knows whether one that is not among the failures would pass.
  const over = recent.at(-1)?.notRun === undefined ? 'not any more' : 'not seen since'
  const ranked = [...seen.values()].toSorted(
    (one, other) =>
      Number(isNow(other, last)) - Number(isNow(one, last)) || failureRank(one.failure) - failureRank(other.failure),
  )
  const lines = ranked.map((each) => `${failureItem(each.failure)} (${whenOf(each, last, over)})`)
  if (lines.length <= LINES_MAX) return lines
  return [...lines.slice(0, LINES_MAX - 1), `… and ${lines.length - LINES_MAX + 1} more`]
}

interface Seen {
  readonly failure: Failure
  readonly iterations: readonly number[]
}

const LINES_MAX = 10

function isNow({ iterations }: Seen, last: number): boolean {
  return iterations.at(-1) === last
}

function whenOf(seen: Seen, last: number, over: string): string {
  const { iterations } = seen
  const [first] = iterations
  const end = iterations.at(-1) ?? 0
  const isRow = end - (first ?? 0) + 1 === iterations.length
  const which = iterations.length > 1 && isRow ? `${first} to ${end}` : iterations.join(', ')
  return `iteration${iterations.length === 1 ? '' : 's'} ${which}${isNow(seen, last) ? '' : `, ${over}`}`
}
