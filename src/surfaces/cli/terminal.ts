import { styleText } from 'node:util'
import { printable, printableJson, type Screen } from '../../present/layout.ts'

/**
 * Where a command writes, and how much a terminal can show. Only here do control sequences from files, agents and findings go: what
 * `say`, `warn`, `live` and `json` write can't move the cursor or set a title.
 */
export interface Terminal extends Screen {
  /** Whether a person is looking: live lines and prompts only then. */
  readonly isLive: boolean
  /** One line on standard output. */
  say(line?: string): void
  /** One line on standard output, exactly as it is if another program reads it. */
  exact(line: string): void
  /** One line on standard error. */
  warn(line: string): void
  /** One JSON document on a line of standard output. */
  json(value: unknown): void
  /** Shows a line that is replaced by the next one; nothing if nobody is looking. `undefined` takes it away. */
  live(line: string | undefined): void
  /** Sends a terminal what isn't text, such as its bell; nothing if nobody is looking. */
  control(sequence: string): void
}

/** Back to the beginning of the line, and nothing on it. */
const CLEAR = '\r\u001b[2K'

/** `told`: what `COLUMNS` says, which counts if no terminal knows better. */
function widthsOf({ isTTY, columns }: NodeJS.WriteStream, told = ''): Pick<Terminal, 'columns' | 'tableColumns'> {
  if (isTTY) return { columns: columns || COLUMNS_UNKNOWN }
  return /^[1-9]\d{0,5}$/.test(told) ? { columns: Number(told) } : { columns: COLUMNS_UNKNOWN, tableColumns: Infinity }
}

/** The process's own terminal. With `--json` only JSON goes to standard output. */
export function processTerminal(isJson = false): Terminal {
  const { stdout, stderr, stdin } = process
  giveSize(stdout)
  const hasColour = !isJson && stdout.isTTY === true && stdout.hasColors() && process.env['NO_COLOR'] === undefined
  const isLive = !isJson && stdout.isTTY === true && stdin.isTTY === true && process.env['CI'] === undefined
  let shown: string | undefined
  /** Writes above the live line. */
  const beside = (write: () => void): void => {
    if (shown !== undefined) stdout.write(CLEAR)
    write()
    if (shown !== undefined) stdout.write(shown)
  }
  return {
    isLive,
    ...widthsOf(stdout, process.env['COLUMNS']),
    say: (line = '') => beside(() => (isJson ? stderr : stdout).write(`${printable(line, hasColour)}\n`)),
    exact: (line) => void stdout.write(`${stdout.isTTY === true ? printable(line, hasColour) : line}\n`),
    warn: (line) => beside(() => stderr.write(`${printable(line, hasColour)}\n`)),
    live: (line) => {
      if (!isLive) return
      shown = line === undefined ? undefined : printable(line, hasColour)
      stdout.write(`${CLEAR}${shown ?? ''}`)
    },
    control: (sequence) => {
      if (isLive) stdout.write(sequence)
    },
    json: (value) => void stdout.write(`${printableJson(value)}\n`),
    // Only if standard output takes colour and `NO_COLOR` isn't set.
    paint: (style, text) => (hasColour ? styleText(style, text, { validateStream: false }) : text),
  }
}

/** How wide a terminal is taken to be that does not say it. */
const COLUMNS_UNKNOWN = 80
const ROWS_UNKNOWN = 24

/**
 * A terminal that nobody has given a size says that it has 0 columns and 0 rows, and prompts would put one letter on a line and one option on
 * the screen: it gets a usual size.
 */
export function giveSize(output: NodeJS.WritableStream): void {
  if ('columns' in output && output.columns === 0) output.columns = COLUMNS_UNKNOWN
  if ('rows' in output && output.rows === 0) output.rows = ROWS_UNKNOWN
}

/** Asks the person at the terminal before files are changed. `isYes`: what Enter alone answers. */
export async function confirmOnTerminal(message: string, isYes = true): Promise<boolean> {
  const { confirm } = await import('@clack/prompts')
  return (await confirm({ message: printable(message), initialValue: isYes })) === true
}
