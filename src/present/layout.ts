import { safeText, UNSAFE } from '../core/safe-text.ts'

/** What a renderer must know of the place it draws for: how wide it is, and how to colour. */
export interface Screen {
  readonly columns: number
  /** How wide a table may be if that is not as wide as sentences: without bounds if another program reads. */
  readonly tableColumns?: number
  /** Colours a text, or returns it as it is. */
  paint(style: Style, text: string): string
}

/** The colours and weights that renderers use. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** How wide a table may be. */
export function tableColumns({ columns, tableColumns: own = columns }: Screen): number {
  return own
}

/** How many columns a terminal gives a line of text: two for wide characters, none for combining ones. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

/**
 * Text of agents, tests and people as one line that is safe to print: white space becomes one space, and nothing in it can move the
 * cursor, colour the screen or turn the direction of writing.
 */
export function oneLine(text: string): string {
  return safeText(text).replaceAll(/\s+/g, ' ').trim()
}

/**
 * Whatever is about to reach a screen or a report, safe to print; the colours of `Screen.paint` stay if `hasColour`. Every line of output
 * passes here, so that no command has to remember it.
 */
export function printable(text: string, hasColour = false): string {
  if (PLAIN_LINES.test(text)) return text
  const parts = text.split(PAINT)
  return parts
    .map((part, index) => (index % 2 === 0 ? safeText(part).replaceAll(/\r+(?=\n|$)|\r/g, '') : hasColour ? part : ''))
    .join('')
}

/** JSON in which nothing can move the cursor either: it leaves some control characters as they are. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** One line of at most `widthMax` columns, with an ellipsis where something was cut. */
export function fitted(text: string, widthMax: number): string {
  const line = oneLine(text)
  if (textWidth(line) <= widthMax) return line
  let kept = ''
  let width = 1
  for (const { segment } of graphemes.segment(line)) {
    width += textWidth(segment)
    if (width > widthMax) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** The text filled up with spaces to `width` columns. */
export function padded(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)))
  return side === 'left' ? text + space : space + text
}

/** Lines of at most `widthMax` columns, broken between words; line ends in the text stay. A word that is longer is broken too. */
export function wrapped(text: string, widthMax: number): readonly string[] {
  return safeText(text)
    .split(/\r?\n/)
    .flatMap((line) => wrappedLine(line, Math.max(widthMax, WIDTH_MIN)))
}

/**
 * A line of progress as lines of at most `columns`, broken between words; later lines are indented under the text. In a
 * line with several colours, words longer than `columns` stay whole.
 */
export function folded(line: string, columns: number): readonly string[] {
  const [whole, style = '', text = '', end = ''] = ONE_STYLE.exec(line) ?? []
  if (whole === undefined) return foldedColours(line, columns)
  if (textWidth(text) <= columns) return [line]
  const indent = LABELLED.exec(text)?.[0].length ?? 0
  const lines = wrapped(text.slice(indent), columns - indent)
  return lines.map((each, index) => style + (index === 0 ? text.slice(0, indent) : ' '.repeat(indent)) + each + end)
}

function paintedWidth(text: string): number {
  const parts = text.split(PAINT)
  return textWidth(parts.filter((_, index) => index % 2 === 0).join(''))
}

function foldedColours(line: string, columns: number): readonly string[] {
  if (paintedWidth(line) <= columns) return [line]
  const [start = ''] = LABELLED.exec(line) ?? []
  const [first = '', ...words] = line.slice(start.length).split(' ')
  const lines = [start + first]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (paintedWidth(longer) <= columns) lines[lines.length - 1] = longer
    else lines.push(' '.repeat(start.length) + word)
  }
  return lines
}

// oxlint-disable-next-line no-control-regex
const ONE_STYLE = /^((?:\u001b\[[\d;]*m)*)([^\u001b]*)((?:\u001b\[[\d;]*m)*)$/
/** A label and the space after it, or only the space before a text. */
const LABELLED = /^ {2}(?:\S.{0,14}?) {2,}|^ +/

/** A label in its own column and text beside it, wrapped. */
export function labelled(label: string, text: string, columns: number, labelWidth = LABEL_WIDTH): readonly string[] {
  return wrapped(text, columns - labelWidth).map((line, index) => padded(index === 0 ? label : '', labelWidth) + line)
}

/** A sentence ends under its label at this column. */
const LABEL_WIDTH = 12
const WIDTH_MIN = 20

// oxlint-disable-next-line no-control-regex
const PLAIN = /^[\u0020-\u007e]*$/
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
// oxlint-disable-next-line no-control-regex
const PLAIN_LINES = /^[\t\n\u0020-\u007e]*$/
/** What `styleText` writes for a `Style`. */
// oxlint-disable-next-line no-control-regex
const PAINT = /(\u001b\[(?:[12]|22|3[1236]|39)m)/
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function wrappedLine(line: string, widthMax: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line
    .split(/\s+/)
    .filter((each) => each !== '')
    .flatMap((each) => pieces(each, widthMax))) {
    const longer = current === '' ? word : `${current} ${word}`
    if (textWidth(longer) <= widthMax) current = longer
    else {
      lines.push(current)
      current = word
    }
  }
  return [...lines, current]
}

function pieces(word: string, widthMax: number): readonly string[] {
  if (textWidth(word) <= widthMax) return [word]
  const found: string[] = []
  let piece = ''
  for (const { segment } of graphemes.segment(word)) {
    if (textWidth(piece + segment) > widthMax) {
      found.push(piece)
      piece = ''
    }
    piece += segment
  }
  return [...found, piece]
}

/** Time since, in as few letters as a column of a table has: "just now", "5m ago", "3d ago". */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, now - at) / 1000
  return seconds < 5 ? 'just now' : `${shortDuration(seconds * 1000).replace(/(?<=[mhd]).*$/, '')} ago`
}

/** "850ms", "12s", "3m20s", "2h05m", "3d04h". */
export function shortDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`
  if (Math.round(ms / 100) < 100) return `${(ms / 1000).toFixed(1)}s`
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

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  /** Words are aligned left (default), numbers right. */
  readonly side?: 'left' | 'right'
  readonly style?: (row: Row) => Style | undefined
}

/** The last column: it has the room that is left. With less than `wanted` a narrower set of columns is taken. */
export type RestColumn<Row> = Pick<Column<Row>, 'title' | 'cell'> & { readonly wanted: number; readonly widthMin: number }

/**
 * Rows under their titles in aligned columns. `sets` are the columns to choose from, the widest first: the first set that the screen has
 * room for is taken. The last column is left out if it would be too narrow and there is a narrower set.
 */
export function tableOf<Row>(
  sets: readonly (readonly Column<Row>[])[],
  rows: readonly Row[],
  screen: Screen,
  rest?: RestColumn<Row>,
): readonly string[] {
  const filled = sets.map((columns) =>
    columns.map((column) => {
      const texts = rows.map(column.cell)
      return { ...column, texts, width: Math.max(...[column.title, ...texts].map(textWidth)) }
    }),
  )
  const leftBy = (columns: (typeof filled)[number]): number =>
    tableColumns(screen) - columns.reduce((sum, { width }) => sum + width + GAP.length, 0)
  const columns = filled.find((each) => leftBy(each) >= (rest?.wanted ?? 0)) ?? filled.at(-1) ?? []
  const left = leftBy(columns)
  const restMin = columns === filled.at(-1) ? (rest?.widthMin ?? 0) : 0
  const restWidth = left >= (rest?.widthMin ?? 0) ? left : restMin
  const line = (cells: readonly string[], last: string | undefined): string =>
    [...cells, restWidth === 0 ? '' : (last ?? '')].join(GAP).trimEnd()
  const head = line(
    columns.map(({ title, width, side }) => padded(title, width, side)),
    rest?.title,
  )
  const body = rows.map((row, index) => {
    const cells = columns.map(({ texts, width, side, style }) => {
      const text = texts[index] ?? ''
      const colour = style?.(row)
      return padded(text, width, side).replace(text, () => (colour ? screen.paint(colour, text) : text))
    })
    return line(cells, rest && fitted(rest.cell(row), restWidth))
  })
  return [screen.paint('dim', head), ...body]
}

/** The same of cells that are there already: the first column to the left, numbers to the right. */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { paint }: Pick<Screen, 'paint'>,
): readonly string[] {
  const columns = titles.map((title, index): Column<readonly string[]> => {
    return { title, cell: (row) => oneLine(row[index] ?? ''), side: index === 0 ? 'left' : 'right' }
  })
  return tableOf([columns], rows, { columns: Infinity, paint })
}

const GAP = '  '
