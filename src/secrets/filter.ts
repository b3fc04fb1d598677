import { type Action, actionOf, type ToolUse } from '../core/action.ts'
import { jsonAnswerIn } from '../core/json-answer.ts'
import { shortened } from '../core/wording.ts'
import { readEntities, readUnescaped } from './encodings.ts'
import { hasSecretHint } from './hint.ts'
import { findKnownSecrets } from './known-values.ts'
import { findByOwnRules, kindOfNamed, mergeSpans, type SecretSpan } from './rules.ts'

/**
 * Replaces every secret in a text by `[redacted: KIND]`: alone if it is known (`keepSecret`) or its rule can tell where it begins and ends,
 * otherwise with its whole line, since text around a secret often belongs to it. In a very long line it is a stretch around the secret.
 * Redacting again changes nothing.
 *
 * @example await redactText('password = "hunter22"') // 'password = "[redacted: password]"'
 */
export async function redactText(text: string): Promise<string> {
  let redacted = text
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const spans = await findSecrets(redacted)
    if (spans.length === 0) break
    redacted = replaceSpans(redacted, spans)
  }
  return redacted
}

/** A cut in a long line can reveal one more match; more than two passes have not been seen. */
const PASSES_MAX = 8

/**
 * The same for what an agent said or printed. If a line is JSON (an event of its stream), or the text ends with a JSON answer, the values in it
 * are redacted one by one, so that it stays readable.
 */
export async function redactSaid(text: string): Promise<string> {
  if (!hasSecretHint(text)) return text
  const lines: string[] = []
  for (const line of text.split('\n')) lines.push(hasSecretHint(line) ? await redactJsonLine(line) : line)
  const events = lines.join('\n')
  const found = jsonAnswerIn(events)
  if (!found) return redactText(events)
  const parts = [events.slice(0, found.start), JSON.stringify(await redactJson(found.value)), events.slice(found.end)]
  // A secret that no value shows by itself goes with its line.
  return redactText(parts.filter((part) => part.trim() !== '').join('\n'))
}

async function redactJsonLine(line: string): Promise<string> {
  try {
    if (!/^\s*[{[]/.test(line)) return line
    const value: unknown = JSON.parse(line)
    const redacted = await redactJson(value)
    return JSON.stringify(redacted) === JSON.stringify(value) ? line : JSON.stringify(redacted)
  } catch {
    // Not JSON: it is redacted like any other line.
    return line
  }
}

/** Redacts plain data of any shape; only strings and field names change. */
export async function redactJson<Value>(value: Value): Promise<Value> {
  return (await redactValue(value)) as Value
}

async function redactValue(value: unknown, name?: string): Promise<unknown> {
  if (typeof value === 'string') {
    const kind = name === undefined ? undefined : kindOfNamed(name, value)
    return kind === undefined ? await redactIfHinted(value) : marker(kind)
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return await Promise.all(value.map((each, index) => redactValue(each, flagIn(value[index - 1]))))
  const redacted = new Map<string, unknown>()
  for (const [field, inner] of Object.entries(value)) {
    const clean = await redactIfHinted(field)
    // Two secrets as field names must not become one field.
    let free = clean
    for (let number = 2; redacted.has(free); number++) free = `${clean} ${number}`
    redacted.set(free, await redactValue(inner, field))
  }
  return Object.fromEntries(redacted)
}

function flagIn(argument: unknown): string | undefined {
  return typeof argument === 'string' && /^--?[a-z-]+$/i.test(argument) ? argument : undefined
}

async function redactIfHinted(text: string): Promise<string> {
  return hasSecretHint(text) ? await redactText(text) : text
}

/*
 * Text is shortened on its way into a fact here and nowhere else. Secrets go before the cut: half of one, or one without the words before it,
 * would not be recognized.
 */

/** The beginning of a text without secrets, at most `lengthMax` characters. */
export async function redactedStart(text: string, lengthMax: number): Promise<string> {
  const clean = await redactJson(text)
  return clean.length <= lengthMax ? clean : `${clean.slice(0, lengthMax - 1).toWellFormed()}…`
}

/** The end of a text without secrets, at most `lengthMax` characters. */
export async function redactedEnd(text: string, lengthMax: number): Promise<string> {
  const clean = await redactJson(text)
  return clean.length <= lengthMax ? clean : `…${clean.slice(1 - lengthMax).toWellFormed()}`
}

/** The beginning of a text as one line without secrets, at most `lengthMax` characters. */
export async function redactedLine(text: string, lengthMax: number): Promise<string> {
  return shortened(await redactJson(text), lengthMax)
}

/** A tool call whose label holds no part of a secret. */
export async function redactedAction(use: ToolUse): Promise<Action> {
  return actionOf({ ...use, input: await redactJson(use.input) })
}

/** Known values, then our rules and secretlint's, in the text as it is and without the escapes of JSON and XML: tools print either. */
async function findSecrets(text: string): Promise<readonly SecretSpan[]> {
  const spans = [...findKnownSecrets(text), ...(await findByRules(text))]
  for (const reading of [readUnescaped(text), readEntities(text)]) {
    if (!reading) continue
    for (const span of await findByRules(reading.text)) {
      const [start, end] = [reading.at(span.start), reading.endAt(span.end)]
      spans.push({ ...span, start, end, isExact: span.isExact === true && isWhole(text, start, end) })
    }
  }
  const exact = mergeSpans(spans.filter(({ isExact }) => isExact))
  const isCovered = ({ start, end }: SecretSpan) => exact.some((each) => each.start <= start && each.end >= end)
  return spans
    .filter((span) => span.isExact || span.takesLine || !isCovered(span))
    .map((span) => (span.isExact ? { ...span, start: startWithEscape(text, span.start) } : span))
}

/** secretlint reports a whole URL: if its password was found, nothing else has to go. */
async function findByRules(text: string): Promise<readonly SecretSpan[]> {
  const own = findByOwnRules(text)
  const passwords = own.filter(({ kind }) => kind === 'url-password')
  const found = (await findBySecretlint(text)).filter(
    ({ kind, start, end }) =>
      !/^basicauth$|connection-string$/.test(kind) || !passwords.some((each) => each.start >= start && each.end <= end),
  )
  return [...own, ...found]
}

/** Whether a range that was found without escapes has none and lies between marks that are escaped alike: else a mark in the secret ended it. */
function isWhole(text: string, start: number, end: number): boolean {
  const before = /(\\*)["'`]$/.exec(text.slice(Math.max(0, start - 20), start))?.[1]
  const after = /^(\\*)["'`]/.exec(text.slice(end, end + 20))?.[1]
  return !text.slice(start, end).includes('\\') && (before === undefined || after === undefined || before === after)
}

/** In JSON a secret `ew-word` after a line end reads `\new-word`: without its letter the backslash would make the JSON unreadable. */
function startWithEscape(text: string, start: number): number {
  const isEscape = /["'/\\bfnrtu]/.test(text.charAt(start))
  return isEscape ? start - (/\\*$/.exec(text.slice(Math.max(0, start - 20), start))?.[0].length ?? 0) : start
}

function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  let redacted = ''
  let done = 0
  for (const { start, end, kind } of mergeSpans(spans.map((span) => (span.isExact ? span : widen(text, span))))) {
    redacted += text.slice(done, start) + marker(kind)
    done = end
  }
  // A cut inside a long line can split a surrogate pair.
  return (redacted + text.slice(done)).toWellFormed()
}

/** To the start and the end of the line; if either is far away, to a margin on that side. */
function widen(text: string, { start, end, kind }: SecretSpan): SecretSpan {
  const before = text.slice(Math.max(0, start - HALF_LINE_LENGTH_MAX), start)
  const after = text.slice(end, end + HALF_LINE_LENGTH_MAX)
  const lineStart = before.lastIndexOf('\n')
  const lineEnd = after.search(/\r?\n/)
  const isFarFromStart = lineStart === -1 && before.length === HALF_LINE_LENGTH_MAX
  const isFarFromEnd = lineEnd === -1 && after.length === HALF_LINE_LENGTH_MAX
  return {
    start: isFarFromStart ? start - MARGIN : start - before.length + lineStart + 1,
    end: isFarFromEnd ? end + MARGIN : end + (lineEnd === -1 ? after.length : lineEnd),
    kind,
  }
}

const HALF_LINE_LENGTH_MAX = 2000
const MARGIN = 200

function marker(kind: string): string {
  return `[redacted: ${kind}]`
}

/**
 * Finds secrets by the rules of secretlint's recommended preset, loaded when first needed. The rules are called without `@secretlint/core`: its
 * comment filter lets a text switch the search off (`secretlint-disable`), it leaks memory with each call and costs ten times as much.
 */
async function findBySecretlint(text: string): Promise<readonly SecretSpan[]> {
  rules ??= loadRules()
  const spans: SecretSpan[] = []
  for (const { meta, create } of await rules) {
    const kind = meta.id.replace(/^.*secretlint-rule-/, '')
    await create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId) => ({ message: String(messageId), messageId, data: {} }),
        report: ({ range: [start, end] }) => spans.push({ start, end, kind }),
        ignore: () => undefined,
      },
      {},
    ).file?.({ content: text, contentType: 'text', ext: '', hasBOM: false })
  }
  return spans
}

let rules: Promise<readonly Rule[]> | undefined

async function loadRules(): Promise<readonly Rule[]> {
  const preset = (await import('@secretlint/secretlint-rule-preset-recommend')) as unknown as { rules: readonly Rule[] }
  return preset.rules.filter(({ meta }) => !meta.id.endsWith('filter-comments'))
}

/** As much of secretlint's types as is used here; the package that has them comes only with its core. */
interface Rule {
  readonly meta: { readonly id: string }
  create(context: Context, options: object): { file?(source: object): void | Promise<void> }
}

interface Context {
  readonly sharedOptions: object
  createTranslator(): (messageId: unknown) => object
  report(found: { readonly range: readonly [number, number] }): void
  ignore(): void
}
