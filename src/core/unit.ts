import type { State, Unit } from './state.ts'
import { ledgerFromHere } from './measures/ledger.ts'
import { type Measures, measuresAnew } from './measures/measures.ts'
import type { GuardSpec, PartSpec, RunConfig } from './run-config.ts'

/** Which attempt at the unit under way an iteration is, counted from 1; without units, the iteration's own number. */
export function attemptNumber(unit: Unit | undefined, iteration: number): number {
  return iteration - (unit?.firstIteration ?? 1) + 1
}

/** Whether a check is for the unit under way: for all of them, or for this one. */
export function isForUnit(unit: Unit | undefined, { settings }: PartSpec): boolean {
  return unit?.otherChecks?.includes(String(settings['name'])) !== true
}

/**
 * A new unit of work begins: its attempts, streaks and limits are counted from here. Tests that are known stay known; what a person
 * allowed was for the unit before. `iterationsMax` is its own limit.
 */
export function beginUnit(state: State, begun: Omit<Unit, 'firstIteration'>, iterationsMax?: unknown): State {
  const { question: _over, answer: _taken, allowances: _used, openSuspicions: _accepted, ...others } = state
  const { sessions: _left, personEdits: _begun, ...rest } = others
  const { tree } = state
  const isFirst = begun.index === 0
  return {
    ...rest,
    status: 'running',
    waivers: [],
    unit: { ...begun, firstIteration: state.current.number + 1 },
    config: withUnitLimits(state, iterationsMax),
    ...(isFirst ? {} : { recent: [], notes: [], nudges: [], nudged: [] }),
    ...(isFirst || !tree ? {} : { base: tree, ...baselineOf(state, tree.tree) }),
    ...(state.current.packages ? { packages: state.current.packages } : {}),
    ...(isFirst ? {} : { measures: withLedgerAnew(measuresAnew(state.measures, state.current.number)) }),
  }
}

/** How many tests ran and were skipped when the last unit ended is what this one is compared with. */
function withLedgerAnew(measures: Measures): Measures {
  return { ...measures, ledger: ledgerFromHere(measures.ledger) }
}

/** What the last unit ended with is what the checks say before any work on this one. */
function baselineOf({ current, recent }: State, tree: string): Pick<State, 'baseline'> {
  const last = recent.at(-1)
  const verdict = current.ended?.verdict
  // Where a person fixed something before they accepted it, nothing has checked what is there now.
  const isChecked = last !== undefined && last.tree === tree
  return verdict && isChecked ? { baseline: { verdict, tree, failures: last.failures } } : {}
}

/** A limit that a person lifted for one unit holds for that unit; budgets are for the whole run and stay lifted. */
function withUnitLimits({ config, given }: State, iterationsMax: unknown): RunConfig {
  const wanted = typeof iterationsMax === 'number' ? iterationsMax : given.guards.find(isMaximum)?.settings['iterationsMax']
  if (typeof wanted !== 'number') return config
  const guards = config.guards.map((spec) =>
    isMaximum(spec) ? { ...spec, settings: { ...spec.settings, iterationsMax: wanted } } : spec,
  )
  return { ...config, guards }
}

/** Another configuration leaves the maximum of the unit under way as it is, unless it is the maximum that was changed. */
export function withUnitMaximum({ unit, config, given }: State, next: RunConfig): RunConfig {
  const held = config.guards.find(isMaximum)
  const isChanged = JSON.stringify(given.guards.find(isMaximum)) !== JSON.stringify(next.guards.find(isMaximum))
  if (!unit || !held || isChanged) return next
  return { ...next, guards: next.guards.map((spec) => (isMaximum(spec) ? held : spec)) }
}

/** The most iterations that there may be, as it holds in this attempt: one that `extendWhileImproving` allowed raised it. */
export function iterationsMaxIn(guards: readonly GuardSpec[], attempt = 0): number | undefined {
  const { iterationsMax, extendWhileImproving } = guards.find(isMaximum)?.settings ?? {}
  if (typeof iterationsMax !== 'number' || typeof extendWhileImproving !== 'number') return iterationsMax as number | undefined
  return Math.max(iterationsMax, Math.min(attempt, extendWhileImproving))
}

function isMaximum(spec: GuardSpec): boolean {
  return spec.name === 'maxIterations'
}
