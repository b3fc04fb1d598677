import type { Code } from './code.ts'
import type { Token } from './tokenize.ts'

/** One small change of a file: `replacement` replaces the text from `start` to `end`. */
export interface Edit {
  /** What a person's ruling allows; absent for all other edits. */
  readonly kind?: 'conversion' | 'expected'
  readonly start: number
  readonly end: number
  readonly replacement: string
  /** How often a mistake of this shape is the cause, 0..1: an estimate, used only to order the tries. */
  readonly prior: number
}

/** Names from the tests: further candidates for a wrong name in the source. */
export interface Vocabulary {
  readonly properties: ReadonlySet<string>
}

/** An edit that replaces a whole token. */
export function replace(prior: number, { start, end }: Token, replacement: string): Edit {
  return { prior, start, end, replacement }
}

/** An edit of a known file, ready to try. */
export interface Candidate extends Edit {
  readonly path: string
  readonly line: number
  /** The function around it. */
  readonly area: string
  /** Equal for the same change of the same text. */
  readonly id: string
  /** How the change is shown: `< -> <=`. */
  readonly label: string
  /** How promising it is before any try. */
  readonly weight: number
  /** Edits made together with it; they don't overlap. */
  readonly also?: readonly Candidate[]
}

/** Turns an edit of a file into a candidate. */
export function candidateOf(code: Code, edit: Edit, line: number, weight: number): Candidate {
  const { path, text, functions } = code
  const span = functions.findLast(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine)
  const id = `${path}:${edit.start}-${edit.end}:${edit.replacement}`
  return { ...edit, path, line, id, weight, area: `${path} ${span?.name ?? ''}`, label: labelOf(text, edit) }
}

/** All edits of a candidate, from the end of a file to its start, so that none moves a later one. */
export function editsOfCandidate(candidate: Candidate): readonly Candidate[] {
  return [candidate, ...(candidate.also ?? [])].toSorted((one, other) => other.start - one.start)
}

/** A file changed only for a try, with its original text. */
export interface TriedFile {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** The files that a candidate changes, before and after. */
export function filesWith(candidate: Candidate, texts: ReadonlyMap<string, string>): readonly TriedFile[] {
  const after = new Map<string, string>()
  for (const edit of editsOfCandidate(candidate))
    after.set(edit.path, applyEdit(after.get(edit.path) ?? texts.get(edit.path) ?? '', edit))
  return [...after].map(([path, text]) => ({ path, before: texts.get(path) ?? '', after: text }))
}

/** The text after the edit. */
export function applyEdit(text: string, edit: Edit): string {
  return text.slice(0, edit.start) + edit.replacement + text.slice(edit.end)
}

function labelOf(text: string, { start, end, replacement }: Edit): string {
  const [before, after] = [oneLine(text.slice(start, end)), oneLine(replacement)]
  if (before !== '') return after === '' ? `remove ${before}` : `${before} -> ${after}`
  // An insertion says little without the value next to it.
  const [left, right] = [VALUE_BEFORE.exec(text.slice(0, start))?.[0] ?? '', VALUE_AFTER.exec(text.slice(end))?.[0] ?? '']
  if (/^[ .]/.test(replacement) && left) return `${left} -> ${left}${oneLine(`|${replacement}`).slice(1)}`
  return /^(?:!|not )$/.test(replacement) && right ? `${right} -> ${replacement}${right}` : `add ${after}`
}

const VALUE_BEFORE = /[\w$.]{1,40}[)\]]?$/
const VALUE_AFTER = /^[\w$.]{1,40}/

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}
