import { filesNamed, folderOf, foldersAround, joined, type Resolve, type SourceFile, type Surroundings } from './source-file.ts'

/** Imports of Rust: `mod`, and paths from `crate`, `self`, `super`, a sibling module or another crate of the same repository. */
export function resolveRust(surroundings: Surroundings): Resolve {
  const { paths } = surroundings
  const crates = cratesOf(surroundings)
  const moduleAt = (path: string | undefined) =>
    path === undefined ? undefined : [`${path}.rs`, `${path}/mod.rs`].find((each) => paths.has(each))
  /** The longest beginning of the path that is a file: what follows is something in it. */
  const inFolder = (folder: string, steps: readonly string[]) => {
    for (let length = steps.length; length > 0; length--) {
      const found = moduleAt(joined(folder, ...steps.slice(0, length)))
      if (found !== undefined) return found
    }
    return undefined
  }
  return (from, specifier) => {
    const children = childFolder(from)
    if (specifier.startsWith('mod ')) return listOf(moduleAt(joined(children, specifier.slice(4))))
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

/** Where the modules inside of a file lie: `a/b.rs` has them in `a/b`, `a/mod.rs` and `a/lib.rs` in `a`. */
function childFolder({ path }: SourceFile): string {
  return /(?:^|\/)(?:mod|lib|main)\.rs$/.test(path) ? folderOf(path) : path.slice(0, -'.rs'.length)
}

/** The folder of the crate's root file, the nearest around; a file in `src/bin` or `tests` is a crate of its own. */
function sourceFolder(paths: ReadonlySet<string>, { path }: SourceFile): string {
  return foldersAround(folderOf(path)).find((each) => rootFile(paths, each) !== undefined) ?? folderOf(path)
}

function rootFile(paths: ReadonlySet<string>, folder: string): string | undefined {
  return ['lib.rs', 'main.rs'].map((name) => joined(folder, name)).find((each) => each !== undefined && paths.has(each))
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

/** The source folder of each crate, by the name by which others use it. */
function cratesOf(surroundings: Surroundings): ReadonlyMap<string, string> {
  const crates = new Map<string, string>()
  for (const path of filesNamed(surroundings, 'Cargo.toml')) {
    const name = /^\[package\][^[]*?^name\s*=\s*["']([^"']+)/m.exec(surroundings.readText(path) ?? '')?.[1]
    const source = joined(folderOf(path), 'src')
    if (name !== undefined && source !== undefined) crates.set(name.replaceAll('-', '_'), source)
  }
  return crates
}

function listOf(file: string | undefined): readonly string[] {
  return file === undefined ? [] : [file]
}
