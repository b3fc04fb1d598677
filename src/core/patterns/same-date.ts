/**
 * Whether two texts are one date or moment, written differently: the same moment in another zone or without one, the same day with and
 * without a time, the same day in another order of day, month and year, or as seconds since the epoch.
 */
export function sameDate(one: string, other: string): boolean {
  const isDayEnough = !one.includes(':') || !other.includes(':')
  // A zone that was lost on the way is a format, too; where both name theirs, only the moment counts.
  const isClockEnough = !(hasZone(one) && hasZone(other))
  const first = datesIn(one, isDayEnough, isClockEnough)
  const second = datesIn(other, isDayEnough, isClockEnough)
  if (first.length === 0 || second.length === 0 || (isEpoch(one) && isEpoch(other))) return false
  return first.some((moment) => second.includes(moment))
}

function hasZone(value: string): boolean {
  return ISO.exec(value.trim())?.groups?.['zone'] !== undefined
}

/** Every moment the text may mean, in milliseconds since the epoch. */
function datesIn(value: string, isDayEnough: boolean, isClockEnough: boolean): readonly number[] {
  const text = value.trim()
  const iso = ISO.exec(text)?.groups
  if (iso) return [...isoMoments(iso, isClockEnough), ...(isDayEnough ? [dayOf(iso)] : [])]
  const parts = /^(\d{1,4})[/.-](\d{1,2})[/.-](\d{1,4})$/.exec(text)?.slice(1).map(Number)
  if (parts) return orders(parts)
  return isEpoch(text) ? [Number(text) * (text.length > 10 ? 1 : 1000)] : []
}

const ISO =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?)?\s?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?)?$/

function isoMoments(groups: Readonly<Record<string, string | undefined>>, isClockEnough: boolean): readonly number[] {
  const at = (name: string): number => Number(groups[name] ?? 0)
  const fraction = Math.floor(Number(`0.${groups['fraction'] ?? '0'}`) * 1000)
  const wall = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'), fraction)
  const zone = /^([+-])(\d\d):?(\d\d)$/.exec(groups['zone'] ?? '')
  if (!zone) return [wall]
  const offsetMs = (Number(zone[2]) * 60 + Number(zone[3])) * 60_000
  const moment = zone[1] === '-' ? wall + offsetMs : wall - offsetMs
  return isClockEnough ? [moment, wall] : [moment]
}

function dayOf({ year, month, day }: Readonly<Record<string, string | undefined>>): number {
  return Date.UTC(Number(year), Number(month) - 1, Number(day))
}

function orders([first = 0, second = 0, third = 0]: readonly number[]): readonly number[] {
  const candidates =
    first > 31
      ? [[first, second, third]]
      : [
          [third, first, second],
          [third, second, first],
        ]
  return candidates.flatMap(([year = 0, month = 0, day = 0]) =>
    year > 999 && month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [Date.UTC(year, month - 1, day)] : [],
  )
}

/** Ten digits are seconds, thirteen are milliseconds. */
function isEpoch(text: string): boolean {
  return /^(?:\d{10}|\d{13})$/.test(text.trim())
}
