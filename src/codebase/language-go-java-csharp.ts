import {
  fieldText,
  filesNamed,
  folderOf,
  kindsIn,
  type LanguageRules,
  type Resolve,
  type SourceFile,
  type Surroundings,
  type SyntaxNode,
  unquoted,
} from './language.ts'

/** Go. */
export const go: LanguageRules = {
  extensions: 'go',
  containers: new Set(
    kindsIn('import_declaration import_spec_list const_declaration var_declaration var_spec_list type_declaration ERROR'),
  ),
  declarations: {
    function_declaration: 'function',
    method_declaration: 'method',
    type_spec: 'type',
    type_alias: 'type',
    const_spec: (node) => namesOf(node).map((name) => ({ name, kind: 'constant' })),
    var_spec: (node) => namesOf(node).map((name) => ({ name, kind: 'variable' })),
  },
  owners: { method_declaration: (node) => /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(fieldText(node, 'receiver') ?? '')?.[1] },
  imports: { import_spec: (node) => [unquoted(fieldText(node, 'path') ?? '')] },
  hasScopes: true,
  names: ['identifier', 'type_identifier', 'field_identifier', 'package_identifier'],
  resolver: resolveGo,
}

function namesOf(node: SyntaxNode): readonly string[] {
  return node
    .fieldChildren('name')
    .filter((each) => each.kind() === 'identifier')
    .map((each) => each.text())
}

/** Java. An import is a dotted name; a final `*` means the whole package. */
export const java: LanguageRules = {
  extensions: 'java',
  containers: new Set(
    kindsIn(
      'class_declaration class_body interface_declaration interface_body enum_declaration enum_body',
      'enum_body_declarations record_declaration annotation_type_declaration annotation_type_body field_declaration ERROR',
    ),
  ),
  declarations: {
    class_declaration: 'class',
    interface_declaration: 'type',
    enum_declaration: 'type',
    record_declaration: 'class',
    annotation_type_declaration: 'type',
    method_declaration: 'method',
    constructor_declaration: 'method',
    variable_declarator: 'variable',
    enum_constant: 'constant',
  },
  imports: {
    import_declaration: (node) => [node.text().replaceAll(/^import\s+(?:static\s+)?|[;\s]/g, '')],
  },
  scopes: { package_declaration: packageOf },
  hasScopes: true,
  names: ['identifier', 'type_identifier'],
  resolver: resolveJava,
}

function packageOf(node: SyntaxNode): string {
  const name = node.children().find((child) => child.kind() === 'scoped_identifier' || child.kind() === 'identifier')
  return name?.text() ?? ''
}

/** C#. An import is the namespace or type that a `using` names. */
export const csharp: LanguageRules = {
  extensions: 'cs',
  containers: new Set(
    kindsIn(
      'namespace_declaration file_scoped_namespace_declaration declaration_list class_declaration struct_declaration',
      'interface_declaration record_declaration field_declaration variable_declaration ERROR',
    ),
  ),
  declarations: {
    class_declaration: 'class',
    struct_declaration: 'class',
    record_declaration: 'class',
    interface_declaration: 'type',
    enum_declaration: 'type',
    delegate_declaration: 'type',
    method_declaration: 'method',
    constructor_declaration: 'method',
    property_declaration: 'variable',
    variable_declarator: 'variable',
  },
  imports: {
    using_directive: (node) => [
      node
        .text()
        .replace(/^(?:global\s+)?using\s+(?:static\s+|unsafe\s+)*/, '')
        .replaceAll(/^[^=]*=|[;\s]/g, ''),
    ],
  },
  scopes: {
    namespace_declaration: (node) => fieldText(node, 'name') ?? '',
    file_scoped_namespace_declaration: (node) => fieldText(node, 'name') ?? '',
  },
  hasScopes: true,
  names: ['identifier'],
  resolver: resolveCsharp,
}

/** Resolves a Go import to the files of the package that declare something the importing file mentions. */
function resolveGo(surroundings: Surroundings): Resolve {
  const modules = goModules(surroundings)
  const packages = groupFiles(surroundings, 'go', ({ path }) => [folderOf(path)])
  return (from, specifier) => {
    const module = modules.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`))
    if (!module) return []
    const folder = [module.folder, specifier.slice(module.name.length + 1)].filter((step) => step !== '').join('/')
    return mentionedFiles(from, packages.get(folder) ?? [])
  }
}

/** Resolves a Java import to the file of a type, or to the files of a package that the importing file mentions. */
function resolveJava(surroundings: Surroundings): Resolve {
  const packages = groupFiles(surroundings, 'java', ({ scopes }) => scopes)
  const declaring = (scope: string, name: string) => (packages.get(scope) ?? []).filter(({ declares }) => declares.includes(name))
  return (from, specifier) => {
    const steps = specifier.split('.')
    const last = steps.pop() ?? ''
    if (last === '*') {
      const all = packages.get(steps.join('.'))
      return all ? mentionedFiles(from, all) : pathsOf(declaring(steps.slice(0, -1).join('.'), steps.at(-1) ?? ''))
    }
    const files = declaring(steps.join('.'), last)
    // For a static import or an inner type, the type is one step earlier.
    return pathsOf(files.length > 0 ? files : declaring(steps.slice(0, -1).join('.'), steps.at(-1) ?? ''))
  }
}

/**
 * Resolves a `using` to the files of the namespace that declare something the importing file mentions, or to the named type.
 */
function resolveCsharp(surroundings: Surroundings): Resolve {
  const namespaces = groupFiles(surroundings, 'csharp', ({ scopes }) => scopes)
  return (from, specifier) => {
    const files = namespaces.get(specifier)
    if (files) return mentionedFiles(from, files)
    const dot = specifier.lastIndexOf('.')
    const around = namespaces.get(specifier.slice(0, Math.max(dot, 0))) ?? []
    return pathsOf(around.filter(({ declares }) => declares.includes(specifier.slice(dot + 1))))
  }
}

/** Files of the same package or namespace that a file uses without an import, with the first line that does. */
export function neighboursInScope(surroundings: Surroundings): (from: SourceFile) => readonly { to: string; line: number }[] {
  const groups = {
    go: groupFiles(surroundings, 'go', ({ path }) => [folderOf(path)]),
    java: groupFiles(surroundings, 'java', ({ scopes }) => scopes),
    csharp: groupFiles(surroundings, 'csharp', ({ scopes }) => scopes),
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

function groupFiles(
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

function mentionedFiles(from: SourceFile, files: readonly SourceFile[]): readonly string[] {
  return pathsOf(
    files.filter(({ path, declares }) => !isForTests(from, path) && declares.some((name) => from.mentions[name] !== undefined)),
  )
}

/** Only tests of the same package see what a Go test file declares. */
function isForTests(from: SourceFile, path: string): boolean {
  if (!path.endsWith('_test.go')) return false
  return !from.path.endsWith('_test.go') || folderOf(from.path) !== folderOf(path)
}

function pathsOf(files: readonly SourceFile[]): readonly string[] {
  return files.map(({ path }) => path)
}

/** Modules with their folders, longest name first. */
function goModules(surroundings: Surroundings): readonly { readonly name: string; readonly folder: string }[] {
  return filesNamed(surroundings, 'go.mod')
    .flatMap((path) => {
      const name = /^\s*module\s+"?([^\s"]+)/m.exec(surroundings.readText(path) ?? '')?.[1]
      return name === undefined ? [] : [{ name, folder: folderOf(path) }]
    })
    .toSorted((one, other) => other.name.length - one.name.length)
}
