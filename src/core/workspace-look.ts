import type { Event, Seq } from './event.ts'
import type { State } from './state.ts'

/**
 * What an agent left behind has to be looked at before anybody else may edit. Half-done work that is to be undone comes first, and a
 * look that is wanted already stays as old as it is.
 */
export function withLeft(state: State, cause: Seq): State {
  if (state.tree === undefined || state.workspace === 'left' || state.workspace === 'restore') return state
  return { ...state, workspace: 'left', workspaceCause: cause }
}

/** What a person may have changed has to be looked at, once that of the agents is settled: theirs must not be taken for a person's. */
export function withPersonLook(state: State, cause: Seq): State {
  if (state.tree === undefined) return { ...state, workspace: 'known', workspaceCause: cause }
  if (state.workspace === 'left' || state.workspace === 'restore') return state
  return { ...state, workspace: 'observe', workspaceCause: cause }
}

/** What a look settles. One that ran while another agent's work ended may not show what that one left: it is looked at again. */
export function afterLook(state: State, event: Event<'workspace.observed'>): Pick<State, 'workspace' | 'workspaceCause'> {
  const { workspace, workspaceCause, current } = state
  if (workspace === 'restore') return { workspace, workspaceCause }
  if (workspace !== 'left') return { workspace: 'known', workspaceCause }
  const ended = [current.work.at(-1), current.asked?.at(-1), current.problem, current.limit].map((each) => each?.seq ?? 0)
  const isStale = Math.max(...ended) > workspaceCause
  return isStale ? { workspace, workspaceCause: event.seq } : { workspace: 'known', workspaceCause }
}
