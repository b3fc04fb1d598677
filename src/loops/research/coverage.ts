/** A file that the question is about, and why it is thought so. */
export interface RelevantFile {
  readonly path: string
  readonly score: number
  readonly reasons: readonly string[]
}

/** A place that an answer to a question has to have seen: a declaration, a call site, a file on the path between named things. */
export interface NeededPlace {
  /** The question's id. */
  readonly question: string
  readonly kind?: 'declaration' | 'use' | 'path'
  readonly file: string
  readonly line?: number
  /** ``declares `loginUser` ``. */
  readonly why: string
}

/** The files that the questions need, against those that were analysed. */
export interface CoverageEstimate {
  /** The most relevant first, at most `RELEVANT_FILES_MAX`. */
  readonly files: readonly RelevantFile[]
  /** How many files the codebase has. */
  readonly filesTotal: number
  /** Those that were analysed, and those that were not, the most relevant first. */
  readonly analysed: readonly string[]
  readonly missing: readonly string[]
  /** Share of the files that were analysed; 0 if none is known to be relevant, and then it is unknown. */
  readonly coverage: number
  /** Set if no file is known to be relevant: nothing can be said then, and it is never 100%. */
  readonly isUnknown?: true
}

/** Sets what was analysed against what is needed. */
export function coverageOf(files: readonly RelevantFile[], filesTotal: number, analysed: ReadonlySet<string>): CoverageEstimate {
  const paths = files.map(({ path }) => path)
  const seen = paths.filter((path) => analysed.has(path))
  return {
    files,
    filesTotal,
    analysed: seen,
    missing: paths.filter((path) => !analysed.has(path)),
    coverage: seen.length / Math.max(paths.length, 1),
    ...(paths.length === 0 ? { isUnknown: true } : {}),
  }
}

/** How many relevant files an estimate keeps. */
export const RELEVANT_FILES_MAX = 500
