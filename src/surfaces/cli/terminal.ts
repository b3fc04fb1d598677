import { styleText } from 'node:util'
import type { Json } from '../../core/json.ts'

type Style = Parameters<typeof styleText>[0]

/** Where a command writes, and how much a terminal can show. */
export interface Terminal {
  /** Whether a person is looking: live lines and prompts only then. */
  readonly isLive: boolean
  readonly columns: number
  /** One line on standard output. */
  say(line?: string): void
  /** One line on standard error. */
  warn(line: string): void
  /** One JSON document on a line of standard output. */
  json(value: unknown): void
  /** Colour, where standard output takes it and `NO_COLOR` is not set. */
  paint(style: Style, text: string): string
}

/** The process's own terminal. With `--json` only JSON goes to standard output. */
export function processTerminal(isJson = false): Terminal {
  const { stdout, stderr, stdin } = process
  const hasColour = !isJson && stdout.isTTY === true && stdout.hasColors() && process.env['NO_COLOR'] === undefined
  return {
    isLive: !isJson && stdout.isTTY === true && stdin.isTTY === true && process.env['CI'] === undefined,
    columns: stdout.columns ?? 100,
    say: (line = '') => void (isJson ? stderr : stdout).write(`${line}\n`),
    warn: (line) => void stderr.write(`${line}\n`),
    json: (value) => void stdout.write(`${JSON.stringify(value satisfies unknown as Json)}\n`),
    paint: (style, text) => (hasColour ? styleText(style, text, { validateStream: false }) : text),
  }
}
