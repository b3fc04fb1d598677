import type { Event } from '../../core/event.ts'

/** Whether a report of tests is among the facts. */
export function hasReport(events: readonly Event[]): boolean {
  return events.some(({ type }) => type === 'check.passed' || type === 'check.failed')
}

/**
 * The turns of an imported session, so that only those count as failed whose tests failed. How a turn without a report stood nobody knows:
 * it is no iteration of its own that could fail, but a part of the one that ends with the next report, and has that one's number. There
 * are as many lists as before, so that guards are still asked after each turn.
 */
export function joinedTurns(turns: readonly (readonly Event[])[]): readonly (readonly Event[])[] {
  const joined: (readonly Event[])[] = []
  let iteration = turns.length
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index] ?? []
    const isReported = hasReport(turn)
    if (isReported) iteration = index + 1
    const isFirst = index === 0 || hasReport(turns[index - 1] ?? [])
    joined.push(
      turn.flatMap((event): readonly Event[] => {
        if (event.type === 'iteration.ended') return isReported ? [event] : []
        if (event.type !== 'iteration.started') return [event]
        return isFirst ? [{ ...event, data: { iteration } }] : []
      }),
    )
  }
  return joined.toReversed()
}
