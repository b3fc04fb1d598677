import { type Finding, isLive } from './finding.ts'
import type { ResearchProgress } from './research-progress.ts'

/** The findings that still count. */
export function liveFindings({ findings }: Pick<ResearchProgress, 'findings'>): readonly Finding[] {
  return findings.filter(isLive)
}

/** The sum of all confidences by their count; 0 where nothing was found. */
export function averageConfidence(research: Pick<ResearchProgress, 'findings'>): number {
  const live = liveFindings(research)
  const sum = live.reduce((total, { confidence }) => total + confidence, 0)
  return live.length === 0 ? 0 : Math.round((sum / live.length) * 10_000) / 10_000
}
