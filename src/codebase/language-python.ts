import {
  fieldText,
  folderOf,
  foldersAround,
  joinPath,
  kindsIn,
  type LanguageRules,
  type Resolve,
  type Surroundings,
  type SyntaxNode,
} from './language.ts'

/** Python. Enters class bodies, but not function bodies. */
export const python: LanguageRules = {
  extensions: 'py pyi',
  containers: new Set(
    kindsIn(
      'decorated_definition class_definition block expression_statement if_statement else_clause elif_clause',
      'try_statement except_clause finally_clause with_statement ERROR',
    ),
  ),
  declarations: {
    function_definition: 'function',
    class_definition: 'class',
    assignment: (node) => {
      const left = node.field('left')
      return left?.kind() === 'identifier' ? [{ name: left.text(), kind: 'constant' }] : []
    },
    type_alias_statement: (node) => [{ name: fieldText(node, 'left') ?? '', kind: 'type' }],
  },
  imports: {
    import_statement: (node) => node.fieldChildren('name').map(moduleName),
    import_from_statement: (node) => {
      const from = fieldText(node, 'module_name') ?? ''
      const names = node.fieldChildren('name').map(moduleName)
      // `from . import x` may name modules; `from a import b` a module or a name in one. The resolver tries both.
      return names.length === 0 ? [`${from}:`] : names.map((name) => `${from}:${name}`)
    },
  },
  names: ['identifier'],
  resolver: resolvePython,
}

/** `a.b as c` is `a.b`. */
function moduleName(node: SyntaxNode): string {
  return fieldText(node, 'name') ?? node.text()
}

/**
 * Resolves relative imports by their dots, absolute ones from the file's own folder upwards, then from every folder that
 * contains a package.
 */
function resolvePython(surroundings: Surroundings): Resolve {
  const { paths } = surroundings
  const roots = packageRoots(surroundings)
  const moduleAt = (path: string | undefined) =>
    path === undefined ? undefined : [`${path}.py`, `${path}/__init__.py`, `${path}.pyi`].find((each) => paths.has(each))
  return (from, specifier) => {
    const [module = '', name] = specifier.split(':')
    const dots = /^\.+/.exec(module)?.[0].length ?? 0
    const steps = module.slice(dots).replaceAll('.', '/')
    const folder = folderOf(from.path)
    const bases =
      dots > 0 ? [joinPath(folder, ...Array.from({ length: dots - 1 }, () => '..'))] : [...foldersAround(folder), ...roots]
    for (const base of bases) {
      if (base === undefined) continue
      const inner = name === undefined || name === '' ? undefined : moduleAt(joinPath(base, steps, name))
      const outer = moduleAt(joinPath(base, steps))
      const found = inner ?? outer
      if (found !== undefined && found !== from.path) return [found]
    }
    return []
  }
}

/** The parents of outermost folders with an `__init__.py`. */
function packageRoots({ paths }: Surroundings): readonly string[] {
  const roots = new Set<string>(['', 'src'])
  for (const path of paths) {
    if (!path.endsWith('/__init__.py')) continue
    let folder = folderOf(path)
    while (folder !== '' && paths.has(`${folder}/__init__.py`)) folder = folderOf(folder)
    roots.add(folder)
  }
  return [...roots].toSorted()
}
