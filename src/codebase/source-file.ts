import type { LanguageName, RawImport } from './language.ts'

/** A source file as the resolvers need it. */
export interface SourceFile {
  readonly path: string
  readonly language: LanguageName
  readonly imports: readonly RawImport[]
  readonly scopes: readonly string[]
  readonly mentions: Readonly<Record<string, number>>
  /** Names of the types, functions and constants it declares, where its language has scopes. */
  readonly declares: readonly string[]
}

/** Everything an import can lead to. */
export interface Surroundings {
  /** All text files. */
  readonly paths: ReadonlySet<string>
  readonly sources: readonly SourceFile[]
  /** The text of a small file of the codebase: a `tsconfig.json`, a `go.mod`. */
  readText(path: string): string | undefined
}

/** The files that one specifier of one file leads to; none where it leads out of the codebase. */
export type Resolve = (from: SourceFile, specifier: string) => readonly string[]

/** All files with this name, wherever they lie. */
export function filesNamed({ paths }: Surroundings, name: string): readonly string[] {
  return [...paths].filter((path) => path === name || path.endsWith(`/${name}`))
}

/** `a/b` for `a/b/c.ts`, and nothing for `c.ts`. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
}

/** Joins steps of a path and takes `.` and `..` out; `undefined` where it leads out of the codebase. */
export function joined(...parts: readonly string[]): string | undefined {
  const steps: string[] = []
  for (const step of parts.join('/').split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.pop() === undefined) return undefined
  }
  return steps.join('/')
}

/** The folder itself and the ones around it, the nearest first, down to the root, which is empty. */
export function foldersAround(folder: string): readonly string[] {
  const steps = folder === '' ? [] : folder.split('/')
  return Array.from({ length: steps.length + 1 }, (_, index) => steps.slice(0, steps.length - index).join('/'))
}
