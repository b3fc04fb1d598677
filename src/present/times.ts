/** Time since, in as few letters as a column of a table has: "just now", "5m ago", "3d ago". */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, now - at) / 1000
  return seconds < 5 ? 'just now' : `${shortDuration(seconds * 1000).replace(/(?<=[mhd]).*$/, '')} ago`
}

/** "850ms", "12s", "3m20s", "2h05m", "3d04h". */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${twoDigits(seconds % 60)}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h${twoDigits(minutes % 60)}m`
  const hours = Math.floor(minutes / 60)
  return `${Math.floor(hours / 24)}d${twoDigits(hours % 24)}h`
}

/** "2026-11-03 14:02:11", on the clock of this machine. */
export function dateAndTime(at: number): string {
  const date = new Date(at)
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
  return `${day} ${time}`
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0')
}
