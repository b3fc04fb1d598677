import type { Report } from '../check.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { plainText } from './report-text.ts'

/** Reads the JSON documents of one format into a report; `undefined` if the output has none of them. */
export function jsonReport(
  format: string,
  output: string,
  start: RegExp,
  read: (document: unknown, builder: ReportBuilder) => void,
  options: Parameters<ReportBuilder['report']>[0] = {},
): Report | undefined {
  const documents = jsonDocuments(plainText(output), start)
  if (documents === undefined) return undefined
  const builder = reportBuilder(format)
  if (documents.trouble !== undefined) builder.doubt(documents.trouble)
  for (const document of documents.values) read(document, builder)
  return builder.report(options)
}

/** The documents of one format in an output. */
export interface JsonDocuments {
  readonly values: readonly unknown[]
  /** Set if one of them is cut off or broken: then `values` has what came before that place. */
  readonly trouble?: string
}

/**
 * Finds the JSON documents that begin with `start` (a global pattern), whatever else was printed before, between and after them;
 * `undefined` if there is none. A document that is cut off or broken gives its readable beginning.
 */
export function jsonDocuments(text: string, start: RegExp): JsonDocuments | undefined {
  const starts = Array.from(text.matchAll(start), (match) => match.index)
  if (starts.length === 0) return undefined
  const values: unknown[] = []
  let trouble: string | undefined
  for (const [index, from] of starts.entries()) {
    if (index >= DOCUMENTS_MAX) return { values, trouble: `There are more than ${DOCUMENTS_MAX} reports in the output.` }
    const region = text.slice(from, starts[index + 1])
    const whole = parsed(region) ?? parsed(firstLine(region)) ?? parsed(toLastBracket(region))
    if (whole !== undefined) {
      values.push(whole.value)
      continue
    }
    const beginning = readableBeginning(region)
    const read = parsed(beginning.text)
    if (read !== undefined) values.push(read.value)
    if (!beginning.isWhole || read === undefined) trouble ??= 'The report is cut off or broken: its JSON does not come to an end.'
  }
  return trouble === undefined ? { values } : { values, trouble }
}

const DOCUMENTS_MAX = 1000

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    // Not JSON as far as it goes; the caller tries less of it.
    return undefined
  }
}

function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return end < 0 ? '' : text.slice(0, end)
}

/** An indented document ends with a bracket at the beginning of a line. */
function toLastBracket(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n}'), text.lastIndexOf('\n]')) + 2)
}

/**
 * The document to its end, or to the last value that is complete, with the brackets closed that are open there. After the place
 * of the cut brackets are only opened, so the first `depth` of them are those to close.
 */
function readableBeginning(text: string): { readonly text: string; readonly isWhole: boolean } {
  const open: string[] = []
  let cut = 0
  let depth = 0
  for (let at = 0; at >= 0 && at < text.length;) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      at = endOfString(text, at)
      continue
    }
    if (char === BRACE || char === BRACKET) open.push(char === BRACE ? '}' : ']')
    else if (char === BRACE_CLOSED || char === BRACKET_CLOSED) {
      if (open.at(-1) !== text[at]) break
      open.pop()
      cut = at + 1
      depth = open.length
      if (depth === 0) return { text: text.slice(0, cut), isWhole: true }
    } else if (char === COMMA) {
      cut = at
      depth = open.length
    } else if (!PLAIN.has(char)) break
    at += 1
  }
  return { text: text.slice(0, cut) + open.slice(0, depth).toReversed().join(''), isWhole: false }
}

/** The place after the closing quote; negative where the line or the text ends first. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) return at + 1
    if (char === BACKSLASH) at += 1
    else if (char < 32) return -1
  }
  return -1
}

const QUOTE = 34
const COMMA = 44
const BRACKET = 91
const BACKSLASH = 92
const BRACKET_CLOSED = 93
const BRACE = 123
const BRACE_CLOSED = 125

/** Text outside of strings and brackets: white space, colons, numbers, `true`, `false`, `null`. */
const PLAIN = new Set(Array.from(' \t\n\r:0123456789+-.eEtrufalsn', (char) => char.charCodeAt(0)))

/** A list's members; none if the value is no list. */
export function membersOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text that says something, else `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A whole number from 0 on, else `undefined`. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}
