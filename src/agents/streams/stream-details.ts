import { isAbsolute, relative } from 'node:path'
import type { Action } from '../../core/action.ts'
import { LABEL_LENGTH_MAX, uncutActionOf } from '../../core/action-of.ts'
import type { Usage } from '../../core/event-data.ts'
import { redactedLine } from '../../secrets/filter.ts'
import type { AgentSession, WorkDetails, WorkRequest } from '../agent.ts'
import { cleanText } from '../../process/output.ts'
import type { StreamReading } from './stream-reading.ts'

/** What the stream told of the work, whatever its end. */
export async function detailsOf(
  reading: StreamReading,
  { cwd, lastSession }: WorkRequest,
  session: string | undefined,
): Promise<WorkDetails> {
  const before = lastSession !== undefined && lastSession.id === session ? lastSession : undefined
  const isSame = before !== undefined && (reading.session ?? session) === before.id
  const last = isSame ? before : {}
  const used = usedOf(reading, last)
  const called = [...reading.actions, ...reading.calls.map(uncutActionOf)]
  const actions = await Promise.all(called.map((action) => clean(action, cwd)))
  return {
    ...used,
    ...(reading.session === undefined ? {} : { session: reading.session }),
    ...(reading.sessionUsed === undefined ? {} : { sessionUsed: reading.sessionUsed }),
    ...(isSettling(reading, last) ? { settlesSession: true } : {}),
    ...(reading.model === undefined ? {} : { model: reading.model }),
    ...(actions.length === 0 ? {} : { actions, actionsCut: reading.actionsCut }),
    ...(reading.files.length === 0 ? {} : { files: reading.files.map((file) => withinFolder(cleanText(file), cwd)) }),
    words: cleanText(reading.words),
  }
}

/**
 * Where the agent counts over a session, the difference to what was known of it is what this work used. Tokens of work that was cut off
 * since are counted already; its cost is not, and comes with this sum.
 */
function usedOf(reading: StreamReading, last: Pick<AgentSession, 'used' | 'unsettled'>): Usage {
  const { used, sessionUsed: total = {}, workUsed = used } = reading
  const isAddedUp = isSessionsSum(reading, last)
  const before = (isAddedUp ? last.used : undefined) ?? {}
  const costUsd =
    total.costUsd === undefined ? used.costUsd : Math.max(total.costUsd - (before.costUsd ?? 0), workUsed.costUsd ?? 0)
  // What the session had used in tokens may not be known though its cost is.
  const isTotalUsable = total.tokens !== undefined && (before.costUsd === undefined || before.tokens !== undefined)
  const counted = isAddedUp ? (before.tokens ?? 0) + (last.unsettled?.tokens ?? 0) : 0
  const tokens = isTotalUsable ? Math.max(total.tokens - counted, workUsed.tokens ?? 0) : workUsed.tokens
  return {
    ...(costUsd === undefined ? {} : { costUsd: Number(costUsd.toFixed(9)) }),
    ...(tokens === undefined ? {} : { tokens }),
  }
}

/** Whether the sum has, beyond doubt, what earlier work of the session used without telling it. Where its size alone speaks for that, others decide. */
function isSettling(reading: StreamReading, last: Pick<AgentSession, 'used' | 'unsettled'>): boolean {
  const isCertain = reading.isSessionSum || reading.workUsed?.tokens !== undefined
  return isCertain && last.unsettled !== undefined && reading.sessionUsed?.tokens !== undefined && isSessionsSum(reading, last)
}

/** Whether a sum is the session's and not this work's. Where it is not known what this work used in all, its size has to tell. */
function isSessionsSum(
  { used, sessionUsed: total = {}, workUsed }: StreamReading,
  last: Pick<AgentSession, 'used' | 'unsettled'>,
): boolean {
  if (workUsed?.tokens !== undefined && total.tokens !== undefined) return total.tokens > workUsed.tokens
  return last.used === undefined ? holdsUnsettled(total, used, last) : !isCountedAnew(total, used, last.used)
}

/** The first sum of a session whose work so far was cut off: it is the session's where it holds all of that and this work besides. */
function holdsUnsettled(total: Usage, used: Usage, { unsettled }: Pick<AgentSession, 'unsettled'>): boolean {
  return (total.tokens ?? 0) >= (unsettled?.tokens ?? 0) + (used.tokens ?? 0)
}

/**
 * In a session that goes on an agent counts from the session's start or from this work's, and the same program does either. Cost and
 * tokens are of one form: tokens that do not hold those of this work besides those from before were counted anew.
 */
function isCountedAnew(total: Usage, used: Usage, before: Usage): boolean {
  const { tokens = 0, costUsd = 0 } = before
  const isOfThisWork = total.tokens !== undefined && used.tokens !== undefined && total.tokens <= used.tokens
  const tokensMin = tokens + (used.tokens ?? 0)
  return isOfThisWork || (total.tokens ?? tokensMin) < tokensMin || (total.costUsd ?? costUsd) < costUsd
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
