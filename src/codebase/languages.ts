import type { ImportEdge } from './codebase.ts'
import { c, cpp } from './language-c.ts'
import { csharp, go, java, neighboursInScope } from './language-go-java-csharp.ts'
import { javascript, tsx, typescript } from './language-javascript.ts'
import type { LanguageName, LanguageRules, Resolve, SourceFile, Surroundings } from './language.ts'
import { python } from './language-python.ts'
import { rust } from './language-rust.ts'

/** How to read each language. To add one, add it here and its grammar to `parse-code.ts`. */
export const LANGUAGES: Readonly<Record<LanguageName, LanguageRules>> = {
  typescript,
  tsx,
  javascript,
  python,
  go,
  rust,
  java,
  csharp,
  c,
  cpp,
}

const BY_EXTENSION: ReadonlyMap<string, LanguageName> = new Map(
  Object.entries(LANGUAGES).flatMap(([name, { extensions }]) =>
    extensions.split(' ').map((extension): [string, LanguageName] => [extension, name as LanguageName]),
  ),
)

/** A file's language by its name; `undefined` if Pawl has no rules for it. */
export function languageOf(path: string): LanguageName | undefined {
  return BY_EXTENSION.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '')
}

/** Which file imports which, each pair once with the first line that imports it. */
export function importEdges(surroundings: Surroundings): readonly ImportEdge[] {
  const resolvers = new Map<LanguageName, Resolve>()
  const resolverOf = (language: LanguageName): Resolve => {
    const resolve = resolvers.get(language) ?? LANGUAGES[language].resolver(surroundings)
    resolvers.set(language, resolve)
    return resolve
  }
  const neighbours = neighboursInScope(surroundings)
  return surroundings.sources.flatMap((from) => edgesOf(from, resolverOf(from.language), neighbours(from)))
}

function edgesOf(
  from: SourceFile,
  resolve: Resolve,
  neighbours: readonly { readonly to: string; readonly line: number }[],
): readonly ImportEdge[] {
  const lines = new Map<string, number>()
  const add = (to: string, line: number) => {
    if (to !== from.path && !(lines.has(to) && (lines.get(to) ?? 0) <= line)) lines.set(to, line)
  }
  for (const { specifier, line } of from.imports) {
    for (const to of resolve(from, specifier)) add(to, line)
  }
  for (const { to, line } of neighbours) {
    if (!lines.has(to)) add(to, line)
  }
  return [...lines].map(([to, line]) => ({ from: from.path, to, line }))
}
