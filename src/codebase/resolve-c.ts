import { folderOf, joined, type Resolve, type Surroundings } from './source-file.ts'

/**
 * Includes of C and C++: from the file's own folder, from the root and its usual folders, else the one header whose path ends so; of several
 * the one that lies nearest.
 */
export function resolveC({ paths }: Surroundings): Resolve {
  const byName = new Map<string, string[]>()
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const same = byName.get(name)
    if (same) same.push(path)
    else byName.set(name, [path])
  }
  return (from, specifier) => {
    const places = [folderOf(from.path), '', 'include', 'src'].map((folder) => joined(folder, specifier))
    const direct = places.find((each) => each !== undefined && paths.has(each))
    if (direct !== undefined) return [direct]
    const bare = specifier.replaceAll(/^(?:\.\.?\/)+/g, '')
    const ending = (byName.get(bare.slice(bare.lastIndexOf('/') + 1)) ?? []).filter((path) => path.endsWith(`/${bare}`))
    const nearest = ending.toSorted(
      (one, other) => shared(other, from.path) - shared(one, from.path) || (one < other ? -1 : 1),
    )[0]
    return nearest === undefined ? [] : [nearest]
  }
}

/** How many steps two paths begin with together. */
function shared(one: string, other: string): number {
  const steps = other.split('/')
  const index = one.split('/').findIndex((step, place) => step !== steps[place])
  return index === -1 ? steps.length : index
}
