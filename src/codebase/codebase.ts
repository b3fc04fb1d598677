import type { PartSpec } from '../core/run-config.ts'
import type { EffectContext } from '../process/effect-context.ts'

/** What a driver needs of the effect's context: whether to go on, and somebody to tell. */
export type CodebaseContext = Pick<EffectContext, 'signal' | 'progress'>

export interface EstimateRequest {
  /** What the question is about, in words or names: `login`, `loginUser`. */
  readonly terms: readonly string[]
  /** Files that findings cite already; what they import and what imports them is looked at too. */
  readonly cited: readonly string[]
  readonly filesMax: number
}

/** A file that is likely to matter, and why. */
export interface RelevantFile {
  readonly path: string
  /** Against the other files of the same estimate: the best one has 1. */
  readonly score: number
  /** In plain words: ``declares `loginUser` (line 3)``. Never empty. */
  readonly reasons: readonly string[]
}

export interface Estimate {
  /** Best first, at most `filesMax`; those of the same score by path. */
  readonly files: readonly RelevantFile[]
  /** How many text files the codebase has. */
  readonly filesTotal: number
  /** What could not be taken in, a sentence each: a parser that is missing, a file that cannot be read. Default: none. */
  readonly notes?: readonly string[]
}

/** A place that is said to prove something: the snippet is said to stand there. Lines are counted from 1. */
export interface CitedPlace {
  readonly file: string
  readonly line: number
  readonly snippet: string
}

/**
 * What came of looking at a cited place. `exact`: the snippet begins there. `drifted`: it stands elsewhere in the file, at `line`.
 * `refuted`: it does not stand in the file, or there is no such file.
 */
export type CitationCheck =
  | { readonly status: 'exact'; readonly line: number }
  | { readonly status: 'drifted'; readonly line: number; readonly note: string }
  | { readonly status: 'refuted'; readonly note: string }

/** The files a question is about. Nothing is ever changed in them, and nothing outside of them is read. */
export interface Codebase {
  readonly spec: PartSpec
  /** The files that matter for the terms, with reasons. The same files and the same request give the same answer. */
  estimate(request: EstimateRequest, context: CodebaseContext): Promise<Estimate>
  /** One answer for each citation, in the same order. Never rejects for what a citation says. */
  verify(citations: readonly CitedPlace[], context: CodebaseContext): Promise<readonly CitationCheck[]>
}

export type DeclarationKind = 'function' | 'method' | 'class' | 'type' | 'constant' | 'variable' | 'module'

/** Where a name is declared. */
export interface Declaration {
  readonly name: string
  readonly kind: DeclarationKind
  readonly file: string
  readonly line: number
  /** Where what is declared ends. */
  readonly lineEnd: number
}

/** Where a name is used: not declared, not in a comment and not in a text. */
export interface Use {
  readonly file: string
  readonly line: number
  /** The innermost thing declared around it, where there is one. */
  readonly within?: string
  readonly isImport?: true
}

/** One file that imports another. */
export interface ImportEdge {
  readonly from: string
  readonly to: string
  /** Where in `from`. */
  readonly line: number
}

/** What is known about the code of a codebase at one moment. */
export interface CodeIndex {
  readonly filesTotal: number
  /** Paths of all text files, sorted. */
  files(): readonly string[]
  declarationsOf(name: string): readonly Declaration[]
  /** The forms of a word that stand in the codebase, in small letters: `handled` gives `handle`, `handled`, `handler`. */
  formsOf(word: string): readonly string[]
  /** Names that have the word, or every word of it, in some form: `login` finds `loginUser` and `LOGIN_PATH`. */
  declarationsWith(word: string): readonly Declaration[]
  declarationsIn(file: string): readonly Declaration[]
  usesOf(name: string, filesMax: number): Promise<readonly Use[]>
  importsOf(file: string): readonly ImportEdge[]
  importersOf(file: string): readonly ImportEdge[]
  /** Whether a file is a test or belongs to tests, by its path. */
  isTest(file: string): boolean
  /** The language of a source file; `undefined` for all other text. */
  languageOf(file: string): string | undefined
  /** The text of a file of the codebase; `undefined` when there is none or it is too large. */
  text(file: string): Promise<string | undefined>
}

/** A codebase that can be looked into, as the explorer needs it. */
export interface ReadableCodebase extends Codebase {
  /** Brought up to date with the files each time it is asked for. */
  index(context: CodebaseContext): Promise<CodeIndex>
}
