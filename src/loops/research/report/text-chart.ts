import type { Convergence } from '../progress.ts'

/** Coverage and confidence by iteration as bars for a terminal, with a mark where the threshold is. */
export function textChart(
  convergences: readonly Pick<Convergence, 'iteration' | 'coverage' | 'confidence' | 'criteria'>[],
): readonly string[] {
  const last = convergences.at(-1)
  if (!last) return []
  const threshold = (name: string): number | undefined => last.criteria.find(({ criterion }) => criterion === name)?.threshold
  return convergences.flatMap(({ iteration, coverage, confidence }) => [
    `${String(iteration).padStart(3)}  coverage   ${bar(coverage, threshold('coverage'))} ${percent(coverage)}`,
    `     confidence ${bar(confidence, threshold('confidence'))} ${percent(confidence)}`,
  ])
}

const WIDTH = 40

function bar(share: number, threshold: number | undefined): string {
  const filled = Math.round(clamped(share) * WIDTH)
  const mark = threshold === undefined ? -1 : Math.min(WIDTH - 1, Math.round(clamped(threshold) * WIDTH))
  return Array.from({ length: WIDTH }, (_, index) => (index === mark ? '|' : index < filled ? '█' : '·')).join('')
}

function clamped(share: number): number {
  return Math.min(1, Math.max(0, share))
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`.padStart(4)
}
