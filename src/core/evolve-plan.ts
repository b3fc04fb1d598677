import type { Event } from './event.ts'
import { ledgerFromHere } from './measures/ledger.ts'
import { type Measures, measuresAnew } from './measures/measures.ts'
import type { GuardSpec, RunConfig } from './run-config.ts'
import type { State } from './state.ts'

/** What is to be brought about is known; nothing of it has begun. */
export function planMade(state: State, event: Event<'plan.made'>): State {
  return { ...state, plan: { items: event.data.items, index: -1, firstIteration: 1 } }
}

/** Every item is a loop of its own: its attempts, streaks and limits are counted from its start. What tests are known stays known; what a person allowed was for the item before. */
export function itemStarted(state: State, event: Event<'item.started'>): State {
  const { plan } = state
  if (!plan) return state
  const { index, item } = event.data
  const { question: _over, answer: _taken, allowances: _used, openSuspicions: _accepted, sessions: _left, ...rest } = state
  const { tree } = state
  const isFirst = index === 0
  return {
    ...rest,
    status: 'running',
    waivers: [],
    plan: { ...plan, index, firstIteration: state.current.number + 1 },
    config: withItemLimits(state, plan.items[index]?.settings?.['iterationsMax']),
    ...(isFirst ? {} : { recent: [], notes: [], nudges: [], nudged: [] }),
    ...(isFirst || !tree ? {} : { base: tree, ...baselineOf(state, tree.tree) }),
    ...(isFirst ? {} : { measures: withLedgerAnew(measuresAnew(state.measures, state.current.number)) }),
    message: `Item ${index + 1} of ${plan.items.length} has begun: ${item}.`,
  }
}

/** How many tests ran and were skipped when the last item ended is what this one is compared with. */
function withLedgerAnew(measures: Measures): Measures {
  return { ...measures, ledger: ledgerFromHere(measures.ledger) }
}

/** The item is done, or a person took it as it is. */
export function itemFinished(state: State, event: Event<'item.finished'>): State {
  return { ...state, message: event.data.message }
}

/** What the last item ended with is what the checks say before any work on this one. */
function baselineOf({ current, recent }: State, tree: string): Pick<State, 'baseline'> {
  const last = recent.at(-1)
  const verdict = current.ended?.verdict
  // Where a person mended something before they accepted it, nothing has checked what is there now.
  const isChecked = last !== undefined && last.tree === tree
  return verdict && isChecked ? { baseline: { verdict, tree, failures: last.failures } } : {}
}

/** A limit that a person lifted for one item holds for that item; budgets are for the whole run and stay lifted. */
function withItemLimits({ config, given }: State, iterationsMax: unknown): RunConfig {
  const wanted = typeof iterationsMax === 'number' ? iterationsMax : given.guards.find(isMaximum)?.settings['iterationsMax']
  if (typeof wanted !== 'number') return config
  const guards = config.guards.map((spec) =>
    isMaximum(spec) ? { ...spec, settings: { ...spec.settings, iterationsMax: wanted } } : spec,
  )
  return { ...config, guards }
}

/** Within a plan another configuration leaves the maximum of the item under way as it is, unless it is the maximum that was changed. */
export function withItemMaximum({ plan, config, given }: State, next: RunConfig): RunConfig {
  const held = config.guards.find(isMaximum)
  const isChanged = JSON.stringify(given.guards.find(isMaximum)) !== JSON.stringify(next.guards.find(isMaximum))
  if (!plan || !held || isChanged) return next
  return { ...next, guards: next.guards.map((spec) => (isMaximum(spec) ? held : spec)) }
}

function isMaximum(spec: GuardSpec): boolean {
  return spec.name === 'maxIterations'
}
