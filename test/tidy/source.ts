import { posix } from 'node:path'
import { codeOnly } from './code-only.ts'

/** What one file imports, and where. */
export interface Import {
  readonly line: number
  readonly specifier: string
  /** Path from the root of the repository; absent for packages and `node:` modules. */
  readonly target?: string
  readonly isTypeOnly: boolean
}

/** A TypeScript file as the rules see it. */
export interface Source {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  /** `text` with comments, strings and templates blanked. */
  readonly code: string
  readonly imports: readonly Import[]
  readonly isTest: boolean
}

/** Reads a file's text as a source. */
export function sourceOf(path: string, text: string): Source {
  const code = codeOnly(text)
  return { path, text, code, imports: importsIn(path, text, code), isTest: path.endsWith('.test.ts') }
}

/** The line, counted from 1, of a place in a text. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

const IMPORT = /(?:^(?:import|export)\b(?<head>[^'";]*?)\bfrom\s*|^import\s*|\bimport\s*\(\s*)(?<quote>['"])/gm

function importsIn(path: string, text: string, code: string): Import[] {
  return [...code.matchAll(IMPORT)].map((match) => {
    const { head = '', quote = '' } = match.groups ?? {}
    const start = match.index + match[0].length
    const specifier = text.slice(start, code.indexOf(quote, start))
    const isTypeOnly = /^\s*type\b/.test(head)
    const line = lineAt(code, start)
    if (!specifier.startsWith('.')) return { line, specifier, isTypeOnly }
    return { line, specifier, isTypeOnly, target: posix.join(posix.dirname(path), specifier) }
  })
}
