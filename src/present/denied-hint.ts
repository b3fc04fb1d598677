import type { Denied } from '../core/denied.ts'
import type { Event } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { withFix } from '../core/wording.ts'
import { isResumedHere } from './is-resumed-here.ts'

/** What agents were denied by their own rules, of each the last time it worked; nothing where it was denied nothing then. */
export function deniedHint(state: State, events: readonly Event[]): readonly string[] {
  const last = new Map<string, Denied | undefined>()
  for (const { type, by, data } of events) {
    if (type === 'work.finished' || type === 'work.failed') last.set(by.name ?? '', data.denied)
  }
  return [...last.values()].flatMap((denied) => (denied ? [isResumedHere(state) ? withFix(denied) : denied.message] : []))
}
