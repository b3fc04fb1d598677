import { parseJsonc } from './parse-jsonc.ts'
import { folderOf, foldersAround, joined, type Resolve, type Surroundings } from './source-file.ts'
import { tsconfigPaths } from './tsconfig-paths.ts'
import { filesNamed } from './source-file.ts'

const ENDINGS = ['', '.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.json', '.vue', '.svelte']
const INDEX_ENDINGS = ENDINGS.slice(1, 10).map((ending) => `/index${ending}`)

/** What stands in an import for what: TypeScript asks for the name of the file that will be made. */
const MADE_FROM: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
}

/** Imports of JavaScript and TypeScript: relative paths, `paths` and `baseUrl` of the nearest tsconfig, packages of the same repository. */
export function resolveJavascript(surroundings: Surroundings): Resolve {
  const mapped = tsconfigPaths(surroundings)
  const packages = packagesOf(surroundings)
  const fileAt = (path: string | undefined) => (path === undefined ? undefined : existing(surroundings.paths, path))
  return (from, specifier) => {
    const folder = folderOf(from.path)
    if (/^\.\.?(?:\/|$)/.test(specifier)) return listOf(fileAt(joined(folder, specifier)))
    for (const path of mapped(folder, specifier)) {
      const file = fileAt(path)
      if (file !== undefined) return [file]
    }
    return listOf(inPackage(packages, specifier, fileAt))
  }
}

function existing(paths: ReadonlySet<string>, path: string): string | undefined {
  const ending = /\.[mc]?jsx?$/.exec(path)?.[0] ?? ''
  const made = (MADE_FROM[ending] ?? []).map((each) => path.slice(0, -ending.length) + each)
  const index = path === '' ? INDEX_ENDINGS.map((each) => each.slice(1)) : INDEX_ENDINGS.map((each) => path + each)
  return [path, ...made, ...ENDINGS.slice(1).map((each) => path + each), ...index].find((each) => paths.has(each))
}

interface Package {
  readonly folder: string
  readonly main: readonly string[]
}

/** Packages of a workspace, by name. */
function packagesOf(surroundings: Surroundings): ReadonlyMap<string, Package> {
  const packages = new Map<string, Package>()
  for (const path of filesNamed(surroundings, 'package.json')) {
    const manifest = parseJsonc(surroundings.readText(path) ?? '') as Record<string, unknown> | undefined
    if (typeof manifest?.['name'] !== 'string') continue
    const main = ['source', 'types', 'module', 'main'].map((field) => manifest[field]).filter((each) => typeof each === 'string')
    packages.set(manifest['name'], { folder: folderOf(path), main })
  }
  return packages
}

function inPackage(
  packages: ReadonlyMap<string, Package>,
  specifier: string,
  fileAt: (path: string | undefined) => string | undefined,
): string | undefined {
  const name = foldersAround(specifier).find((each) => packages.has(each))
  const found = name === undefined ? undefined : packages.get(name)
  if (name === undefined || !found) return undefined
  const rest = specifier.slice(name.length + 1)
  // What a package ships is often built; then its source has the same name.
  const places = rest === '' ? ['src', ...found.main, '', 'lib'] : [rest, `src/${rest}`, `lib/${rest}`]
  return places.map((place) => fileAt(joined(found.folder, place))).find((each) => each !== undefined)
}

function listOf(file: string | undefined): readonly string[] {
  return file === undefined ? [] : [file]
}
