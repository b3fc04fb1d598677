import { posix } from 'node:path'

/**
 * A manifest for the old tests: what the code needs (dependencies, entry points) as it is now, what the runner and the tools read as it
 * was at the start. `undefined` if nothing has to be put together: the present file will do.
 */
export function manifestForOldTests(path: string, before: string | undefined, now: string | undefined): string | undefined {
  if (before === undefined || now === undefined || before === now) return undefined
  const merged = posix.basename(path) === 'package.json' ? mergedPackage(before, now) : mergedSections(path, before, now)
  return merged === now ? undefined : merged
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
  if (sameText(tools) === sameText(presentTools)) return now
  return [...kept, ...tools].map(({ text }) => text).join('\n')
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
