import { parseJsonc } from '../core/json.ts'
import {
  fieldText,
  filesNamed,
  folderOf,
  foldersAround,
  joinPath,
  kindsIn,
  type LanguageRules,
  type Named,
  type Resolve,
  type Surroundings,
  type SyntaxNode,
  unquoted,
  listOf,
} from './language.ts'

const NAMES = kindsIn(
  'identifier property_identifier private_property_identifier shorthand_property_identifier shorthand_property_identifier_pattern',
)

/** JavaScript with JSX. It includes TypeScript's nodes too, since a grammar without them never produces them. */
export const javascript: LanguageRules = {
  extensions: 'js jsx mjs cjs',
  containers: new Set(
    kindsIn(
      'export_statement lexical_declaration variable_declaration expression_statement ambient_declaration ERROR',
      'class_declaration abstract_class_declaration class class_body internal_module module statement_block',
    ),
  ),
  declarations: {
    function_declaration: 'function',
    generator_function_declaration: 'function',
    function_signature: 'function',
    class_declaration: 'class',
    abstract_class_declaration: 'class',
    method_definition: 'method',
    abstract_method_signature: 'method',
    public_field_definition: (node) => (isFunction(node.field('value')) ? declaration(node, 'method') : []),
    interface_declaration: 'type',
    type_alias_declaration: 'type',
    enum_declaration: 'type',
    internal_module: 'module',
    variable_declarator: (node) => {
      const isName = node.field('name')?.kind() === 'identifier'
      const value = node.field('value')
      // A required module is declared elsewhere.
      if (!isName || isRequired(value)) return []
      return declaration(node, isFunction(value) ? 'function' : value?.kind() === 'class' ? 'class' : 'constant')
    },
    assignment_expression: (node) => {
      const name = /^(?:module\.)?exports\.(\w+)$|\.prototype\.(\w+)$/.exec(fieldText(node, 'left') ?? '')
      const value = name?.[1] ?? name?.[2]
      // `exports.x = x` only exports what is declared above.
      return value === undefined || value === fieldText(node, 'right')
        ? []
        : [{ name: value, kind: isFunction(node.field('right')) ? 'function' : 'constant' }]
    },
  },
  owners: { assignment_expression: (node) => /(\w+)\.prototype\.\w+$/.exec(fieldText(node, 'left') ?? '')?.[1] },
  imports: { import_statement: (node) => sourceOf(node) ?? requiredBy(node), export_statement: (node) => sourceOf(node) ?? [] },
  scattered: {
    hint: /\b(?:require|import)\s*\(/,
    kind: 'call_expression',
    read: (node) => {
      const callee = fieldText(node, 'function')
      const argument = callee === 'require' || callee === 'import' ? node.field('arguments')?.child(1) : undefined
      return argument?.kind() === 'string' ? [unquoted(argument.text())] : []
    },
  },
  names: NAMES,
  resolver: resolveJavascript,
}

/** TypeScript, whose grammar has its own node for type names. */
export const typescript: LanguageRules = { ...javascript, extensions: 'ts mts cts', names: [...NAMES, 'type_identifier'] }

/** TypeScript with JSX. */
export const tsx: LanguageRules = { ...typescript, extensions: 'tsx' }

function isFunction(node: SyntaxNode | null): boolean {
  return /^(?:arrow_function|function_expression|function|generator_function)$/.test(node?.kind() ?? '')
}

/** `require('x')`, `require('x').y` and `await import('x')`. */
function isRequired(value: SyntaxNode | null): boolean {
  const isCall = /^(?:call_expression|member_expression|await_expression)$/.test(value?.kind() ?? '')
  return isCall && /^(?:await\s+)?(?:require|import)\s*\(/.test(value?.text() ?? '')
}

function declaration(node: SyntaxNode, kind: Named['kind']): readonly Named[] {
  return [{ name: fieldText(node, 'name') ?? '', kind }]
}

/** An export without `from` has no source. */
function sourceOf(node: SyntaxNode): readonly string[] | undefined {
  const source = node.field('source')
  return source ? [unquoted(source.text())] : undefined
}

/** In `import x = require('y')`, the source is inside the clause. */
function requiredBy(node: SyntaxNode): readonly string[] {
  const clause = node.children().find((child) => child.kind() === 'import_require_clause')
  return (clause && sourceOf(clause)) ?? []
}

const ENDINGS = ['', '.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.json', '.vue', '.svelte']
const INDEX_ENDINGS = ENDINGS.slice(1, 10).map((ending) => `/index${ending}`)

/** Imports may use the compiled file's extension: these are the sources it can come from. */
const MADE_FROM: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
}

/** Resolves relative paths, `paths` and `baseUrl` of the nearest tsconfig, and packages of the same repository. */
function resolveJavascript(surroundings: Surroundings): Resolve {
  const mapped = tsconfigPaths(surroundings)
  const packages = packagesOf(surroundings)
  const fileAt = (path: string | undefined) => (path === undefined ? undefined : existing(surroundings.paths, path))
  return (from, specifier) => {
    const folder = folderOf(from.path)
    if (/^\.\.?(?:\/|$)/.test(specifier)) return listOf(fileAt(joinPath(folder, specifier)))
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

/** The workspace's packages, by name. */
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
  // A package often ships built files; its source then has the same name.
  const places = rest === '' ? ['src', ...found.main, '', 'lib'] : [rest, `src/${rest}`, `lib/${rest}`]
  return places.map((place) => fileAt(joinPath(found.folder, place))).find((each) => each !== undefined)
}

/** The candidate paths for a specifier from `paths` and `baseUrl` of the nearest `tsconfig.json` (or `jsconfig.json`). */
function tsconfigPaths(surroundings: Surroundings): (folder: string, specifier: string) => readonly string[] {
  const known = new Map<string, Mapping | undefined>()
  return (folder, specifier) => {
    if (!known.has(folder)) known.set(folder, nearest(surroundings, folder))
    const mapping = known.get(folder)
    return mapping === undefined ? [] : placesFor(mapping, specifier)
  }
}

interface Mapping {
  /** The folder that `paths` are relative to. */
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

/** Missing options come from the extended configuration, if it is a file of the codebase. */
function mappingOf(surroundings: Surroundings, path: string, depth: number): Mapping | undefined {
  const config = parseJsonc(surroundings.readText(path) ?? '') as Record<string, unknown> | undefined
  const options = (config?.['compilerOptions'] ?? {}) as Record<string, unknown>
  const folder = folderOf(path)
  const base = typeof options['baseUrl'] === 'string' ? joinPath(folder, options['baseUrl']) : undefined
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
    const target = joinPath(folder, name)
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
          joinPath(
            folder,
            each.replace('*', () => middle),
          ),
        )
    })
  return [...places, baseUrl === undefined ? undefined : joinPath(baseUrl, specifier)].filter((each) => each !== undefined)
}
