/** A file that the question is about, and why it is thought so. */
export interface RelevantFile {
  readonly path: string
  readonly score: number
  readonly reasons: readonly string[]
}

/** The relevant files as estimated last. */
export interface CoverageEstimate {
  /** The most relevant first, at most `RELEVANT_FILES_MAX`. */
  readonly files: readonly RelevantFile[]
  /** How many files the codebase has. */
  readonly filesTotal: number
  /** Relevant files that were analysed, and those that were not, the most relevant first. */
  readonly analysed: readonly string[]
  readonly missing: readonly string[]
  /** Share of the relevant files that were analysed; 1 where none is relevant and something was analysed, else 0. */
  readonly coverage: number
}

/** Sets what was analysed against what is relevant. */
export function coverageOf(files: readonly RelevantFile[], filesTotal: number, analysed: ReadonlySet<string>): CoverageEstimate {
  const paths = files.map(({ path }) => path)
  const seen = paths.filter((path) => analysed.has(path))
  const share = seen.length / Math.max(paths.length, 1)
  return {
    files,
    filesTotal,
    analysed: seen,
    missing: paths.filter((path) => !analysed.has(path)),
    coverage: paths.length === 0 ? Number(analysed.size > 0) : share,
  }
}

/** How many relevant files an estimate keeps. */
export const RELEVANT_FILES_MAX = 500
