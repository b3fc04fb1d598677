import { type Document, parseAllDocuments, parseDocument } from 'yaml'
import { PawlError } from '../../core/pawl-error.ts'
import { type CheckDocument, documentProblems } from '../../loops/task/iteration-check/check-document.ts'
import { offsetOf, syntaxProblems, textPlace } from '../../settings/yaml-file.ts'

/** What a text holds: the documents up to the first that is wrong, and what is wrong with that one. */
export interface ReadDocuments {
  readonly documents: readonly PlacedDocument[]
  readonly problem?: PawlError
}

export interface PlacedDocument {
  readonly document: CheckDocument
  /** `FILE:LINE:COLUMN` of its beginning. */
  readonly place: string
}

/** Reads `iteration_check` documents: YAML separated by `---`, JSON values one after another, or a list of either. */
export function readDocuments(text: string, file: string): ReadDocuments {
  const documents: PlacedDocument[] = []
  for (const { value, problems, offset } of valuesIn(text)) {
    const place = `${file}:${textPlace(text, offset)}`
    const wrong = problems ?? []
    if (wrong.length > 0) {
      const lines = wrong
        .toSorted((a, b) => a.offset - b.offset)
        .map((each) => `${file}:${textPlace(text, each.offset)}: ${each.message}`)
      return { documents, problem: new PawlError('usage.document', lines.join('\n'), { value: file }) }
    }
    documents.push({ document: value as CheckDocument, place })
  }
  if (documents.length > 0) return { documents }
  const sentence = `${file} holds no document: it must be YAML or JSON that begins with "iteration_check:".`
  return { documents, problem: new PawlError('usage.document', sentence, { value: file }) }
}

interface Value {
  readonly value?: unknown
  readonly offset: number
  readonly problems?: readonly Problem[]
}

interface Problem {
  readonly offset: number
  readonly message: string
}

function valuesIn(text: string): readonly Value[] {
  const isJson = /^\s*[{[]/.test(text)
  const parts = isJson ? jsonValues(text) : []
  const isSeveral = parts.length > 1 && parts.every((part) => /^[{[]/.test(part.text))
  if (isSeveral) return parts.flatMap((part) => jsonPart(part.text, part.offset))
  const documents = parseAllDocuments(text, { prettyErrors: false })
  return 'empty' in documents ? [] : documents.flatMap((document) => itemsOf(document, text, 0))
}

/** JSON is YAML too, and the YAML parser knows positions; so it reads the text again if something is wrong. */
function jsonPart(text: string, base: number): readonly Value[] {
  return itemsOf(parseDocument(text, { prettyErrors: false }), text, base)
}

function itemsOf(document: Document, text: string, base: number): readonly Value[] {
  const offset = base + (document.contents?.range?.[0] ?? 0)
  const syntax = syntaxProblems(document, text).map((each) => ({ message: each.message, offset: base + each.offset }))
  if (syntax.length > 0) return [{ offset, problems: syntax }]
  const value = plainValue(document)
  if ('trouble' in value) return [{ offset, problems: [{ offset, message: value.trouble }] }]
  if (value.value === null || value.value === undefined) return []
  const given: readonly unknown[] = Array.isArray(value.value) ? value.value : [value.value]
  return given.map((item, index) => {
    const path = Array.isArray(value.value) ? [index] : []
    const problems = documentProblems(item).map((problem) => ({
      offset: base + offsetOf(document, { ...problem, path: [...path, ...problem.path] }),
      message: problem.message,
    }))
    return { value: item, offset: base + offsetOf(document, { path }), problems }
  })
}

function plainValue(document: Document): { readonly value: unknown } | { readonly trouble: string } {
  try {
    return { value: document.toJS() }
  } catch (error) {
    // Aliases of aliases: a few lines that would fill the memory.
    return { trouble: `this cannot be read as YAML: ${(error as Error).message}` }
  }
}

/** A value in a text that holds several, and where it begins. */
export interface TextPart {
  readonly offset: number
  readonly text: string
}

/** Takes a text of JSON values, one after the other with or without line ends between them, apart. What is left open is the last part. */
export function jsonValues(text: string): readonly TextPart[] {
  const parts: TextPart[] = []
  let start = -1
  let depth = 0
  const tokens = new RegExp(TOKENS)
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const { 0: first, index } = token
    if (start === -1) start = index
    if (first === '"') tokens.lastIndex = stringEnd(text, index)
    if (first === '{' || first === '[') depth++
    if (first === '}' || first === ']') depth--
    if (depth > 0) continue
    parts.push({ offset: start, text: text.slice(start, tokens.lastIndex) })
    start = -1
    depth = 0
  }
  return start === -1 ? parts : [...parts, { offset: start, text: text.slice(start) }]
}

/** Brackets, the beginning of a string, and whatever else is between white space. */
const TOKENS = /[{}[\]"]|[^\s{}[\]"]+/g

/** Where a string that begins at `start` is over. A pattern for whole strings would overflow the stack if one is long. */
function stringEnd(text: string, start: number): number {
  const marks = /["\\]/g
  marks.lastIndex = start + 1
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === '"') return marks.lastIndex
    marks.lastIndex++
  }
  return text.length
}
