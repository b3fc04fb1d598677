import type { Failure, FailureKind } from './failure.ts'
import type { State } from './state.ts'
import { counted, shortened } from './wording.ts'

export interface Feedback {
  /** One line. */
  readonly summary: string
  /** What to act on, the most severe first, each whole. */
  readonly items: readonly string[]
  readonly itemsLeftOut: number
}

/** Turns failures into something worth reading: ranked, without repeats, cut at whole items to `lengthMax` characters (default 500). */
export function feedbackFrom(state: State, lengthMax = 500): Feedback {
  const failures = state.recent.at(-1)?.failures ?? state.baseline?.failures ?? []
  const ranked = failures.toSorted((one, other) => severity[one.kind] - severity[other.kind])
  const all = [...new Set(ranked.map((failure) => shortened(itemOf(failure), ITEM_LENGTH_MAX)))]
  const items = all.slice(0, fitting(all, lengthMax))
  const [first] = ranked
  const summary = first
    ? `${counted(failures.length, 'failure')}: ${shortened(`${first.id}: ${first.message}`, 160)}`
    : 'Nothing failed.'
  return { summary, items, itemsLeftOut: all.length - items.length }
}

/** How a failure reads in one line. */
export function itemOf(failure: Failure): string {
  const place = failure.file === undefined ? '' : ` (${failure.file}${failure.line === undefined ? '' : `:${failure.line}`})`
  const hasPair = failure.expected !== undefined && failure.received !== undefined
  const pair = hasPair ? ` Expected ${failure.expected}, received ${failure.received}.` : ''
  return `${failure.id}${place}: ${failure.message}${pair}`
}

/** The first item is always told; after it, as many as fit. */
function fitting(items: readonly string[], lengthMax: number): number {
  let length = 0
  const tooMany = items.findIndex((item, index) => (length += item.length) > lengthMax && index > 0)
  return tooMany === -1 ? items.length : tooMany
}

const ITEM_LENGTH_MAX = 400

const severity: Readonly<Record<FailureKind, number>> = {
  compile: 0,
  environment: 1,
  exception: 2,
  timeout: 3,
  assertion: 4,
  review: 5,
  unknown: 6,
  lint: 7,
}
