import { PawlError } from '../../core/pawl-error.ts'

/** The instant that a flag such as `--since` means: a day, an instant, or so many days or weeks ago. */
export function sinceInstant(text: string, now: number, flag = '--since'): number {
  const back = /^(\d{1,5})([dw])$/.exec(text.trim())
  if (back) return now - Number(back[1]) * (back[2] === 'w' ? 7 : 1) * DAY_MS
  const at = DAY.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new PawlError('usage.since', `${flag} takes a day such as 2026-11-01, or a time back such as 30d or 4w, not "${text}".`, {
    value: text,
  })
}

const DAY_MS = 86_400_000
/** Other forms are read differently from machine to machine. */
const DAY = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/
