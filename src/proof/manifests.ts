import { posix } from 'node:path'
import { isCompilerSettings } from './sides.ts'

/**
 * A manifest for the old tests: what the code needs (dependencies, entry points) as it is now, what the runner and the tools read as it
 * was at the start. `undefined` if nothing has to be put together: the present file will do.
 */
export function manifestForOldTests(path: string, before: string | undefined, now: string | undefined): string | undefined {
  if (before === undefined || now === undefined || before === now) return undefined
  const merged = isCompilerSettings(path)
    ? mergedCompilerSettings(before, now)
    : posix.basename(path) === 'package.json'
      ? mergedPackage(before, now)
      : mergedSections(path, before, now)
  return merged === now ? undefined : merged
}

/**
 * Whether a makefile only builds more: its lines name new files of the project or ordinary options of a compiler beside what they named,
 * and new targets come after the old ones. Other variables, recipes of old targets and special targets are as they were.
 */
export function isGrownMakefile(
  before: string,
  now: string,
  files: { readonly old: readonly string[]; readonly now: readonly string[] },
): boolean {
  const [known, present] = [stems(files.old), stems(files.now)]
  const isNewFile = (word: string): boolean => {
    const stem = posix.basename(word).replace(/\.\w+$/, '')
    return /\.(?:o|obj|c|cc|cpp|cxx|h|hpp|s|java|class)$/.test(word) && present.has(stem) && !known.has(stem)
  }
  const [old, lines] = [before.trimEnd().split('\n'), now.trimEnd().split('\n')]
  const isKept = old.every((line, index) => {
    const [was, is] = [line.split(/\s+/), (lines[index] ?? '').split(/\s+/)]
    const added = is.filter((word) => !was.includes(word))
    return (
      line === lines[index] ||
      (added.every((word) => isNewFile(word) || (FLAGS.test(line) && OPTION.test(word))) &&
        is.filter((word) => was.includes(word)).join(' ') === was.join(' '))
    )
  })
  const targets = new Set(old.flatMap(targetsOf))
  const isHarmless = (line: string): boolean =>
    /^\s*(?:#.*)?$|^\t/.test(line) ||
    (FLAGS.test(line) &&
      line
        .replace(FLAGS, '')
        .trim()
        .split(/\s+/)
        .every((word) => OPTION.test(word))) ||
    (/^[\w./-]+(?:\s+[\w./-]+)*\s*:(?!=)[^=]*$/.test(line) &&
      targetsOf(line).every(
        (name) => !name.startsWith('.') && !targets.has(name) && (isNewFile(name) || !known.has(name.replace(/\.\w+$/, ''))),
      ))
  const more = lines.slice(old.length)
  // A recipe that follows the last old line belongs to an old target.
  return isKept && more.every(isHarmless) && more[0]?.startsWith('\t') !== true
}

/** Variables with options of compilers. */
const FLAGS = /^\s*(?:C|CPP|CXX|F|LD)FLAGS\s*[+:?]?=|^\s*(?:LDLIBS|LIBS)\s*[+:?]?=/
/** Options that can't switch a check off: `-DNDEBUG`, `-include` and whatever goes to the linker are not among them. */
const OPTION = /^-(?:l[\w+.-]+|I\S+|std=\S+|O[0-3s]|g|W(?!l,|a,|p,)[\w=-]+|D(?!NDEBUG\b)[A-Z]\w*(?:=\S+)?|pthread|fPIC)$/

/** The names of files without folder and ending. */
function stems(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.map((path) => posix.basename(path).replace(/\.\w+$/, '')))
}

function targetsOf(line: string): readonly string[] {
  const [, names = ''] = /^([^\s#:=][^#:=]*):(?!=)/.exec(line) ?? []
  return names.split(/\s+/).filter((name) => name !== '')
}

/** A manifest with the packages of a workspace that the present one lists: tests of new ones have to be found. */
export function withMembers(path: string, text: string, present: string): string {
  if (posix.basename(path) === 'Cargo.toml') {
    const [own, now] = [sectionsOf(text), sectionsOf(present)].map((all) => all.find(({ name }) => name === 'workspace')?.text)
    return own === undefined || now === undefined ? text : text.replace(own, () => now)
  }
  if (posix.basename(path) !== 'package.json') return text
  const [own, now] = [objectOf(text), objectOf(present)]
  const isSame = JSON.stringify(own?.['workspaces']) === JSON.stringify(now?.['workspaces'])
  return !own || isSame ? text : `${JSON.stringify({ ...own, workspaces: now?.['workspaces'] }, undefined, 2)}\n`
}

/** Keys that say what the package is made of and offers; all others are settings of tools. */
const PACKAGE_KEYS: ReadonlySet<string> = new Set(
  `name version description type main module browser exports imports types typings files private license author contributors homepage
  repository bugs keywords engines os cpu workspaces packageManager dependencies devDependencies peerDependencies
  peerDependenciesMeta optionalDependencies bundledDependencies bundleDependencies overrides resolutions sideEffects publishConfig
  funding directories man`.split(/\s+/),
)

function mergedPackage(before: string, now: string): string {
  const [old, present] = [objectOf(before), objectOf(now)]
  // What nobody can read is as it is: the runner will say so.
  if (!old || !present) return now
  const merged: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(present), ...Object.keys(old)])) {
    const value = PACKAGE_KEYS.has(key) ? present[key] : key === 'scripts' ? mergedScripts(old[key], present[key]) : old[key]
    if (value !== undefined) merged[key] = value
  }
  const isSame = JSON.stringify(sorted(merged)) === JSON.stringify(sorted(present))
  return isSame ? now : `${JSON.stringify(merged, undefined, 2)}\n`
}

/** What the code is made for; all other options say how strictly it is checked, or what is. */
const TARGET_OPTIONS: ReadonlySet<string> = new Set(
  `target lib module moduleResolution jsx jsxFactory jsxFragmentFactory jsxImportSource types resolveJsonModule esModuleInterop
  allowSyntheticDefaultImports experimentalDecorators emitDecoratorMetadata useDefineForClassFields downlevelIteration importHelpers
  allowImportingTsExtensions rewriteRelativeImportExtensions baseUrl rootDir outDir declaration declarationMap sourceMap`.split(
    /\s+/,
  ),
)

/** The start's settings with the present targets. An alias of the code's own (`@/…`) is one; other paths could stand in for a package. */
function mergedCompilerSettings(before: string, now: string): string {
  const [old, present] = [objectOf(withoutComments(before)), objectOf(withoutComments(now))]
  // TypeScript reads more than we do; then the old file counts.
  if (!old || !present) return before
  const [was, is] = [optionsOf(old), optionsOf(present)]
  const kept = Object.entries(was).filter(([name]) => !TARGET_OPTIONS.has(name))
  const targets = Object.entries(is).filter(([name]) => TARGET_OPTIONS.has(name))
  const aliases = Object.entries(pathsOf(is)).filter(([name]) => /^[@~#]\//.test(name))
  const paths = { ...Object.fromEntries(aliases), ...pathsOf(was) }
  const options = { ...Object.fromEntries([...kept, ...targets]), ...(Object.keys(paths).length > 0 ? { paths } : {}) }
  const merged = { ...old, ...(Object.keys(options).length > 0 ? { compilerOptions: options } : {}) }
  const isSame =
    JSON.stringify(sorted({ ...merged, ...optionsSorted(merged) })) ===
    JSON.stringify(sorted({ ...present, ...optionsSorted(present) }))
  return isSame ? now : `${JSON.stringify(merged, undefined, 2)}\n`
}

function optionsSorted(settings: Readonly<Record<string, unknown>>): object {
  return { compilerOptions: sorted(optionsOf(settings)) }
}

function optionsOf(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return (settings['compilerOptions'] ?? {}) as Readonly<Record<string, unknown>>
}

function pathsOf(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return (options['paths'] ?? {}) as Readonly<Record<string, unknown>>
}

/** JSON with comments and trailing commas as plain JSON. */
function withoutComments(text: string): string {
  return text
    .replaceAll(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, (_, quoted: string | undefined) => quoted ?? '')
    .replaceAll(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, quoted: string | undefined) => quoted ?? '')
}

/** The start's scripts, with those that are new and run only when somebody asks for them. */
function mergedScripts(before: unknown, now: unknown): unknown {
  const old = (before ?? {}) as Record<string, unknown>
  const present = (now ?? {}) as Record<string, unknown>
  const added = Object.entries(present).filter(([name]) => !Object.hasOwn(old, name) && !isRunByItself(name, old))
  return { ...old, ...Object.fromEntries(added) }
}

function isRunByItself(name: string, old: Readonly<Record<string, unknown>>): boolean {
  const [, of = ''] = /^(?:pre|post)(.+)$/.exec(name) ?? []
  return Object.hasOwn(old, of) || ['test', 'install', 'start'].includes(of) || /^(?:install|prepare)$/.test(name)
}

/** Sections of TOML and INI files, each as its text. */
function mergedSections(path: string, before: string, now: string): string {
  const isOfTools = TOOL_SECTIONS[posix.basename(path)]
  if (!isOfTools) return now
  const [old, present] = [sectionsOf(before), sectionsOf(now)]
  const kept = present.filter(({ name }) => !isOfTools(name))
  const tools = old.filter(({ name }) => isOfTools(name))
  const presentTools = present.filter(({ name }) => isOfTools(name))
  const settings = withSourceFolder(tools.map(({ text }) => text).join('\n'), sameText(presentTools))
  if (settings.trim() === sameText(presentTools)) return now
  return [...kept.map(({ text }) => text), settings].join('\n')
}

/** pytest's settings with the folder of the code as it is now: code may move to `src`, where no other module can take its place unseen. */
export function withSourceFolder(before: string, now: string): string {
  const [old = '', present = ''] = [before, now].map((text) => /^[ \t]*pythonpath\s*=.*$/m.exec(text)?.[0])
  const added = foldersIn(present).filter((name) => !foldersIn(old).includes(name))
  return old !== '' && added.length > 0 && added.every((name) => /^(?:\.|\.?\/?src)\/?$/.test(name))
    ? before.replace(old, () => present)
    : before
}

function foldersIn(line: string): readonly string[] {
  return line
    .replace(/^[^=]*=/, '')
    .split(/[\s,"'[\]]+/)
    .filter((name) => name !== '')
}

const TOOL_SECTIONS: Readonly<Record<string, (section: string) => boolean>> = {
  'pyproject.toml': (name) => /^tool\.(?!poetry\b|uv\b|setuptools\b|hatch\b|pdm\b|flit\b|rye\b|maturin\b)/.test(name),
  'setup.cfg': (name) => name !== '' && !/^(?:metadata|options)\b/.test(name),
  'Cargo.toml': (name) => /^(?:test|bench|profile|lints|workspace\.lints)\b/.test(name),
}

function sectionsOf(text: string): readonly { readonly name: string; readonly text: string }[] {
  const sections: { name: string; text: string }[] = []
  let lines: string[] = []
  let name = ''
  const close = (): void => {
    if (lines.length > 0) sections.push({ name, text: lines.join('\n') })
    lines = []
  }
  for (const line of text.split('\n')) {
    const [, heading] = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:[#;].*)?$/.exec(line) ?? []
    if (heading !== undefined) {
      close()
      name = heading
    }
    lines.push(line)
  }
  close()
  return sections
}

function sameText(sections: readonly { readonly text: string }[]): string {
  return sections.map(({ text }) => text.trim()).join('\n')
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function sorted(value: Readonly<Record<string, unknown>>): unknown {
  return Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
}
