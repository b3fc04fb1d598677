import type { TestOutcome } from '../core/failure.ts'
import type { CheckEnded } from '../core/event-data.ts'
import type { Event } from '../core/event.ts'

/** A test's result in an iteration; `null` if unknown then. */
export type LedgerCell = 'passed' | 'failed' | 'not run' | 'vanished' | null

/** One test over the iterations. */
export interface LedgerRow {
  readonly check: string
  readonly test: string
  /** One for each iteration of the grid. */
  readonly cells: readonly LedgerCell[]
  /** The iteration in which the test was added; absent if it was there at first, or if the check's report doesn't list passing tests. */
  readonly newIn?: number
}

/** Tests by iterations: which failed, were fixed, broke, vanished or came in when. */
export interface LedgerGrid {
  /** The iterations in which checks ran; 0 is the look before any work. */
  readonly iterations: readonly number[]
  /** Tests that didn't simply pass each time, in the order in which they were first named. */
  readonly rows: readonly LedgerRow[]
  /** How many tests are known to have passed each time: they have no row. */
  readonly steady: number
}

/** Reads the grid out of a run's events. */
export function ledgerGrid(events: readonly Event[]): LedgerGrid {
  const fold = new LedgerFold()
  for (const event of events) fold.take(event)
  return fold.grid()
}

/** The grid, taken in event by event. */
export class LedgerFold {
  readonly #iterations: number[] = []
  readonly #checks = new Map<string, CheckTests>()
  #grid: LedgerGrid | undefined

  take(event: Event): void {
    if (event.type !== 'check.passed' && event.type !== 'check.failed' && event.type !== 'check.errored') return
    this.#grid = undefined
    const iteration = Number(event.data.key.split('/')[0])
    if (this.#iterations.at(-1) !== iteration) this.#iterations.push(iteration)
    if (event.type === 'check.errored') return
    const tests = this.#checks.get(event.data.name) ?? new CheckTests()
    this.#checks.set(event.data.name, tests)
    tests.take(iteration, event.data)
  }

  /** The same grid until another event was taken in: a page asks for many parts of it. */
  grid(): LedgerGrid {
    this.#grid ??= this.#made()
    return this.#grid
  }

  #made(): LedgerGrid {
    const iterations = [...this.#iterations]
    const rows = [...this.#checks].flatMap(([check, tests]) => tests.rows(check, iterations))
    const known = [...this.#checks.values()].reduce((sum, { count }) => sum + count, 0)
    return { iterations, rows, steady: known - rows.length }
  }
}

type Standing = TestOutcome | 'gone'

/** What is known of one check's tests. Its events name only the tests that changed. */
class CheckTests {
  readonly #ran = new Set<number>()
  readonly #changes = new Map<string, { readonly iteration: number; readonly to: Standing }[]>()
  #first: number | undefined
  /** Whether its first report named every test: only then is one that is named later a new one. */
  #isListed = false

  get count(): number {
    return this.#changes.size
  }

  take(iteration: number, { counts, tests: { changed, gone } = { changed: [], gone: [] } }: CheckEnded): void {
    this.#ran.add(iteration)
    if (this.#first === undefined) {
      this.#first = iteration
      this.#isListed = counts !== undefined && changed.length >= counts.passed + counts.failed + counts.skipped
    }
    const changes: readonly (readonly [id: string, to: Standing])[] = [...changed, ...gone.map((id) => [id, 'gone'] as const)]
    for (const [id, to] of changes) {
      const known = this.#changes.get(id)
      if (known) known.push({ iteration, to })
      else this.#changes.set(id, [{ iteration, to }])
    }
  }

  rows(check: string, iterations: readonly number[]): readonly LedgerRow[] {
    return [...this.#changes].flatMap(([test, changes]) => {
      const seen = changes[0]?.iteration
      const isNew = this.#isListed && seen !== this.#first
      if (!isNew && seen === this.#first && changes.every(({ to }) => to === 'passed')) return []
      // Both lists are in order, so one walk over the changes is enough.
      let known = 0
      const cells = iterations.map((iteration): LedgerCell => {
        while (known < changes.length && (changes[known]?.iteration ?? 0) <= iteration) known++
        const last = changes[known - 1]
        if (!last) return null
        return this.#ran.has(iteration) || last.to === 'gone' ? CELLS[last.to] : 'not run'
      })
      return [{ check, test, cells, ...(isNew && seen !== undefined ? { newIn: seen } : {}) }]
    })
  }
}

const CELLS = { passed: 'passed', failed: 'failed', skipped: 'not run', gone: 'vanished' } as const
