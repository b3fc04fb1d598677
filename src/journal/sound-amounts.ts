import type { SessionUsage, Usage } from '../core/event-data.ts'
import { isCost, isSound, isTokenCount, soundUsage } from '../core/spending.ts'
import type { StoredEvent } from '../core/event.ts'

/**
 * An event without amounts that cannot be any, as they were once taken from whoever told them. What is written stays as it is; the same
 * event is given back where there is nothing to leave out.
 */
export function withSoundAmounts(event: StoredEvent): StoredEvent {
  const { data } = event
  if (typeof data !== 'object' || data === null) return event
  const told = data as Usage & SessionUsage
  const isSumSound = told.sessionUsed === undefined || isSound(told.sessionUsed)
  if (isSound(told) && isSumSound) return event
  // What was not known of an iteration is 0 there; what is missing, the facts of its work say.
  if (event.type === 'iteration.ended') {
    const { costUsd, tokens } = told
    return { ...event, data: { ...told, costUsd: isCost(costUsd) ? costUsd : 0, tokens: isTokenCount(tokens) ? tokens : 0 } }
  }
  const { sessionUsed, ...rest } = soundUsage(told)
  return { ...event, data: { ...rest, ...(isSumSound && sessionUsed ? { sessionUsed } : {}) } }
}
