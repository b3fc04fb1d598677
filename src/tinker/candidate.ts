import type { Code } from './code.ts'
import type { Edit } from './edit.ts'
import type { TriedFile } from './memory.ts'

/** An edit of a known file, ready to be tried. */
export interface Candidate extends Edit {
  readonly path: string
  readonly line: number
  /** The function around it. */
  readonly area: string
  /** The same for the same change of the same text. */
  readonly id: string
  /** What the line would look like to a reader: `< -> <=`. */
  readonly label: string
  /** How promising it is before anything was tried. */
  readonly weight: number
  /** Edits that are made together with it; they do not touch it or each other. */
  readonly also?: readonly Candidate[]
}

/** Makes an edit of a file into a candidate. */
export function candidateOf(code: Code, edit: Edit, line: number, weight: number): Candidate {
  const { path, text, functions } = code
  const span = functions.findLast(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine)
  const id = `${path}:${edit.start}-${edit.end}:${edit.replacement}`
  return { ...edit, path, line, id, weight, area: `${path} ${span?.name ?? ''}`, label: labelOf(text, edit) }
}

/** All edits of a candidate, those of a file from its end to its beginning: none moves the place of one that comes after it. */
export function editsOfCandidate(candidate: Candidate): readonly Candidate[] {
  return [candidate, ...(candidate.also ?? [])].toSorted((one, other) => other.start - one.start)
}

/** The files that a candidate changes, before and after. */
export function filesWith(candidate: Candidate, texts: ReadonlyMap<string, string>): readonly TriedFile[] {
  const after = new Map<string, string>()
  for (const edit of editsOfCandidate(candidate))
    after.set(edit.path, applyEdit(after.get(edit.path) ?? texts.get(edit.path) ?? '', edit))
  return [...after].map(([path, text]) => ({ path, before: texts.get(path) ?? '', after: text }))
}

/** The text with the edit made. */
export function applyEdit(text: string, edit: Edit): string {
  return text.slice(0, edit.start) + edit.replacement + text.slice(edit.end)
}

function labelOf(text: string, { start, end, replacement }: Edit): string {
  const [before, after] = [oneLine(text.slice(start, end)), oneLine(replacement)]
  if (before !== '') return after === '' ? `remove ${before}` : `${before} -> ${after}`
  // What is put in says little without the value it is put to.
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
