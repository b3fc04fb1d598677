import type { Action } from '../../src/core/action.ts'
import type { IterationSummary, State } from '../../src/core/state.ts'

/** The agent's last calls with what came back, the newest last. Recorded loops have at most one an iteration. */
export function actionsOf({ measures }: State): readonly Action[] {
  return measures.actions.last
}

/** Whether this iteration did anything at all: a rule about calls is asked only when there was one. */
export function hasActed({ measures, current }: State): boolean {
  return (measures.actions.facts.at(-1) ?? 0) > current.seq
}

/** An iteration that was checked and did not pass, or met with an error. One of which nothing is known did neither. */
export function hasFailed({ verdict }: IterationSummary): boolean {
  return !verdict.passed && verdict.failing > 0
}

/** An iteration that met with an error: a failure that says something. */
export function hasError({ failures }: IterationSummary): boolean {
  return failures.length > 0
}

/** Whether there are `count` values at the end that are all the same; none is shorter than that. */
export function isSameAtEnd<Value>(
  values: readonly Value[],
  count: number,
  isSame: (one: Value, other: Value) => boolean,
): boolean {
  const last = values.slice(-count)
  const [first] = last
  return first !== undefined && last.length === count && last.every((value) => isSame(value, first))
}

/** The same call, whatever came back. */
export function isSameCall(one: Action, other: Action): boolean {
  return one.name === other.name && one.input === other.input
}

/** The same came back, or nothing was recorded of either. */
export function isSameResult(one: Action, other: Action): boolean {
  return one.result === other.result
}

/** The same call with the same that came back. */
export function isSameCallAndResult(one: Action, other: Action): boolean {
  return isSameCall(one, other) && isSameResult(one, other)
}
