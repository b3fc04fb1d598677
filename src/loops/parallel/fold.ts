import { defined } from '../../core/defined.ts'
import { foldWith, type LoopFold } from '../../core/loop.ts'
import { type State, withSlice } from '../../core/state.ts'
import type { ChildProgress, ParallelProgress } from './events.ts'

const NOTHING: ParallelProgress = { children: {}, proven: [], merged: [] }

/**
 * Whether tests may fail still once this child is merged: others are open whose work they are for. The last one needs them all, whatever
 * its own run was allowed to leave.
 */
export function mayLeaveTests(
  children: readonly { readonly id: string }[],
  child: string,
  { merged }: ParallelProgress,
): boolean {
  return children.some(({ id }) => id !== child && !merged.includes(id))
}

/** How far a parallel run is. */
export function progressOf({ slices }: State): ParallelProgress {
  return slices?.parallel ?? NOTHING
}

/** Keeps how far the children are, and what is merged. */
export const parallelFold: LoopFold = foldWith({
  'queue.opened': (state, { data: { tree, branch, tip, isDirty } }) =>
    change(state, { tree, branch, ...defined({ tip, isDirty }) }),
  'child.started': (state, { data: { key: _key, ...start } }) => {
    const before = progressOf(state).children[start.child]
    return changeChild(state, start.child, {
      ...start,
      status: 'working',
      costUsd: before?.costUsd ?? 0,
      ...defined({ result: before?.result }),
    })
  },
  'child.asked': (state, { data: { child, text } }) => update(state, child, { status: 'asking', asks: text }),
  'child.continued': (state, { data: { child } }) => update(state, child, { status: 'working' }),
  'child.finished': (state, { data: { key: _key, child, run: _run, ...result } }) => {
    const { proven } = progressOf(state)
    const costUsd = (progressOf(state).children[child]?.costUsd ?? 0) + result.costUsd
    const updated = update(state, child, { status: result.status, result, costUsd })
    const counted = spent(updated, result)
    return result.status === 'proven' ? change(counted, { proven: [...proven.filter((id) => id !== child), child] }) : counted
  },
  'child.merged': (state, { data: { child, tree, tip, how } }) => {
    const { merged, children, failing: before = 0 } = progressOf(state)
    const failing = how === 'contained' ? before : (children[child]?.result?.failing ?? 0)
    return change(update(state, child, { status: 'merged' }), { tree, failing, merged: [...merged, child], ...defined({ tip }) })
  },
  'winner.chosen': (state, { data }) => change(state, { winner: data }),
  'losers.stopped': (state) => change(state, { areLosersStopped: true }),
  'result.landed': (state, { data: { key: _key, ...landed } }) => change(state, { landed }),
  // Another look at those that asked: they may have been answered meanwhile.
  'run.resumed': (state) => withStatus(state, 'asking', 'working'),
  // A person wants those that failed to be tried again.
  'iteration.started': (state) => {
    const { landed, ...rest } = progressOf(state)
    if (!state.slices?.parallel) return state
    const kept = landed?.result === 'done' ? { landed } : {}
    const children = Object.fromEntries(
      Object.entries(rest.children).map(([id, child]) => [
        id,
        child.status === 'failed' ? { ...child, status: 'open' as const } : child,
      ]),
    )
    return withSlice(state, 'parallel', { ...rest, ...kept, children })
  },
})

function change(state: State, more: Partial<ParallelProgress>): State {
  return withSlice(state, 'parallel', { ...progressOf(state), ...more })
}

function changeChild(state: State, id: string, child: ChildProgress): State {
  return change(state, { children: { ...progressOf(state).children, [id]: child } })
}

function update(state: State, id: string, more: Partial<ChildProgress>): State {
  const before = progressOf(state).children[id]
  if (!before) return state
  const { asks: _asked, ...rest } = before
  return changeChild(state, id, { ...rest, ...more })
}

function withStatus(state: State, from: ChildProgress['status'], to: ChildProgress['status']): State {
  const ids = Object.entries(progressOf(state).children).filter(([, { status }]) => status === from)
  return ids.reduce((known, [id]) => update(known, id, { status: to }), state)
}

/** What the children used is what the run used. */
function spent(
  state: State,
  { costUsd, tokens, isCostPartial }: { readonly costUsd: number; readonly tokens: number; readonly isCostPartial?: true },
): State {
  const { totals } = state
  const unpriced = (totals.unpriced ?? 0) + (isCostPartial ? 1 : 0)
  return {
    ...state,
    totals: {
      ...totals,
      costUsd: totals.costUsd + costUsd,
      tokens: totals.tokens + tokens,
      ...(unpriced > 0 ? { unpriced } : {}),
    },
  }
}
