import type { TextFile } from './traces.ts'

/** Doors that are started, not imported. */
const PROGRAMS = new Set(['cli', 'hook', 'mcp', 'serve', 'engine', 'sandbox-inside', 'tinker'])

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>
  readonly engines: { readonly node: string }
}

/** Entries of the build, `exports` of the package and the Node that bin/pawl asks for must say the same. */
export function doors(files: readonly TextFile[], entries: Readonly<Record<string, string>>): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const manifest = JSON.parse(texts.get('package.json') ?? '{}') as Manifest
  return [
    ...missingEntries(texts, entries),
    ...exportsOutOfStep(manifest, entries),
    ...nodeOutOfStep(manifest, texts.get('bin/pawl') ?? ''),
    ...libraryOutOfStep(manifest, texts.get('bin/require-node.mjs') ?? ''),
  ]
}

function missingEntries(texts: ReadonlyMap<string, string>, entries: Readonly<Record<string, string>>): string[] {
  return Object.entries(entries)
    .filter(([, path]) => !texts.has(path))
    .map(
      ([name, path]) =>
        `tsdown.config.ts:1: the entry "${name}" is made from ${path}, which does not exist: write it or drop the entry.`,
    )
}

function exportsOutOfStep(manifest: Manifest, entries: Readonly<Record<string, string>>): string[] {
  const expected = Object.fromEntries(
    Object.keys(entries)
      .filter((name) => !PROGRAMS.has(name))
      .map((name) => [name === 'index' ? '.' : `./${name}`, { types: `./dist/${name}.d.mts`, default: `./dist/${name}.mjs` }]),
  )
  const actual: Readonly<Record<string, unknown>> = { ...manifest.exports, './package.json': undefined }
  return [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    .filter((door) => JSON.stringify(expected[door]) !== JSON.stringify(actual[door]))
    .map((door) => {
      const what = expected[door] ? `must be ${JSON.stringify(expected[door])}` : 'is made from nothing'
      return `package.json:1: exports["${door}"] ${what}: keep it in step with the entries in tsdown.config.ts.`
    })
}

function libraryOutOfStep({ engines }: Manifest, text: string): string[] {
  const [major, minor] = engines.node.replace('>=', '').split('.')
  const isInStep = text.includes(`=== ${major} && minor >= ${minor})`) && text.includes(`Node ${major}.${minor} or later`)
  return isInStep
    ? []
    : [`bin/require-node.mjs:1: does not ask for Node ${major}.${minor}, which package.json does: change both.`]
}

function nodeOutOfStep({ engines }: Manifest, launcher: string): string[] {
  const [major, minor] = engines.node.replace('>=', '').split('.')
  const isInStep =
    launcher.includes(`-eq ${major} ]`) &&
    launcher.includes(`-ge ${minor} ]`) &&
    launcher.includes(`Node ${major}.${minor} or later`)
  return isInStep ? [] : [`bin/pawl:1: does not ask for Node ${major}.${minor}, which package.json does: change both together.`]
}
