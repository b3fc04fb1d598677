import { PawlError } from '../core/pawl-error.ts'

/** Reads `90s`, `10m`, `1h30m`, `500ms`, `2d`; a bare number is seconds. Gives whole milliseconds; anything else is a `usage.duration` error. */
export function parseDuration(text: string): number {
  const trimmed = text.trim()
  const amounts = BARE.test(trimmed) ? { s: trimmed } : PARTS.exec(trimmed)?.groups
  if (amounts === undefined || trimmed === '') throw notADuration(text)
  const ms = Object.entries(UNITS_MS).reduce((sum, [unit, unitMs]) => sum + Number(amounts[unit] ?? 0) * unitMs, 0)
  if (!Number.isSafeInteger(Math.round(ms))) throw notADuration(text)
  return Math.round(ms)
}

const UNITS_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

const BARE = /^\d+(?:\.\d+)?$/

/** Each unit at most once, the larger ones first. */
const PARTS = new RegExp(
  `^${Object.keys(UNITS_MS)
    .map((unit) => `(?:(?<${unit}>\\d+(?:\\.\\d+)?)${unit}(?![a-z])\\s*)?`)
    .join('')}$`,
)

function notADuration(text: string): PawlError {
  const sentence = `"${text}" is not a duration: write it like 90s, 10m, 1h30m or 500ms; a bare number is seconds.`
  return new PawlError('usage.duration', sentence, { value: text })
}
