import type { TranscriptTurn } from './transcript-turn.ts'

/** What a turn used, as far as its transcript tells. */
export type Used = Pick<TranscriptTurn, 'tokens' | 'costUsd'>

/** The sum of both; what neither tells stays unknown. */
export function usedTogether(one: Used, other: Used): Used {
  const tokens = (one.tokens ?? 0) + (other.tokens ?? 0)
  const costUsd = Number(((one.costUsd ?? 0) + (other.costUsd ?? 0)).toFixed(9))
  return {
    ...(one.tokens === undefined && other.tokens === undefined ? {} : { tokens }),
    ...(one.costUsd === undefined && other.costUsd === undefined ? {} : { costUsd }),
  }
}
