import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml'
import { PawlError } from '../core/pawl-error.ts'
import type { GenericSchema, OutputOf } from '../schema/kinds.ts'
import { type FileProblem, readValue } from '../schema/read-value.ts'

/** How a file is read. */
export interface FileRules<Schema extends GenericSchema> {
  /** The schema for what is in the file. */
  readonly schema: (value: unknown) => Schema
  /** The code of the error if something is wrong. */
  readonly code: string
  /** What an empty file says; without it an empty file is wrong. */
  readonly empty?: unknown
  /** The sentence about an empty file, if it is wrong. */
  readonly emptyMessage?: string
  /** What else is wrong, between keys. Takes a value of any shape, so that all problems are reported at once. */
  readonly problems?: (value: unknown) => readonly FileProblem[]
}

/** Reads the text of a YAML file. Everything wrong in it is one error, a line each: `FILE:LINE:COLUMN: what`. */
export function readYaml<Schema extends GenericSchema>(text: string, file: string, rules: FileRules<Schema>): OutputOf<Schema> {
  const { output, problems } = reading(text, rules)
  if (problems.length === 0) return output as OutputOf<Schema>
  const lines = problems
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset, message }) => `${file}:${textPlace(text, offset)}: ${message}`)
  throw new PawlError(rules.code, lines.join('\n'), { value: file })
}

interface Reading {
  readonly output?: unknown
  readonly problems: readonly SyntaxProblem[]
}

function reading<Schema extends GenericSchema>(
  text: string,
  { schema, empty, emptyMessage, problems }: FileRules<Schema>,
): Reading {
  let document: Document
  try {
    document = parseDocument(text, { prettyErrors: false })
  } catch (error) {
    return unreadable(error)
  }
  const syntax = syntaxProblems(document, text)
  if (syntax.some(({ isFatal }) => isFatal)) return { problems: syntax }
  let value: unknown
  try {
    value = document.toJS() ?? empty
  } catch (error) {
    // Aliases of aliases: a few lines that would fill the memory.
    return unreadable(error)
  }
  if (value === undefined) return { problems: [{ offset: 0, message: emptyMessage ?? 'the file is empty' }] }
  const { output, problems: found } = readValue(schema(value), value)
  const wrong = [...found, ...(problems?.(value) ?? [])]
  return {
    output,
    problems: [...syntax, ...wrong.map((each) => ({ offset: offsetOf(document, each), message: each.message }))],
  }
}

function unreadable(error: unknown): Reading {
  return { problems: [{ offset: 0, message: `this cannot be read as YAML: ${(error as Error).message}` }] }
}

/** Where in a text an offset is, as compilers say it: `LINE:COLUMN`, both from 1. */
export function textPlace(text: string, offset: number): string {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return `${line}:${offset - before.lastIndexOf('\n')}`
}

/** Where in the text a problem is: the offset of its value or key, or of the nearest thing around it that is there. */
export function offsetOf(document: Document, { path, at }: Pick<FileProblem, 'path' | 'at'>): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [depth, key] of path.entries()) {
    const owner: unknown = isAlias(node) ? node.resolve(document) : node
    const isLast = depth === path.length - 1
    const next: Node | undefined = isLast && at === 'key' ? keyNode(owner, key) : valueNode(owner, key)
    if (next === undefined) return offset
    offset = next.range?.[0] ?? offset
    node = next
  }
  return offset
}

function valueNode(owner: unknown, key: string | number): Node | undefined {
  if (isSeq(owner)) return asNode(owner.items[Number(key)])
  const pair = isMap(owner) ? owner.items.find((each) => keyText(each.key) === String(key)) : undefined
  return asNode(pair?.value) ?? asNode(pair?.key)
}

function keyNode(owner: unknown, key: string | number): Node | undefined {
  const pair = isMap(owner) ? owner.items.find((each) => keyText(each.key) === String(key)) : undefined
  return asNode(pair?.key)
}

function asNode(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key)
}

/** Something the YAML itself has wrong, and where in the text. */
export interface SyntaxProblem {
  readonly offset: number
  readonly message: string
  /** Nothing can be said about the rest of the file. */
  readonly isFatal?: true
}

/** What is wrong with the YAML, before anybody asks what it says. After a syntax error only the first is reported: the rest follows from it. */
export function syntaxProblems(document: Document, text: string): readonly SyntaxProblem[] {
  const first = document.errors.find((error) => error.code !== 'DUPLICATE_KEY')
  if (first !== undefined) return [{ offset: offsetOfError(first, document), message: sentence(first), isFatal: true }]
  return [
    ...document.errors.map(({ pos: [offset] }) => ({ offset, message: twice(text.slice(offset)) })),
    ...document.warnings.map((warning) => ({ offset: warning.pos[0], message: sentence(warning), isFatal: true as const })),
    ...unknownAliases(document),
  ]
}

const SENTENCES: Partial<Readonly<Record<ErrorCode, string>>> = {
  TAB_AS_INDENT: 'a tab cannot indent in YAML: use spaces',
  MULTIPLE_DOCS: 'a second document begins here (---): the file must have one only',
  BLOCK_AS_IMPLICIT_KEY:
    'a key cannot stand here: begin a new line with the indentation of its neighbours, or put quotes around the text',
  BAD_SCALAR_START: 'a text cannot begin with this character: put quotes around it',
}

function sentence({ code, message }: YAMLError): string {
  const known = SENTENCES[code]
  if (known !== undefined) return known
  if (code === 'MISSING_CHAR' && message.includes('quote')) return 'the quote that begins here is never closed'
  return `this is not YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

/** A missing quote is noticed at the end of the file; what people look for is where it began. */
function offsetOfError(error: YAMLError, document: Document): number {
  let offset = error.pos[0]
  if (error.code !== 'MISSING_CHAR') return offset
  visit(document, {
    Scalar: (_key, node) => {
      const isOpen = node.type?.startsWith('QUOTE') && node.range && node.range[0] < error.pos[0] && node.range[1] >= error.pos[0]
      if (isOpen && node.range) offset = node.range[0]
    },
  })
  return offset
}

function twice(rest: string): string {
  const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:,}]+)/.exec(rest)?.[0] ?? ''
  return `the key ${JSON.stringify(key.replaceAll(/^["']|["']$/g, ''))} stands here a second time: keep one of them`
}

function unknownAliases(document: Document): readonly SyntaxProblem[] {
  const problems: SyntaxProblem[] = []
  visit(document, {
    Alias: (_key, node) => {
      if (node.resolve(document) === undefined)
        problems.push({ offset: node.range?.[0] ?? 0, message: `nothing before it is called &${node.source}`, isFatal: true })
    },
  })
  return problems
}
