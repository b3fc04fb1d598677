import type { ProcessIdentity } from '../core/event-data.ts'
import { isVisibleFromHere } from './process-identity.ts'
import { lineageOf, readProcess } from './process-table.ts'

/**
 * The one of these recorded processes that this process works for: it descends from it, or is of its session or group. Only one that
 * is still there and the very one that was recorded; `undefined` where there is none, or none that can be seen from here.
 */
export function processAround(recorded: readonly ProcessIdentity[]): ProcessIdentity | undefined {
  const visible = recorded.filter(isVisibleFromHere)
  if (visible.length === 0) return undefined
  const numbers = new Set(lineageOf(process.pid).flatMap(({ pid, group, session }) => [pid, group, session]))
  return visible.find(({ pid, startedAt }) => numbers.has(pid) && readProcess(pid)?.startedAt === startedAt)
}
