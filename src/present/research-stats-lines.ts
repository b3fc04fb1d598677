import type { ResearchStatistics } from '../loops/research/index.ts'
import { counted } from '../core/wording.ts'
import type { Screen } from './screen.ts'
import { tableLines } from './table-lines.ts'
import { labelled } from './text-layout.ts'

/** What all research says together: how often it converged, which specialist closes what, and thresholds to think about. */
export function researchStatsLines(statistics: ResearchStatistics, screen: Screen): readonly string[] {
  const { over, full, convergenceRate, effectiveness, proposals } = statistics
  if (over === 0) return []
  const rows = effectiveness.map(({ kind, role, tried, closed }) => [kind, role, String(tried), String(closed)])
  const ended = `${counted(over, 'run')} over, ${full} of them full (${percent(convergenceRate ?? 0)})`
  return [
    ...labelled('Converged', ended, screen.columns),
    ...(rows.length === 0 ? [] : tableLines(['gap', 'specialist', 'sent', 'closed'], rows, screen)),
    ...proposals.flatMap(({ kind, criterion, threshold, proposed, missed, over: all }) =>
      labelled(
        'Think of',
        `${criterion} ${proposed} in place of ${threshold} for questions of the kind ${kind}: ${missed} of ${all} runs missed only that (min_${criterion} in pawl-research.yaml)`,
        screen.columns,
      ),
    ),
  ]
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}
