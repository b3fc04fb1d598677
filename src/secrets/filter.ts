import type { Fact } from '../core/event.ts'
import { jsonAnswerIn } from '../core/json-answer.ts'
import type { RunConfig } from '../core/run-config.ts'
import { isKeyHalf, isKeyId } from './key-halves.ts'
import { secretKindOfArgument, secretKindOfField } from './secret-assignment.ts'
import { requireWholeConfig } from './config.ts'
import { hasSecretHint } from './hint.ts'
import { mergeOverlapping, type SecretSpan } from './secret-span.ts'

/** Loaded where a text may hold a secret: a hook hardly ever meets one. */
async function findSecrets(text: string): Promise<readonly SecretSpan[]> {
  const rules = await import('./find-secrets.ts')
  return rules.findSecrets(text)
}

/**
 * Replaces every secret found in a text by `[redacted: KIND]`: alone where it is known (`keepSecret`) or its rule can tell where it begins
 * and ends. Otherwise with the whole line it stands in: what surrounds a secret often belongs to it, and ranges of detectors are not
 * always right. Only in a very long line (a report on one line) is it a stretch around the secret. Redacting again changes nothing.
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

/**
 * The same for what an agent said or printed. Where a line of it is JSON (an event of its stream), or where it ends with a JSON answer, the
 * values in it are redacted one by one, so that one secret does not make all of it unreadable.
 */
export async function redactSaid(text: string): Promise<string> {
  const spans = await findSecrets(text)
  if (spans.length === 0) return text
  const events = await redactJsonLines(text, spans)
  const found = jsonAnswerIn(events)
  if (!found) return redactText(events)
  const answer = JSON.stringify(await redactJson(found.value))
  const parts = [await redactText(events.slice(0, found.start)), answer, await redactText(events.slice(found.end))]
  const said = parts.filter((part) => part.trim() !== '').join('\n')
  // What the values by themselves do not give away goes with its line after all.
  return redactText(said)
}

async function redactJsonLines(text: string, spans: readonly SecretSpan[]): Promise<string> {
  const inOrder = spans.toSorted((a, b) => a.start - b.start)
  const lines: string[] = []
  let [start, first] = [0, 0]
  for (const line of text.split('\n')) {
    const end = start + line.length
    while ((inOrder[first]?.end ?? Infinity) <= start) first++
    const within: SecretSpan[] = []
    for (let index = first; (inOrder[index]?.start ?? Infinity) < end; index++) {
      const span = inOrder[index] as SecretSpan
      if (span.end > start) within.push({ ...span, start: span.start - start, end: span.end - start })
    }
    lines.push(within.length === 0 ? line : await redactJsonLine(line, within))
    start = end + 1
  }
  return lines.join('\n')
}

/** A line that is JSON, without secrets and still JSON; any other line as it is. */
async function redactJsonLine(line: string, spans: readonly SecretSpan[]): Promise<string> {
  const value = jsonObjectOf(line)
  if (value === undefined) return line
  const redacted = spans.every(({ isExact }) => isExact) ? replaceSpans(line, spans) : ''
  return jsonObjectOf(redacted) === undefined ? JSON.stringify(await redactJson(value)) : redacted
}

function jsonObjectOf(line: string): unknown {
  if (!/^\s*[{[]/.test(line)) return undefined
  try {
    return JSON.parse(line)
  } catch {
    // Not JSON: it is redacted as any other line.
    return undefined
  }
}

/** Redacts facts. Returns a promise only if something in them may be a secret: most facts need not wait. */
export function redactFacts(facts: readonly Fact[]): readonly Fact[] | Promise<readonly Fact[]> {
  return facts.every(isClean) ? facts : Promise.all(facts.map((each) => redactFact(each)))
}

/**
 * Redacts a fact: who says so and its data, names of fields included. A fact without a secret is given back as it is. Throws
 * `run.secret-in-config` for a configuration that would not be the same without its secrets.
 */
export async function redactFact<Type extends Fact>(fact: Type): Promise<Type> {
  if (isClean(fact)) return fact
  const { by, data } = fact
  const redacted = { ...fact, by: await redactJson(by), data: await redactJson(data) }
  if ('config' in fact.data && 'config' in redacted.data) requireWholeConfig(fact.data.config, redacted.data.config)
  return redacted
}

/** Refuses to begin or go on with a run whose configuration is not whole without secrets: its facts would not be about its parts. `begun`: the name of one that began. */
export async function requireKeptWhole(config: RunConfig, begun?: string): Promise<void> {
  requireWholeConfig(config, await redactJson(config), begun)
}

/** Whether nothing in a fact looks like a secret. Remembers its data, so that a store need not look again after the engine did. */
function isClean({ by, data }: Fact): boolean {
  if (CLEAN.has(by) && CLEAN.has(data)) return true
  if (hasSecretHint(JSON.stringify([by, data]))) return false
  CLEAN.add(by)
  CLEAN.add(data)
  return true
}

const CLEAN = new WeakSet<object>()

/** Redacts plain data of any shape; only strings and names of fields change. */
export async function redactJson<Value>(value: Value): Promise<Value> {
  return (await redactValue(value)) as Value
}

/** A cut in a long line can lay bare one more match; more than a second pass has not been seen. */
const PASSES_MAX = 8

const HALF_LINE_LENGTH_MAX = 2000
const MARGIN = 200

async function redactValue(value: unknown): Promise<unknown> {
  if (typeof value === 'string') return hasSecretHint(value) ? await redactText(value) : value
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? await redactArray(value) : await redactObject(value as Readonly<Record<string, unknown>>)
}

async function redactArray(values: readonly unknown[]): Promise<unknown[]> {
  const redacted: unknown[] = []
  const isBesideKeyId = values.some(isKeyId)
  for (const [index, value] of values.entries()) {
    const flag = values[index - 1]
    const given = typeof value === 'string' && typeof flag === 'string' ? secretKindOfArgument(flag, value) : undefined
    const kind = given ?? (isBesideKeyId && isKeyHalf(value) ? 'key' : undefined)
    redacted.push(kind === undefined ? await redactValue(value) : marker(kind))
  }
  return redacted
}

async function redactObject(fields: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
  const redacted = new Map<string, unknown>()
  const isBesideKeyId = Object.values(fields).some(isKeyId)
  for (const [name, value] of Object.entries(fields)) {
    const given = typeof value === 'string' ? secretKindOfField(name, value) : undefined
    const kind = given ?? (isBesideKeyId && isKeyHalf(value) ? 'key' : undefined)
    redacted.set(await redactName(name, redacted), kind === undefined ? await redactValue(value) : marker(kind))
  }
  return Object.fromEntries(redacted)
}

/** Two secrets as names of fields must not become one field. */
async function redactName(name: string, taken: ReadonlyMap<string, unknown>): Promise<string> {
  if (!hasSecretHint(name)) return name
  const redacted = await redactText(name)
  if (redacted === name) return name
  let free = redacted
  for (let number = 2; taken.has(free); number++) free = `${redacted} ${number}`
  return free
}

function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  let redacted = ''
  let done = 0
  for (const { start, end, kind } of mergeOverlapping(spans.map((span) => widen(text, span)))) {
    redacted += text.slice(done, start) + marker(kind)
    done = end
  }
  return redacted + text.slice(done)
}

/** From the start to the end of the line; where either is far away, to a margin on that side. */
function widen(text: string, span: SecretSpan): SecretSpan {
  const { start, end, kind, isExact } = span
  if (isExact) return span
  const before = text.slice(Math.max(0, start - HALF_LINE_LENGTH_MAX), start)
  const after = text.slice(end, end + HALF_LINE_LENGTH_MAX)
  const lineBreakBefore = before.lastIndexOf('\n')
  const lineBreakAfter = after.search(/\r?\n/)
  const isFarFromStart = lineBreakBefore === -1 && before.length === HALF_LINE_LENGTH_MAX
  const isFarFromEnd = lineBreakAfter === -1 && after.length === HALF_LINE_LENGTH_MAX
  return {
    start: isFarFromStart ? wholeCharacter(text, start - MARGIN) : start - before.length + lineBreakBefore + 1,
    end: isFarFromEnd ? wholeCharacter(text, end + MARGIN) : end + (lineBreakAfter === -1 ? after.length : lineBreakAfter),
    kind,
  }
}

/** Moves a cut that would fall between the two halves of a character. */
function wholeCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff && index > 0 ? index - 1 : index
}

function marker(kind: string): string {
  return `[redacted: ${kind}]`
}
