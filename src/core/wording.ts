/** "1 iteration", "3 iterations". */
export function iterationNoun(count: number): string {
  return counted(count, 'iteration')
}

/** "1 file", "2 files". */
export function counted(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** "12,345". */
export function thousands(count: number): string {
  const text = String(Math.round(count))
  return text.length < 4 ? text : text.replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** "640 B", "3.2 MB". */
export function byteWords(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}

/** "70%". */
export function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}

/** "$1.25", "$0.42", "$0.0153": below a dollar with four places if they say something, and below a cent with three digits, so that sums add up. */
export function money(usd: number): string {
  if (!(usd > 0 && usd < 1)) return `$${usd.toFixed(2)}`
  const places = Math.min(Math.max(4, 2 - Math.floor(Math.log10(usd))), PLACES_MAX)
  return `$${usd.toFixed(places).replace(/(?<=\.\d\d\d*?)0+$/, '')}`
}

const PLACES_MAX = 9

/** "850 ms", "12 s", "3 min 20 s", "2 h 5 min". */
export function duration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`
  if (Math.round(ms / 100) < 100) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** What is wrong, and what would fix it if known, as sentences. */
export function withFix({ message, fix }: { readonly message: string; readonly fix?: string | undefined }): string {
  if (fix === undefined) return message
  return `${message}${/[.!?…]$/.test(message) ? '' : '.'} ${fix}`
}

/** The text up to `lengthMax`, with an ellipsis where something was cut. */
export function shortened(text: string, lengthMax: number): string {
  const isOneLine = !NEEDS_FOLDING.test(text) && !text.startsWith(' ') && !text.endsWith(' ')
  const oneLine = isOneLine ? text : text.replaceAll(/\s+/g, ' ').trim()
  return oneLine.length <= lengthMax ? oneLine : `${oneLine.slice(0, lengthMax - 1)}…`
}

/** Asked first, since most texts are one plain line already. */
const NEEDS_FOLDING = / {2}|[^\S ]/

/** A word as a POSIX shell takes it for one and reads it back, whatever is in it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

interface ChangedFile {
  readonly path: string
  readonly change: string
}

/** "3 files (a.js, b.js and 1 more)". `count` where more there were than are named here. */
export function filesWords(files: readonly ChangedFile[], count = files.length): string {
  return `${counted(count, 'file')} (${fileNames(files, count, ({ path }) => path)})`
}

/** "3 files: a.js, b.js (removed) and 1 more". */
export function changesWords(files: readonly ChangedFile[]): string {
  return `${counted(files.length, 'file')}: ${fileNames(files, files.length, markedName)}`
}

function markedName({ path, change }: ChangedFile): string {
  return change === 'deleted' ? `${path} (removed)` : path
}

function fileNames(files: readonly ChangedFile[], count: number, name: (file: ChangedFile) => string): string {
  const names = files.slice(0, count > NAMES_MAX ? NAMES_MAX - 1 : NAMES_MAX).map(name)
  return `${names.join(', ')}${count > names.length ? ` and ${thousands(count - names.length)} more` : ''}`
}

const NAMES_MAX = 3
