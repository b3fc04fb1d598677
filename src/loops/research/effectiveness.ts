import type { GapKind } from './gap.ts'
import type { Effectiveness } from './research-progress.ts'

/**
 * How often a specialist closes a kind of gap, as far as a few cases can say: one half where it was sent fewer than three times. Some are
 * closed by what others found, so it is never above 1.
 */
export function closingRate(known: readonly Effectiveness[], kind: GapKind, role: string): number {
  const { tried = 0, closed = 0 } = known.find((each) => each.kind === kind && each.role === role) ?? {}
  return tried < TRIED_MIN ? 0.5 : Math.min(1, (closed + 1) / (tried + 2))
}

const TRIED_MIN = 3

/** The figures of several runs as one, by kind and role. */
export function addedUp(runs: readonly (readonly Effectiveness[])[]): readonly Effectiveness[] {
  const sums = new Map<string, Effectiveness>()
  for (const { kind, role, tried, closed } of runs.flat()) {
    const key = `${kind} ${role}`
    const before = sums.get(key) ?? { kind, role, tried: 0, closed: 0 }
    sums.set(key, { kind, role, tried: before.tried + tried, closed: before.closed + closed })
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}
