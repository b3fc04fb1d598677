import type { Guard } from '../../src/core/guard.ts'
import { customGuard } from '../../src/guards/index.ts'
import type { State } from '../../src/core/state.ts'

/** A rule of somebody else as a guard: it trips when `holds` is true of the state. Pure, like every guard. */
export function tripWhen(name: string, holds: (state: State) => boolean): Guard {
  return customGuard({
    name,
    inspect: (state) => {
      if (!holds(state)) return undefined
      const facts = [state.current.ended?.seq ?? state.seq]
      return { message: `${name} holds.`, evidence: { facts, measures: {} }, hint: 'It continues when the rule does not hold.' }
    },
  })
}
