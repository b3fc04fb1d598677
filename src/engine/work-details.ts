import { ACTIONS_KEPT_MAX } from '../core/action.ts'
import { FILES_KEPT_MAX, type SessionUsage, type TextRef } from '../core/event-data.ts'
import type { Author, Fact } from '../core/event.ts'
import type { RoleSession } from '../core/sessions.ts'
import { isSound } from '../core/sound-usage.ts'
import type { AgentSession, WorkDetails, WorkResult } from '../agents/agent.ts'
import type { Store } from '../stores/store.ts'

/** What the agent did with its tools, as a fact of its own; none where it did nothing, or its driver does not tell. */
export function actedFacts(
  result: WorkResult,
  { key, at, by }: { readonly key: string; readonly at: number; readonly by: Author },
): readonly Fact[] {
  if (result.status === 'aborted') return []
  const { actions = [], actionsCut = 0, files = [] } = result
  if (actions.length === 0 && files.length === 0) return []
  const kept = actions.slice(-ACTIONS_KEPT_MAX)
  const cut = actionsCut + actions.length - kept.length
  const data = {
    key,
    actions: kept,
    ...(cut === 0 ? {} : { cut }),
    ...(files.length === 0 ? {} : { files: files.slice(0, FILES_KEPT_MAX) }),
  }
  return [{ type: 'work.acted', at, by, data }]
}

/** The session that the work was done in, and what it has used in all. */
export function sessionOf({ session, sessionUsed, settlesSession }: WorkDetails): SessionUsage {
  if (session === undefined) return {}
  // A sum that cannot be one is none: the next one that can be brings what this one should have.
  if (sessionUsed === undefined || !isSound(sessionUsed)) return { session }
  return { session, sessionUsed, ...(settlesSession ? { settlesSession } : {}) }
}

/** What an agent is told of the session that it last worked in. */
export function agentSession({ id, used, unsettled }: RoleSession): AgentSession {
  return {
    id,
    ...(used === undefined ? {} : { used }),
    ...(unsettled === undefined ? {} : { unsettled: { tokens: unsettled.tokens } }),
  }
}

/** Keeps what the agent said by reference, where it is not all of what was printed. */
export async function saidIn({ words }: WorkDetails, store: Store): Promise<{ said?: TextRef }> {
  return words === undefined || words === '' ? {} : { said: await store.putText({ text: words, bytesCut: 0 }) }
}
