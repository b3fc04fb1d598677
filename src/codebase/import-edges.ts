import type { ImportEdge } from './codebase.ts'
import type { LanguageName } from './language.ts'
import { resolveC } from './resolve-c.ts'
import { resolveJavascript } from './resolve-javascript.ts'
import { resolvePython } from './resolve-python.ts'
import { resolveRust } from './resolve-rust.ts'
import { neighboursInScope, resolveCsharp, resolveGo, resolveJava } from './resolve-scopes.ts'
import type { Resolve, SourceFile, Surroundings } from './source-file.ts'

/** Which file imports which, each pair once with the first line that says so. */
export function importEdges(surroundings: Surroundings): readonly ImportEdge[] {
  const resolvers = resolversFor(surroundings)
  const neighbours = neighboursInScope(surroundings)
  return surroundings.sources.flatMap((from) => edgesOf(from, resolvers, neighbours))
}

function edgesOf(
  from: SourceFile,
  resolvers: (language: LanguageName) => Resolve,
  neighbours: ReturnType<typeof neighboursInScope>,
): readonly ImportEdge[] {
  const lines = new Map<string, number>()
  const add = (to: string, line: number) => {
    if (to !== from.path && !(lines.has(to) && (lines.get(to) ?? 0) <= line)) lines.set(to, line)
  }
  const resolve = resolvers(from.language)
  for (const { specifier, line } of from.imports) {
    for (const to of resolve(from, specifier)) add(to, line)
  }
  for (const { to, line } of neighbours(from)) {
    if (!lines.has(to)) add(to, line)
  }
  return [...lines].map(([to, line]) => ({ from: from.path, to, line }))
}

/** Each is made when first needed: most codebases have one or two languages. */
function resolversFor(surroundings: Surroundings): (language: LanguageName) => Resolve {
  const made = new Map<LanguageName, Resolve>()
  return (language) => {
    const known = made.get(language)
    const resolve = known ?? RESOLVERS[language](surroundings)
    if (!known) made.set(language, resolve)
    return resolve
  }
}

const RESOLVERS: Readonly<Record<LanguageName, (surroundings: Surroundings) => Resolve>> = {
  typescript: resolveJavascript,
  tsx: resolveJavascript,
  javascript: resolveJavascript,
  python: resolvePython,
  go: resolveGo,
  rust: resolveRust,
  java: resolveJava,
  csharp: resolveCsharp,
  c: resolveC,
  cpp: resolveC,
}
