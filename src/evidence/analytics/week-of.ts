import type { Instant } from '../../core/event.ts'

/** The Monday of the week that an instant lies in, on the clock of Greenwich: "2026-11-09". */
export function weekOf(at: Instant): string {
  const day = Math.floor(at / DAY_MS)
  // The first day of 1970 was a Thursday.
  const monday = day - ((((day + 3) % 7) + 7) % 7)
  return new Date(monday * DAY_MS).toISOString().slice(0, 10)
}

const DAY_MS = 86_400_000
