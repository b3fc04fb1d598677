/** What can be covered. */
export const COVERAGE_SCOPES = ['lines', 'branches', 'functions', 'statements'] as const

export type CoverageScope = (typeof COVERAGE_SCOPES)[number]

export interface CoverageFigure {
  readonly covered: number
  readonly total: number
}

/** What a coverage report says, whatever its format. */
export interface CoverageReport {
  /** The files it speaks of, as it names them. */
  readonly files: readonly string[]
  /** Folders from which on it names them, besides the workspace's. */
  readonly roots: readonly string[]
  readonly figures: Partial<Record<CoverageScope, CoverageFigure>>
}

/** Adds up figures. */
export function sumOf(figures: readonly CoverageFigure[]): CoverageFigure {
  return figures.reduce((sum, { covered, total }) => ({ covered: sum.covered + covered, total: sum.total + total }), {
    covered: 0,
    total: 0,
  })
}

/** How many of these counts are above 0. */
export function figureOf(counts: readonly number[]): CoverageFigure {
  return { covered: counts.filter((count) => count > 0).length, total: counts.length }
}
