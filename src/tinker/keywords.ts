import type { Language } from './language.ts'

/** Whether a word is syntax in the language, so that it is never taken for a name. */
export function isKeyword(word: string, language: Language): boolean {
  return KEYWORDS[language.family].has(word)
}

/** Words that bring in other files, where they begin a line. */
export const IMPORT_WORDS: ReadonlySet<string> = new Set([
  'import',
  'from',
  'require',
  'include',
  '#include',
  'use',
  'mod',
  'package',
])

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const KEYWORDS: Readonly<Record<Language['family'], ReadonlySet<string>>> = {
  script: words(
    `abstract as async await break case catch class const continue declare default delete do else enum export extends false
    finally for function if implements import in infer instanceof interface keyof let namespace new null of private
    protected public readonly return satisfies static super switch this throw true try typeof undefined var void while
    with yield`,
  ),
  indented: words(
    `and as assert async await break case class continue def del elif else except False finally for from global if import
    in is lambda None nonlocal not or pass raise return self True try while with yield`,
  ),
  braces: words(
    `as async auto await bool boolean break byte case catch chan char class const continue crate default defer delete do
    double else enum export extends extern false final finally float float64 fn for foreach fun func function go goto
    guard if impl implements import in include instanceof int int32 int64 interface let long loop map match mod mut
    namespace native new nil null nullptr operator override package private protected pub public range return self
    short signed sizeof static string struct super switch template this throw throws trait true try type typedef typeof
    union unsafe unsigned use using val var virtual void volatile where while yield`,
  ),
}
