import {
  fieldText,
  filesNamed,
  folderOf,
  foldersAround,
  joinPath,
  type LanguageRules,
  type Resolve,
  type SourceFile,
  type Surroundings,
  listOf,
} from './language.ts'

/** Rust. An import is a `::` path, or `mod NAME` for a module in another file. */
export const rust: LanguageRules = {
  extensions: 'rs',
  containers: new Set(['mod_item', 'declaration_list', 'impl_item', 'trait_item', 'ERROR']),
  declarations: {
    function_item: 'function',
    function_signature_item: 'method',
    struct_item: 'class',
    enum_item: 'type',
    union_item: 'type',
    trait_item: 'type',
    type_item: 'type',
    const_item: 'constant',
    static_item: 'variable',
    macro_definition: 'function',
    mod_item: (node) => (node.field('body') ? [{ name: fieldText(node, 'name') ?? '', kind: 'module' }] : []),
  },
  owners: { impl_item: (node) => /^[\w:]*?(\w+)(?:<|$)/.exec(fieldText(node, 'type') ?? '')?.[1] },
  imports: {
    mod_item: (node) => (node.field('body') ? [] : [`mod ${fieldText(node, 'name')}`]),
    use_declaration: (node) => usePaths(fieldText(node, 'argument') ?? ''),
    extern_crate_declaration: (node) => [fieldText(node, 'name') ?? ''],
  },
  names: ['identifier', 'type_identifier', 'field_identifier', 'shorthand_field_identifier'],
  resolver: resolveRust,
}

/** `a::{b, c::{d, self}}` is `a::b`, `a::c::d` and `a::c`. */
function usePaths(tree: string): readonly string[] {
  const bare = tree.replaceAll(/\s+as\s+\w+|\s+/g, '')
  const open = bare.indexOf('{')
  if (open === -1) return [bare.replace(/::(?:\*|self)$/, '')]
  const prefix = bare.slice(0, open)
  return parts(bare.slice(open + 1, bare.lastIndexOf('}'))).flatMap((part) =>
    usePaths(part).map((path) => (path === 'self' || path === '*' ? prefix.replace(/::$/, '') : prefix + path)),
  )
}

/** Splits at commas outside braces. */
function parts(list: string): readonly string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (let index = 0; index <= list.length; index++) {
    const character = list[index]
    if (character === '{') depth++
    if (character === '}') depth--
    if (index < list.length && (character !== ',' || depth > 0)) continue
    if (index > start) found.push(list.slice(start, index))
    start = index + 1
  }
  return found
}

/** Resolves `mod`, and paths from `crate`, `self`, `super`, a sibling module or another crate of the same repository. */
function resolveRust(surroundings: Surroundings): Resolve {
  const { paths } = surroundings
  const crates = cratesOf(surroundings)
  const moduleAt = (path: string | undefined) =>
    path === undefined ? undefined : [`${path}.rs`, `${path}/mod.rs`].find((each) => paths.has(each))
  /** The longest prefix of the path that is a file; the rest is inside it. */
  const inFolder = (folder: string, steps: readonly string[]) => {
    for (let length = steps.length; length > 0; length--) {
      const found = moduleAt(joinPath(folder, ...steps.slice(0, length)))
      if (found !== undefined) return found
    }
    return undefined
  }
  return (from, specifier) => {
    const children = childFolder(from)
    if (specifier.startsWith('mod ')) return listOf(moduleAt(joinPath(children, specifier.slice(4))))
    const [first = '', ...rest] = specifier.split('::').filter((step) => step !== '')
    const source = sourceFolder(paths, from)
    if (first === 'crate') return listOf(inFolder(source, rest) ?? rootFile(paths, source))
    if (first === 'self') return listOf(inFolder(children, rest))
    if (first === 'super') return listOf(above(children, source, rest, inFolder, paths))
    const crate = crates.get(first)
    if (crate !== undefined) return listOf(inFolder(crate, rest) ?? rootFile(paths, crate))
    return listOf(inFolder(children, [first, ...rest]))
  }
}

/** The folder of a file's child modules: `a/b` for `a/b.rs`; `a` for `a/mod.rs` and `a/lib.rs`. */
function childFolder({ path }: SourceFile): string {
  return /(?:^|\/)(?:mod|lib|main)\.rs$/.test(path) ? folderOf(path) : path.slice(0, -'.rs'.length)
}

/** The folder of the nearest crate root. A file in `src/bin` or `tests` is a crate of its own. */
function sourceFolder(paths: ReadonlySet<string>, { path }: SourceFile): string {
  return foldersAround(folderOf(path)).find((each) => rootFile(paths, each) !== undefined) ?? folderOf(path)
}

function rootFile(paths: ReadonlySet<string>, folder: string): string | undefined {
  return ['lib.rs', 'main.rs'].map((name) => joinPath(folder, name)).find((each) => each !== undefined && paths.has(each))
}

function above(
  children: string,
  source: string,
  steps: readonly string[],
  inFolder: (folder: string, steps: readonly string[]) => string | undefined,
  paths: ReadonlySet<string>,
): string | undefined {
  let folder = folderOf(children)
  let rest = steps
  while (rest[0] === 'super') {
    folder = folderOf(folder)
    rest = rest.slice(1)
  }
  return inFolder(folder, rest) ?? (folder === source ? rootFile(paths, source) : undefined)
}

/** Each crate's source folder, by the name that other crates use. */
function cratesOf(surroundings: Surroundings): ReadonlyMap<string, string> {
  const crates = new Map<string, string>()
  for (const path of filesNamed(surroundings, 'Cargo.toml')) {
    const name = /^\[package\][^[]*?^name\s*=\s*["']([^"']+)/m.exec(surroundings.readText(path) ?? '')?.[1]
    const source = joinPath(folderOf(path), 'src')
    if (name !== undefined && source !== undefined) crates.set(name.replaceAll('-', '_'), source)
  }
  return crates
}
