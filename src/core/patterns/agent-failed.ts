import type { Pattern } from '../pattern.ts'
import type { State } from '../state.ts'
import { shortened } from '../wording.ts'
import { evidenceOf, howOften, lastWhile } from './attempts.ts'

/** The agent itself failed or ran out of time, at least twice in a row. */
export function agentFailed({ recent }: State): Pattern | undefined {
  const failed = lastWhile(recent, (iteration) => iteration.agentFailed === true)
  const last = failed.at(-1)
  if (!last || failed.length < 2) return undefined
  const message = `The agent itself failed ${howOften(failed, recent)}: ${shortened(last.said ?? '', 200)}`
  return { kind: 'agent-failed', message, evidence: evidenceOf(failed) }
}
