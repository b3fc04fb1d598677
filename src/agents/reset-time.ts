import type { Instant } from '../core/event.ts'

/**
 * When a limit is lifted, as a provider's error says it: seconds or milliseconds since the epoch, ISO 8601, a span (`try again in
 * 2 days 17 hours`), or a time of day (`resets 3pm (UTC)`, `resets Oct 6, 10am (Europe/Berlin)`; without a zone that of this machine).
 * `undefined` if it names no time, or an implausible one. Pass only the text of an error.
 */
export function resetTime(text: string, now: Instant): Instant | undefined {
  for (const read of [fromEpoch, fromIso, fromSpan, fromClock]) {
    const instant = read(text, now)
    if (instant !== undefined && Math.abs(instant - now) < AWAY_MS_MAX) return instant
  }
  return undefined
}

/** Seconds, or milliseconds if that many seconds would be in the far future. */
export function instantFromEpoch(value: number): Instant {
  return Math.round(value < 1e11 ? value * 1000 : value)
}

const DAY_MS = 24 * 3_600_000
/** Providers count in weeks or months; a time further away isn't a reset time. */
const AWAY_MS_MAX = 100 * DAY_MS

function fromEpoch(text: string): Instant | undefined {
  const found = /(?:limit reached\||"?(?:resets?_?at|reset_?time)"?\s*[:=]\s*"?)(\d{10}|\d{13})\b/i.exec(text)?.[1]
  return found === undefined ? undefined : instantFromEpoch(Number(found))
}

function fromIso(text: string): Instant | undefined {
  const found =
    /\b(?:resets?|reset_?at|reset_?time|retry|try again|available|until)\b[^\d\n]{0,20}(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| ?UTC|[+-]\d\d:?\d\d))/i.exec(
      text,
    )?.[1]
  const instant = found === undefined ? Number.NaN : Date.parse(found.replace(/ ?UTC$/, 'Z').replace(' ', 'T'))
  return Number.isNaN(instant) ? undefined : instant
}

function fromSpan(text: string, now: Instant): Instant | undefined {
  const seconds = /"?(?:resets_in_seconds|retry[-_]after)"?\s*[:=]\s*"?(\d+(?:\.\d+)?)\b(?!-)/i.exec(text)?.[1]
  if (seconds !== undefined) return Math.round(now + Number(seconds) * 1000)
  const span =
    /(?:\b(?:try again|retry|resets?|available(?: again)?) (?:in|after) (?:about |~)?|"retryDelay"\s*:\s*")((?:\d+(?:\.\d+)?\s*[a-z]+(?:,? and |,? ?)?)+)/i.exec(
      text,
    )?.[1]
  if (span === undefined) return undefined
  let spanMs = 0
  for (const [, amount, unit = ''] of span.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)) {
    const unitMs = UNITS_MS.get(unit.toLowerCase().replace(/(?<=..)s$/, ''))
    // What follows the span is no longer a part of it: `try again in 5 minutes 2 more times`.
    if (unitMs === undefined) break
    spanMs += Number(amount) * unitMs
  }
  return spanMs > 0 ? Math.round(now + spanMs) : undefined
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['millisecond', 1],
  ['s', 1000],
  ['sec', 1000],
  ['second', 1000],
  ['m', 60_000],
  ['min', 60_000],
  ['minute', 60_000],
  ['h', 3_600_000],
  ['hr', 3_600_000],
  ['hour', 3_600_000],
  ['d', DAY_MS],
  ['day', DAY_MS],
])

const CLOCK =
  /\b(?:resets?|try again|available(?: again)?)(?: at| on)? (?:([A-Z][a-z]{2})[a-z]* (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?,?(?: at)? )?(\d{1,2})(?::(\d\d))?\s?([ap]m)?(?: \(?([A-Z][\w/+-]+)\)?)?/i

function fromClock(text: string, now: Instant): Instant | undefined {
  const [whole, monthName, day, year, hourText, minuteText, half, zoneName = ''] = CLOCK.exec(text) ?? []
  // A bare number is no time of day.
  if (whole === undefined || (minuteText === undefined && half === undefined)) return undefined
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0)
  const minute = Number(minuteText ?? 0)
  if (hour > 23 || minute > 59) return undefined
  const zone = isZone(zoneName) ? zoneName : Intl.DateTimeFormat().resolvedOptions().timeZone
  const time = { hour, minute, zone }
  if (monthName === undefined || day === undefined) return endOfMinute(nextOfDay(time, now), now)
  const month = MONTHS.indexOf(monthName.toLowerCase())
  if (month === -1) return undefined
  const thisYear = new Date(now).getUTCFullYear()
  const years = year === undefined ? [thisYear - 1, thisYear, thisYear + 1] : [Number(year)]
  const instants = years.map((each) => instantInZone({ year: each, month, day: Number(day), ...time }))
  return endOfMinute(instants.toSorted((a, b) => Math.abs(a - now) - Math.abs(b - now))[0], now)
}

/** A time of day has no seconds, so the minute has to be over; if it just passed, wait one more minute. */
function endOfMinute(minute: Instant | undefined, now: Instant): Instant | undefined {
  if (minute === undefined) return undefined
  const end = minute + MINUTE_MS
  return end <= now && end > now - JUST_GONE_MS ? now + MINUTE_MS : end
}

const MINUTE_MS = 60_000

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** A time that has just gone by was meant for today: the limit is lifted, and waiting until tomorrow would be wrong. */
const JUST_GONE_MS = 15 * 60_000

function nextOfDay(time: { hour: number; minute: number; zone: string }, now: Instant): Instant | undefined {
  return [-1, 0, 1, 2]
    .map((days) => {
      const date = new Date(now + days * DAY_MS)
      return instantInZone({ year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate(), ...time })
    })
    .find((instant) => instant > now - JUST_GONE_MS)
}

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
function instantInZone({ year, month, day, hour, minute, zone }: WallTime): Instant {
  const asUtc = Date.UTC(year, month, day, hour, minute)
  const guess = asUtc - offsetMs(asUtc, zone)
  // The offset may be another one at the guessed instant: the change to or from summer time lies between.
  return asUtc - offsetMs(guess, zone)
}

/** Whether this machine knows a time zone of this name. */
function isZone(name: string): boolean {
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
