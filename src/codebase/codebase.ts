import type { PartSpec } from '../core/run-config.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { LiteralPlace } from './literal.ts'
import type { ReadQuestion, Thing } from './question.ts'
import type { SearchResult } from './search.ts'

/** The part of the effect's context that a driver needs. */
export type CodebaseContext = Pick<EffectContext, 'signal' | 'progress'>

export interface EstimateRequest {
  /** What the question is about, in words or names: `login`, `loginUser`. */
  readonly terms: readonly string[]
  /** Files that findings already cite. The estimate considers their imports and importers too. */
  readonly cited: readonly string[]
  readonly filesMax: number
  /** The questions to answer: a "where" needs few files, the whole codebase all that matter. Default: the terms alone count. */
  readonly questions?: readonly { readonly text: string }[]
}

/** A file that probably matters, and why. */
export interface RelevantFile {
  readonly path: string
  /** Relative to the other files of the same estimate: the best one has 1. */
  readonly score: number
  /** In plain words: ``declares `loginUser` (line 3)``. Never empty. */
  readonly reasons: readonly string[]
}

export interface Estimate {
  /** Best first, at most `filesMax`; equal scores are sorted by path. */
  readonly files: readonly RelevantFile[]
  /** How many text files the codebase has. */
  readonly filesTotal: number
  /** Problems, one sentence each: a missing parser, a file that can't be read. Default: none. */
  readonly notes?: readonly string[]
}

/** A snippet quoted as evidence, with its position. Lines are counted from 1. */
export interface CitedPlace {
  readonly file: string
  readonly line: number
  readonly snippet: string
}

/**
 * The result of checking a citation. `exact`: the snippet starts at the cited line. `drifted`: it is elsewhere in the file, at
 * `line`. `refuted`: it isn't in the file, or there is no such file.
 */
export type CitationCheck =
  | { readonly status: 'exact'; readonly line: number }
  | { readonly status: 'drifted'; readonly line: number; readonly note: string }
  | { readonly status: 'refuted'; readonly note: string }

/** The files a question is about. It never changes them and reads nothing outside them. */
export interface Codebase {
  readonly spec: PartSpec
  /** The files that matter for the terms, with reasons. Deterministic for the same files and request. */
  estimate(request: EstimateRequest, context: CodebaseContext): Promise<Estimate>
  /** One answer for each citation, in the same order. Never rejects because of a citation's content. */
  verify(citations: readonly CitedPlace[], context: CodebaseContext): Promise<readonly CitationCheck[]>
}

export type DeclarationKind = 'function' | 'method' | 'class' | 'type' | 'constant' | 'variable' | 'module'

/** Where a name is declared. */
export interface Declaration {
  readonly name: string
  readonly kind: DeclarationKind
  readonly file: string
  readonly line: number
  /** The last line of the declaration. */
  readonly lineEnd: number
}

/** Where code uses a name; declarations, comments and strings don't count. */
export interface Use {
  readonly file: string
  readonly line: number
  /** The innermost declaration around it, if any. */
  readonly within?: string
  readonly isImport?: true
  /** It is called there. */
  readonly isCall?: true
}

/** One file that imports another. */
export interface ImportEdge {
  readonly from: string
  readonly to: string
  /** The line in `from`. */
  readonly line: number
}

/** What is known about a codebase's code at one moment. */
export interface CodeIndex {
  readonly filesTotal: number
  /** Paths of all text files, sorted. */
  files(): readonly string[]
  declarationsOf(name: string): readonly Declaration[]
  /** Names that contain the word, or all of its words, in some form: `login` finds `loginUser` and `LOGIN_PATH`. */
  declarationsWith(word: string): readonly Declaration[]
  /** The files that a question is about, best first, and which of its words occur nowhere. */
  search(question: string): SearchResult
  /** What a question names or describes, as far as the code declares it. */
  thingsIn(question: ReadQuestion): readonly Thing[]
  /** Where a text is written, code before tests and documents. */
  writtenIn(literal: string): readonly LiteralPlace[]
  /** The file whose path, or the end of it, a text contains; `undefined` if none or several. */
  fileIn(text: string): string | undefined
  /** What a file imports as it is written there, packages included. */
  specifiersIn(file: string): readonly { readonly specifier: string; readonly line: number }[]
  declarationsIn(file: string): readonly Declaration[]
  usesOf(name: string, filesMax: number): Promise<readonly Use[]>
  importsOf(file: string): readonly ImportEdge[]
  importersOf(file: string): readonly ImportEdge[]
  /** Whether a file is a test or belongs to tests, judging by its path. */
  isTest(file: string): boolean
  /** A source file's language; `undefined` for other text. */
  languageOf(file: string): string | undefined
  /** A file's text; `undefined` if it doesn't exist or is too large. */
  text(file: string): Promise<string | undefined>
}

/** A codebase with an index, as the explorer needs it. */
export interface ReadableCodebase extends Codebase {
  /** Updates the index first. */
  index(context: CodebaseContext): Promise<CodeIndex>
}
