import type { LedgerGrid } from './ledger-grid.ts'
import type { RunDetail } from './run-detail.ts'

/** Two runs side by side. */
export interface Comparison {
  readonly a: ComparedRun
  readonly b: ComparedRun
  /** Tests by how they ended in each: at most a hundred of each list. */
  readonly tests: {
    readonly passOnlyInA: readonly string[]
    readonly passOnlyInB: readonly string[]
    readonly failInBoth: readonly string[]
  }
}

export interface ComparedRun extends Pick<
  RunDetail,
  'run' | 'loop' | 'goal' | 'status' | 'message' | 'totals' | 'iterationsDone' | 'iterations' | 'proof' | 'startedAt'
> {
  readonly agent: string
  readonly model?: string
  /** How often each decision was made. */
  readonly decisions: Readonly<Record<string, number>>
  /** Failing tests at first and at last. */
  readonly failingFirst?: number
  readonly failingLast?: number
}

/** Compares two runs. */
export function comparison(
  one: { readonly detail: RunDetail; readonly grid: LedgerGrid },
  other: { readonly detail: RunDetail; readonly grid: LedgerGrid },
): Comparison {
  const [a, b] = [lastResults(one.grid), lastResults(other.grid)]
  const names = [...new Set([...a.keys(), ...b.keys()])]
  const ended = (inA: string, inB: string): readonly string[] =>
    names.filter((name) => a.get(name) === inA && b.get(name) === inB).slice(0, TESTS_MAX)
  return {
    a: compared(one.detail),
    b: compared(other.detail),
    tests: {
      passOnlyInA: ended('passed', 'failed'),
      passOnlyInB: ended('failed', 'passed'),
      failInBoth: ended('failed', 'failed'),
    },
  }
}

const TESTS_MAX = 100

/** Tests that always passed are in no grid, and so in no list. */
function lastResults({ rows }: LedgerGrid): ReadonlyMap<string, string> {
  return new Map(rows.map(({ check, test, cells }) => [`${check}: ${test}`, cells.findLast((cell) => cell !== null) ?? '']))
}

function compared(detail: RunDetail): ComparedRun {
  const { run, loop, goal, status, message, totals, iterationsDone, iterations, proof, startedAt, config, start } = detail
  const decisions: Record<string, number> = {}
  for (const { action } of iterations) if (action !== undefined) decisions[action] = (decisions[action] ?? 0) + 1
  const failingFirst = start?.verdict?.failing ?? iterations[0]?.failingBefore
  const failingLast = iterations.findLast(({ failing }) => failing !== undefined)?.failing
  return {
    run,
    loop,
    ...(goal === undefined ? {} : { goal }),
    status,
    message,
    totals,
    iterationsDone,
    iterations,
    ...(proof ? { proof } : {}),
    startedAt,
    agent: config.agent,
    ...(config.model === undefined ? {} : { model: config.model }),
    decisions,
    ...(failingFirst === undefined ? {} : { failingFirst }),
    ...(failingLast === undefined ? {} : { failingLast }),
  }
}
