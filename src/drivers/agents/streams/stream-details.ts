import { isAbsolute, relative } from 'node:path'
import type { Action } from '../../../core/action.ts'
import { LABEL_LENGTH_MAX, uncutActionOf } from '../../../core/action-of.ts'
import type { Usage } from '../../../core/event-data.ts'
import { redactedLine } from '../../../journal/redacted-cut.ts'
import type { AgentSession, WorkDetails, WorkRequest } from '../../../ports/agent.ts'
import { cleanText } from '../../../process/clean-text.ts'
import type { StreamReading } from './stream-reading.ts'

/** What the stream told of the work, whatever its end. */
export async function detailsOf(
  reading: StreamReading,
  { cwd, lastSession }: WorkRequest,
  session: string | undefined,
): Promise<WorkDetails> {
  const before = lastSession !== undefined && lastSession.id === session ? lastSession : undefined
  const isSame = before !== undefined && (reading.session ?? session) === before.id
  const used = usedOf(reading, isSame ? before : undefined)
  const sessionUsed = reading.sessionUsed ?? (isSame ? before.used : undefined)
  const called = [...reading.actions, ...reading.calls.map(uncutActionOf)]
  const actions = await Promise.all(called.map((action) => clean(action, cwd)))
  return {
    ...used,
    ...(reading.session === undefined ? {} : { session: reading.session }),
    ...(sessionUsed === undefined ? {} : { sessionUsed }),
    ...(reading.model === undefined ? {} : { model: reading.model }),
    ...(actions.length === 0 ? {} : { actions, actionsCut: reading.actionsCut }),
    ...(reading.files.length === 0 ? {} : { files: reading.files.map((file) => withinFolder(cleanText(file), cwd)) }),
    words: cleanText(reading.words),
  }
}

/** Where the agent counts over a session, the difference to what was known of it is what this work used. */
function usedOf({ used, sessionUsed }: StreamReading, before: AgentSession | undefined): Usage {
  const costUsd = sessionUsed?.costUsd === undefined ? used.costUsd : difference(sessionUsed.costUsd, before?.used?.costUsd)
  const tokens = sessionUsed?.tokens === undefined ? used.tokens : difference(sessionUsed.tokens, before?.used?.tokens)
  return {
    ...(costUsd === undefined ? {} : { costUsd: Number(costUsd.toFixed(9)) }),
    ...(tokens === undefined ? {} : { tokens }),
  }
}

/** A count that went back was begun anew. */
function difference(total: number, before = 0): number {
  return total >= before ? total - before : total
}

/** For people, without what a terminal would obey, and without secrets. */
async function clean({ label, ...action }: Action, cwd: string): Promise<Action> {
  const short = label === undefined ? '' : await redactedLine(cleanText(label).replaceAll(`${cwd}/`, ''), LABEL_LENGTH_MAX)
  return { ...action, name: cleanText(action.name), ...(short === '' ? {} : { label: short }) }
}

function withinFolder(file: string, cwd: string): string {
  const inside = isAbsolute(file) ? relative(cwd, file) : file
  return inside === '' || inside.startsWith('..') ? file : inside
}
