import { GAPS_MAX, type Gap, type GapSeen } from './gap.ts'
import type { ResearchProgress } from './research-progress.ts'
import { idFrom } from './id-from.ts'

export interface Reconciled {
  /** New ones, and known ones that look different now. */
  readonly found: readonly { readonly gap: string; readonly seen: GapSeen }[]
  readonly closed: readonly string[]
  /** All that are open from now on. */
  readonly open: readonly Gap[]
}

/** Sets what is missing now against the gaps that are known, by their topics. */
export function reconcileGaps(
  { gaps, lastIds }: Pick<ResearchProgress, 'gaps' | 'lastIds'>,
  seen: readonly GapSeen[],
  iteration: number,
): Reconciled {
  const byTopic = new Map(gaps.map((gap) => [gap.topic, gap]))
  const found: { readonly gap: string; readonly seen: GapSeen }[] = []
  const open: Gap[] = []
  let last = lastIds.gap
  for (const each of seen.slice(0, GAPS_MAX)) {
    const known = byTopic.get(each.topic)
    if (known) {
      const hasMoved = JSON.stringify({ ...known, ...each }) !== JSON.stringify(known)
      open.push(hasMoved ? { ...known, ...each, attempts: 0 } : known)
      if (hasMoved) found.push({ gap: known.id, seen: each })
      continue
    }
    const id = idFrom('gap', ++last)
    found.push({ gap: id, seen: each })
    open.push({ ...each, id, seq: 0, iterationFound: iteration, attempts: 0, failures: 0, status: 'open' })
  }
  const topics = new Set(seen.map(({ topic }) => topic))
  return { found, open, closed: gaps.filter(({ topic }) => !topics.has(topic)).map(({ id }) => id) }
}
