import type { PartSpec } from '../core/run-config.ts'
import type { EffectContext } from '../process/effect-context.ts'

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

/** A declaration, the names of the classes around it, and how well it matches. */
export interface ScoredPlace extends Declaration {
  readonly parent: string
  readonly score: number
}

/** Where a text is written. */
export interface LiteralPlace {
  readonly file: string
  readonly line: number
  /** In code or data, not in a test, a comment or a document. */
  readonly isSource: boolean
  /** It is the whole text, but for values that the code puts in. */
  readonly isWhole: boolean
}

/**
 * What a question asks for. `place`: where something is. `uses`: what calls or uses it. `imports` and `importers`: what a file
 * imports, and what imports it. `path`: how something works. `whole`: something across the whole codebase.
 */
export type AskedFor = 'place' | 'uses' | 'imports' | 'importers' | 'path' | 'whole' | 'other'

/** A question as the code can answer it. */
export interface ReadQuestion {
  readonly text: string
  readonly asks: AskedFor
  /** Names as the question writes them: in backticks, or spelled as only code is, or in the place of a name. */
  readonly names: readonly string[]
  /** The class or module that the question puts before a name: `Session` of `Session.merge`. */
  readonly owners?: Readonly<Record<string, string>>
  /** Texts to find as they are written: quoted ones, headers such as `Content-Length`. */
  readonly literals: readonly string[]
  /** What it is about, without names and quoted texts. */
  readonly words: readonly string[]
}

/** A thing that a question names or describes, with its declarations: code before tests, the likeliest first. */
export interface Thing {
  readonly name: string
  readonly declarations: readonly ScoredPlace[]
}

/** A file that a question may be about. */
export interface Hit {
  readonly path: string
  readonly score: number
  /** The question's words that it has. */
  readonly words: readonly string[]
  /** Its best matching declarations, best first. */
  readonly places: readonly ScoredPlace[]
}

export interface SearchResult {
  /** Best first; equal scores are sorted by path. */
  readonly hits: readonly Hit[]
  /** The question's words and how rare each is; a word that occurs nowhere is the rarest. */
  readonly rarities: ReadonlyMap<string, number>
  /** Words that occur nowhere. */
  readonly unknown: readonly string[]
}

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
