import type { Action } from '../action.ts'
import type { Seq } from '../event.ts'

/** The agent's last actions, the newest last; at most `ACTIONS_REMEMBERED_MAX`, over iterations and crashes. */
export interface ActionsSeen {
  readonly last: readonly Action[]
  /** The facts they come from, the newest last. */
  readonly facts: readonly Seq[]
}

/** How many actions are looked back over. */
const ACTIONS_REMEMBERED_MAX = 60
const FACTS_MAX = 10

/** Nothing was done yet. */
export const initialActions: ActionsSeen = { last: [], facts: [] }

/** Adds what was done. */
export function actionsWith({ last, facts }: ActionsSeen, actions: readonly Action[], seq: Seq): ActionsSeen {
  return {
    last: [...last, ...actions].slice(-ACTIONS_REMEMBERED_MAX),
    facts: [...facts, seq].slice(-FACTS_MAX),
  }
}
