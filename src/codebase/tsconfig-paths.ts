import { parseJsonc } from './parse-jsonc.ts'
import { folderOf, foldersAround, joined, type Surroundings } from './source-file.ts'

/** The places that `paths` and `baseUrl` of the nearest `tsconfig.json` (or `jsconfig.json`) give for a specifier. */
export function tsconfigPaths(surroundings: Surroundings): (folder: string, specifier: string) => readonly string[] {
  const known = new Map<string, Mapping | undefined>()
  return (folder, specifier) => {
    if (!known.has(folder)) known.set(folder, nearest(surroundings, folder))
    const mapping = known.get(folder)
    return mapping === undefined ? [] : placesFor(mapping, specifier)
  }
}

interface Mapping {
  /** What `paths` are counted from. */
  readonly folder: string
  readonly baseUrl?: string
  readonly paths: Readonly<Record<string, unknown>>
}

const EXTENDS_DEPTH_MAX = 8

function nearest(surroundings: Surroundings, folder: string): Mapping | undefined {
  for (const around of foldersAround(folder)) {
    for (const name of ['tsconfig.json', 'jsconfig.json']) {
      const path = around === '' ? name : `${around}/${name}`
      if (surroundings.paths.has(path)) return mappingOf(surroundings, path, 0)
    }
  }
  return undefined
}

/** What a configuration does not say is looked for in the one it extends, where that is a file of the codebase. */
function mappingOf(surroundings: Surroundings, path: string, depth: number): Mapping | undefined {
  const config = parseJsonc(surroundings.readText(path) ?? '') as Record<string, unknown> | undefined
  const options = (config?.['compilerOptions'] ?? {}) as Record<string, unknown>
  const folder = folderOf(path)
  const base = typeof options['baseUrl'] === 'string' ? joined(folder, options['baseUrl']) : undefined
  if (typeof options['paths'] === 'object' && options['paths'] !== null) {
    return {
      folder: base ?? folder,
      ...(base === undefined ? {} : { baseUrl: base }),
      paths: options['paths'] as Mapping['paths'],
    }
  }
  const inherited = depth < EXTENDS_DEPTH_MAX ? inheritedFrom(surroundings, folder, config?.['extends'], depth) : undefined
  if (base !== undefined) return { folder: inherited?.folder ?? base, baseUrl: base, paths: inherited?.paths ?? {} }
  return inherited
}

function inheritedFrom(surroundings: Surroundings, folder: string, from: unknown, depth: number): Mapping | undefined {
  const names = [from].flat().filter((each): each is string => typeof each === 'string' && each.startsWith('.'))
  for (const name of names.toReversed()) {
    const target = joined(folder, name)
    const path = [target, `${target}.json`].find((each) => each !== undefined && surroundings.paths.has(each))
    const mapping = path === undefined ? undefined : mappingOf(surroundings, path, depth + 1)
    if (mapping) return mapping
  }
  return undefined
}

function placesFor({ folder, baseUrl, paths }: Mapping, specifier: string): readonly string[] {
  const places = Object.entries(paths)
    .toSorted(([one], [other]) => other.length - one.length)
    .flatMap(([pattern, targets]) => {
      const [before = '', after] = pattern.split('*')
      const isMatch =
        after === undefined
          ? specifier === pattern
          : specifier.length >= pattern.length - 1 && specifier.startsWith(before) && specifier.endsWith(after)
      if (!isMatch || !Array.isArray(targets)) return []
      const middle = specifier.slice(before.length, specifier.length - (after?.length ?? 0))
      return targets
        .filter((each) => typeof each === 'string')
        .map((each) =>
          joined(
            folder,
            each.replace('*', () => middle),
          ),
        )
    })
  return [...places, baseUrl === undefined ? undefined : joined(baseUrl, specifier)].filter((each) => each !== undefined)
}
