import { filesNamed, folderOf, type Resolve, type SourceFile, type Surroundings } from './source-file.ts'

/** Imports of Go: packages of the modules in the codebase; of a package, the files that declare something the importing file mentions. */
export function resolveGo(surroundings: Surroundings): Resolve {
  const modules = goModules(surroundings)
  const packages = grouped(surroundings, 'go', ({ path }) => [folderOf(path)])
  return (from, specifier) => {
    const module = modules.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
    if (!module) return []
    const folder = [module.folder, specifier.slice(module.name.length + 1)].filter((step) => step !== '').join('/')
    return mentioned(from, packages.get(folder) ?? [])
  }
}

/** Imports of Java: a type by its package and name, or all of a package that is mentioned. */
export function resolveJava(surroundings: Surroundings): Resolve {
  const packages = grouped(surroundings, 'java', ({ scopes }) => scopes)
  const declaring = (scope: string, name: string) => (packages.get(scope) ?? []).filter(({ declares }) => declares.includes(name))
  return (from, specifier) => {
    const steps = specifier.split('.')
    const last = steps.pop() ?? ''
    if (last === '*') {
      const all = packages.get(steps.join('.'))
      return all ? mentioned(from, all) : pathsOf(declaring(steps.slice(0, -1).join('.'), steps.at(-1) ?? ''))
    }
    const files = declaring(steps.join('.'), last)
    // A static import and an inner type end one step further in.
    return pathsOf(files.length > 0 ? files : declaring(steps.slice(0, -1).join('.'), steps.at(-1) ?? ''))
  }
}

/** Imports of C#: of a namespace, the files that declare something the importing file mentions; or the one type that is named. */
export function resolveCsharp(surroundings: Surroundings): Resolve {
  const namespaces = grouped(surroundings, 'csharp', ({ scopes }) => scopes)
  return (from, specifier) => {
    const files = namespaces.get(specifier)
    if (files) return mentioned(from, files)
    const dot = specifier.lastIndexOf('.')
    const around = namespaces.get(specifier.slice(0, Math.max(dot, 0))) ?? []
    return pathsOf(around.filter(({ declares }) => declares.includes(specifier.slice(dot + 1))))
  }
}

/** The files of the same package or namespace that a file makes use of without an import, and the line where it first does. */
export function neighboursInScope(surroundings: Surroundings): (from: SourceFile) => readonly { to: string; line: number }[] {
  const groups = {
    go: grouped(surroundings, 'go', ({ path }) => [folderOf(path)]),
    java: grouped(surroundings, 'java', ({ scopes }) => scopes),
    csharp: grouped(surroundings, 'csharp', ({ scopes }) => scopes),
  }
  return (from) => {
    if (from.language !== 'go' && from.language !== 'java' && from.language !== 'csharp') return []
    const scopes = from.language === 'go' ? [folderOf(from.path)] : from.scopes
    const own = new Set(from.declares)
    return scopes.flatMap((scope) =>
      (groups[from.language as 'go'].get(scope) ?? []).flatMap(({ path, declares }) => {
        if (path === from.path || isForTests(from, path)) return []
        const lines = declares.filter((name) => !own.has(name)).flatMap((name) => from.mentions[name] ?? [])
        return lines.length === 0 ? [] : [{ to: path, line: Math.min(...lines) }]
      }),
    )
  }
}

function grouped(
  { sources }: Surroundings,
  language: string,
  keysOf: (file: SourceFile) => readonly string[],
): ReadonlyMap<string, readonly SourceFile[]> {
  const groups = new Map<string, SourceFile[]>()
  for (const file of sources) {
    if (file.language !== language) continue
    for (const key of new Set(keysOf(file))) {
      const group = groups.get(key)
      if (group) group.push(file)
      else groups.set(key, [file])
    }
  }
  return groups
}

function mentioned(from: SourceFile, files: readonly SourceFile[]): readonly string[] {
  return pathsOf(
    files.filter(({ path, declares }) => !isForTests(from, path) && declares.some((name) => from.mentions[name] !== undefined)),
  )
}

/** What a test file of Go declares is seen by the tests of its own package only. */
function isForTests(from: SourceFile, path: string): boolean {
  if (!path.endsWith('_test.go')) return false
  return !from.path.endsWith('_test.go') || folderOf(from.path) !== folderOf(path)
}

function pathsOf(files: readonly SourceFile[]): readonly string[] {
  return files.map(({ path }) => path)
}

/** Modules with their folders, the longest name first. */
function goModules(surroundings: Surroundings): readonly { readonly name: string; readonly folder: string }[] {
  return filesNamed(surroundings, 'go.mod')
    .flatMap((path) => {
      const name = /^\s*module\s+"?([^\s"]+)/m.exec(surroundings.readText(path) ?? '')?.[1]
      return name === undefined ? [] : [{ name, folder: folderOf(path) }]
    })
    .toSorted((one, other) => other.name.length - one.name.length)
}
