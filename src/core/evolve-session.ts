import type { Event } from './event.ts'
import { actionsWith } from './measures/actions.ts'
import { CHECKPOINTS_MAX, type State } from './state.ts'

/** The run belongs to this session of an agent from now on. */
export function bound(state: State, event: Event<'run.bound'>): State {
  return { ...state, bound: { ...event.data, seq: event.seq } }
}

/** It is nobody's again. Another session that it was given to meanwhile keeps it. */
export function unbound(state: State, event: Event<'run.unbound'>): State {
  const { bound: last, ...rest } = state
  const isTheirs = last?.agent === event.data.agent && last.session === event.data.session
  return isTheirs ? rest : state
}

/** The agent did something. */
export function acted(state: State, event: Event<'work.acted'>): State {
  const actions = actionsWith(state.measures.actions, event.data.actions, event.seq)
  return { ...state, measures: { ...state.measures, actions } }
}

/** A place to come back to. */
export function checkpointCreated(state: State, event: Event<'checkpoint.created'>): State {
  const { checkpoint, snapshot, tree, expiresAt } = event.data
  const made = { checkpoint, seq: event.seq, snapshot, tree, expiresAt }
  return { ...state, checkpoints: [...state.checkpoints, made].slice(-CHECKPOINTS_MAX) }
}

/** It is no longer offered; the journal stays whole. */
export function checkpointDropped(state: State, event: Event<'checkpoint.dropped'>): State {
  return { ...state, checkpoints: state.checkpoints.filter(({ checkpoint }) => checkpoint !== event.data.checkpoint) }
}
