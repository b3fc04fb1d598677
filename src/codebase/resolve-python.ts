import { folderOf, foldersAround, joined, type Resolve, type Surroundings } from './source-file.ts'

/** Imports of Python: relative ones by their dots, absolute ones from the file's own folder outwards, then from every folder that holds a package. */
export function resolvePython(surroundings: Surroundings): Resolve {
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
      dots > 0 ? [joined(folder, ...Array.from({ length: dots - 1 }, () => '..'))] : [...foldersAround(folder), ...roots]
    for (const base of bases) {
      if (base === undefined) continue
      const inner = name === undefined || name === '' ? undefined : moduleAt(joined(base, steps, name))
      const outer = moduleAt(joined(base, steps))
      const found = inner ?? outer
      if (found !== undefined && found !== from.path) return [found]
    }
    return []
  }
}

/** Folders around the outermost folder with an `__init__.py`. */
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
