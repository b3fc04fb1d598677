import type { Instant } from '../core/event.ts'

/** A time as a clock on the wall of a zone shows it; `month` counts from 0. */
export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly zone: string
}

/** The instant at which the clocks of a zone show this time. Where they skip it, the instant an hour beside it. */
export function instantInZone({ year, month, day, hour, minute, zone }: WallTime): Instant {
  const asUtc = Date.UTC(year, month, day, hour, minute)
  const guess = asUtc - offsetMs(asUtc, zone)
  // The offset may be another one at the guessed instant: the change to or from summer time lies between.
  return asUtc - offsetMs(guess, zone)
}

/** Whether this machine knows a time zone of this name. */
export function isZone(name: string): boolean {
  if (name === '') return false
  try {
    return Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** How far the clocks of a zone are ahead of UTC at an instant. */
function offsetMs(instant: Instant, zone: string): number {
  const parts = Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(instant)
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value)
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return shown - Math.floor(instant / 60_000) * 60_000
}
