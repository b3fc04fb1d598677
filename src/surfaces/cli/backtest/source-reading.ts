import type { Skipped } from '../../../present/backtest-lines.ts'

/** How many problems are named one by one. */
const PROBLEMS_KEPT_MAX = 20

/** The reading of several sources: what could not be used, and what was read already. */
export class SourceReading {
  readonly skipped: Skipped = {
    malformed: 0,
    gaps: 0,
    repeated: 0,
    sourcesRepeated: 0,
    damaged: 0,
    withoutIterations: 0,
    unreported: 0,
    problems: [],
  }
  /** Recorded loops with more iterations than their own maximum allows. They are used. */
  beyondMaximum = 0
  /** The first problem of the source that is read now, also where more were met before than are kept. */
  firstProblem: string | undefined
  readonly #paths = new Map<string, string>()
  readonly #loops = new Map<string, string>()

  /** Counts something that could not be used, and says where. */
  skip(what: Exclude<keyof Skipped, 'problems'>, problem?: string): void {
    this.skipped[what]++
    this.firstProblem ??= problem
    if (problem !== undefined && this.skipped.problems.length < PROBLEMS_KEPT_MAX) this.skipped.problems.push(problem)
  }

  /** Whether this file or store is read for the first time. `realPath` is the same whatever it is called. */
  isNewSource(realPath: string, name: string): boolean {
    const before = this.#paths.get(realPath)
    if (before === undefined) this.#paths.set(realPath, name)
    else this.skip('sourcesRepeated', `${name} was named before${before === name ? '' : `, as ${before}`}: it counts once`)
    return before === undefined
  }

  /** Whether this loop is read for the first time. `name` is what people call it, `place` where it stands. */
  isNewLoop(key: string, name: string, place: string): boolean {
    const before = this.#loops.get(key)
    if (before === undefined) this.#loops.set(key, place)
    else this.skip('repeated', `${place}: ${name} was read before from ${before}; it counts once`)
    return before === undefined
  }
}
