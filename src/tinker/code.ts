import { findFunctions, type FunctionSpan } from './find-functions.ts'
import { languageOf, type Language } from './language.ts'
import { tokenize, type Token } from './tokenize.ts'

/** A source file as the mutations see it. */
export interface Code {
  /** Relative to the working folder, with slashes. */
  readonly path: string
  readonly text: string
  readonly language: Language
  /** Without comments. */
  readonly tokens: readonly Token[]
  /** For the index of a bracket the index of its partner, for all others -1. */
  readonly pairs: readonly number[]
  readonly functions: readonly FunctionSpan[]
}

/** Reads source text into tokens, bracket pairs and functions; `undefined` where the language is not known. */
export function readCode(path: string, text: string): Code | undefined {
  const language = languageOf(path)
  if (!language) return undefined
  const tokens = tokenize(text, language).filter((token) => token.kind !== 'comment')
  const pairs = pairBrackets(tokens)
  return { path, text, language, tokens, pairs, functions: findFunctions(tokens, pairs, language, text) }
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

function pairBrackets(tokens: readonly Token[]): number[] {
  const pairs = tokens.map(() => -1)
  const open: number[] = []
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'operator') continue
    if (text in CLOSING) open.push(index)
    else if (text === ')' || text === ']' || text === '}') {
      const partner = open.findLastIndex((candidate) => CLOSING[tokens[candidate]!.text] === text)
      if (partner < 0) continue
      pairs[open[partner]!] = index
      pairs[index] = open[partner]!
      open.length = partner
    }
  }
  return pairs
}
