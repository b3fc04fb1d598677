/**
 * The output without what test runs that passed have printed between their first and their closing line: a test may well print a report
 * of its own, which fails. Only runners that say where they begin are known (vitest, pytest, TAP with its version line); of runs inside
 * of each other the outermost counts, and of several closing lines of one run the last.
 */
export function withoutPassedRuns(text: string): string {
  const passed = RUNNERS.flatMap((runner) => runsIn(text, runner).filter((run) => run.hasPassed))
  let rest = ''
  let from = 0
  for (const run of passed.toSorted((one, other) => one.from - other.from)) {
    rest += text.slice(from, Math.max(from, run.from))
    from = Math.max(from, run.to)
  }
  return passed.length === 0 ? text : rest + text.slice(from)
}

interface Runner {
  /** The lines that begin a run, and in the group `closing` those that end one. */
  readonly lines: RegExp
  readonly hasFailed: (closing: string) => boolean
  /** Set when the closing lines belong to what is left out, for they are no report by themselves. */
  readonly isWhole?: true
}

const RUNNERS: readonly Runner[] = [
  {
    lines: /^ RUN {2}v\d.*$|^(?<closing> *Test Files {2,}.*\n(?:.*\n){1,6}? *Duration {2,}.*)$/gm,
    hasFailed: (closing) => /\bfailed\b|^ *(?:Type )?Errors {2,}\d/m.test(closing),
  },
  {
    lines:
      /^=+ test session starts =+$|^(?<closing>=+ (?:no tests ran|\d+ [a-z]+(?:, \d+ [a-z]+)*) in \d[\d.]*s(?: \([\d:]+\))? =+)$/gm,
    hasFailed: (closing) => /\d (?:failed|errors?)\b/.test(closing),
  },
  {
    lines: /^TAP version 1[34][ \t]*$|^(?<closing># pass +\d+(?:\n# fail +\d+)?(?:\n# cancelled \d+)?)$/gm,
    hasFailed: (closing) => /^# (?:fail +|cancelled )[1-9]/m.test(closing),
    isWhole: true,
  },
]

interface Run {
  readonly from: number
  readonly to: number
  readonly hasPassed: boolean
}

function runsIn(text: string, { lines, hasFailed, isWhole }: Runner): readonly Run[] {
  const runs: Run[] = []
  let from = 0
  let depth = 0
  for (const { 0: line, index, groups } of text.matchAll(lines)) {
    const closing = groups?.['closing']
    if (closing === undefined) {
      if (depth === 0) from = isWhole ? index : index + line.length + 1
      depth += 1
    } else if (depth <= 1 && (depth === 1 || runs.length > 0)) {
      // Without a beginning of its own it is the last one's: what seemed to close that was printed by a test.
      if (depth === 0) runs.pop()
      depth = 0
      runs.push({ from, to: isWhole ? index + line.length : index, hasPassed: !hasFailed(closing) })
    } else depth = Math.max(0, depth - 1)
  }
  return runs
}
