import type { Code } from './code.ts'
import type { Token } from './tokenize.ts'

/** What sort of slip an edit would mend; the failures of a check make some sorts likelier than others. */
export type EditKind =
  | 'comparison'
  | 'arithmetic'
  | 'logic'
  | 'assignment'
  | 'number'
  | 'bound'
  | 'literal'
  | 'text'
  | 'name'
  | 'sibling'
  | 'condition'
  | 'order'
  | 'await'
  | 'return'
  | 'optional'
  | 'copy'
  | 'guard'
  | 'statement'
  | 'conversion'
  | 'expected'

/** One small change of a file: `replacement` takes the place of the text from `start` to `end`. */
export interface Edit {
  readonly kind: EditKind
  readonly start: number
  readonly end: number
  readonly replacement: string
  /** How often a slip of this shape is the cause, 0..1: an estimate, used only to order the tries. */
  readonly prior: number
}

/** Names that the tests use, as further candidates for a wrong name in the source. */
export interface Vocabulary {
  readonly properties: ReadonlySet<string>
}

/** Proposes edits for a file; the check decides what they are worth. */
export type Mutation = (code: Code, vocabulary: Vocabulary) => Iterable<Edit>

/** An edit that puts `replacement` in the place of whole tokens. */
export function replace(kind: EditKind, prior: number, from: Token, to: Token, replacement: string): Edit {
  return { kind, prior, start: from.start, end: to.end, replacement }
}

/** An edit that puts `text` in at an offset. */
export function insert(kind: EditKind, prior: number, offset: number, text: string): Edit {
  return { kind, prior, start: offset, end: offset, replacement: text }
}
