// Writes the lists of parts from the folders: a factory with `@part NAME` in its doc comment is the part NAME, and its folder says of
// which kind; the schemas of settings that pawl.yaml and flags take have `@settings NAME`. Run it after adding, renaming or moving one: `npm run parts`. test/tidy.test.ts fails if a list is out of step.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

const ROOT = dirname(import.meta.dirname)

/** Kinds whose parts are imported when a run names them, and their folders. A run doesn't name its store. */
const LAZY: Readonly<Record<string, readonly string[]>> = {
  agents: ['src/agents', 'src/explorer'],
  checks: ['src/checks'],
  codebases: ['src/codebase'],
  isolations: ['src/sandbox'],
  loops: ['src/loops'],
  workspaces: ['src/workspaces'],
}

const REPORTS = 'src/checks/reports'

/** Kinds whose parts are imported together, because a run needs most of them at once. */
const EAGER = [
  {
    folders: ['src/guards'],
    list: 'src/guards/_guards.ts',
    tag: 'part',
    constant: 'GUARDS',
    says: 'Every guard that a run can name.',
  },
  {
    folders: ['src/agents', 'src/checks'],
    list: 'src/registry/_settings.ts',
    tag: 'settings',
    constant: 'PART_SETTINGS',
    says: "The schemas of agents' and checks' settings.",
  },
  {
    folders: ['src/guards'],
    list: 'src/guards/_settings.ts',
    tag: 'settings',
    constant: 'GUARD_SETTINGS',
    says: 'The settings of every guard that has some.',
  },
  {
    folders: [REPORTS],
    list: `${REPORTS}/_formats.ts`,
    tag: 'part',
    constant: 'REPORT_FORMATS',
    says: 'Every report format that a check can name.',
  },
]

const HEAD = '// Written by scripts/list-parts.ts (`npm run parts`) from the `@part` and `@settings` comments: do not edit.\n'

interface ListedPart {
  readonly name: string
  readonly factory: string
  readonly path: string
}

/** The lists by their paths, as the folders have it. */
export function partLists(root = ROOT): Readonly<Record<string, string>> {
  const eager = EAGER.map((each) => [each.list, eagerList(root, each)])
  return { 'src/registry/_parts.ts': lazyList(root), 'src/guards/_names.ts': guardNames(root), ...Object.fromEntries(eager) }
}

/** For those who only need to know which guards there are. */
function guardNames(root: string): string {
  const lines = partsIn(root, 'src/guards', 'settings').map(({ name }) => `  '${name}',\n`)
  const says = '/** The names of all guards with settings. */'
  return `${HEAD}\n${says}\nexport const NAMES_OF_GUARDS: readonly string[] = [\n${lines.join('')}]\n`
}

function lazyList(root: string): string {
  const kinds = Object.entries(LAZY).map(([kind, folders]) => {
    const lines = folders
      .flatMap((folder) => partsIn(root, folder))
      .map(
        ({ name, factory, path }) =>
          `    ${quoted(name)}: async () => (await import('${way('src/registry', path)}')).${factory},\n`,
      )
    return `  ${kind}: {\n${lines.join('')}  },\n`
  })
  const says = '/** Every part that a run can name, by its kind. Its factory is imported when the run needs it. */'
  const formats = partsIn(root, REPORTS).map(({ name }) => `  '${name}',\n`)
  const names = `/** The names of the report formats, for those who need no parser. */\nexport const REPORT_FORMAT_NAMES: readonly string[] = [\n${formats.join('')}]\n`
  return `${HEAD}\n${says}\nexport const PARTS = {\n${kinds.join('')}}\n\n${names}`
}

function eagerList(root: string, { folders, list, tag, constant, says }: (typeof EAGER)[number]): string {
  const parts = folders.flatMap((folder) => partsIn(root, folder, tag))
  const files = [...new Set(parts.map(({ path }) => path))]
  const imports = files.map((file) => {
    const factories = parts.flatMap(({ path, factory }) => (path === file ? [factory] : []))
    return `import { ${factories.join(', ')} } from '${way(dirname(list), file)}'\n`
  })
  const lines = parts.map(({ name, factory }) => (name === factory ? `  ${name},\n` : `  ${quoted(name)}: ${factory},\n`))
  return `${HEAD}${imports.join('')}\n/** ${says} */\nexport const ${constant} = {\n${lines.join('')}}\n`
}

function partsIn(root: string, folder: string, tag = 'part'): readonly ListedPart[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && folderOf(path) === folder)
    .toSorted()
  const parts = files.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(PART)]
      .filter((match) => match[1] === tag)
      .map(([, , name = '', factory = '']) => ({ name, factory, path })),
  )
  const twice = parts.find(({ name }, index) => parts.findIndex((other) => other.name === name) !== index)
  if (twice) throw new Error(`Two parts in ${folder} are called ${twice.name}; one is in ${twice.path}.`)
  return parts
}

const PART = /^ \* @(part|settings) ([\w-]+)\n \*\/\nexport (?:function|const) (\w+)/gm

/** The innermost listed folder that a file is in. */
function folderOf(path: string): string | undefined {
  const folders = [...Object.values(LAZY).flat(), ...EAGER.flatMap((each) => each.folders)].filter((each) =>
    path.startsWith(`${each}/`),
  )
  return folders.toSorted((one, other) => other.length - one.length)[0]
}

function way(folder: string, path: string): string {
  const found = relative(folder, path)
  return found.startsWith('.') ? found : `./${found}`
}

function quoted(name: string): string {
  return /^[a-z]\w*$/i.test(name) ? name : `'${name}'`
}

if (basename(process.argv[1] ?? '') === 'list-parts.ts') {
  for (const [path, text] of Object.entries(partLists())) writeFileSync(join(ROOT, path), text)
}
