import { boundNow, sessionWords } from '../../core/bound-words.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'

/** Refuses to start an agent of Pawl's own on a run that belongs to an agent's session: two would work on the same files. */
export function requireUnbound(state: State): void {
  const bound = boundNow(state)
  if (!bound) return
  const { run, status } = state
  const there =
    status === 'paused' ? `and is paused: go on there with \`pawl bind ${run}\`` : 'and goes on when that ends its turn: let it'
  const message = `Run ${run} belongs to ${sessionWords(bound)}, ${there}, or take it away from there with: pawl resume ${run} --unbind`
  throw new PawlError('run.bound', message, { value: run })
}
