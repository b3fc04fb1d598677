import { GUARD_NAMES, settingsOf } from '../guards/default-guards.ts'
import { notesOf, snakeCase } from '../schema/file-kinds.ts'
import type { FoundPrepare, FoundTestCommand } from './find-test-commands.ts'
import { guardExample, projectSchema } from './project-schema.ts'
import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { PawlError } from '../core/pawl-error.ts'

/** A `pawl.yaml` with every key: what is known is filled in, the others are comments with their defaults. */
export function configText({ agent, checks, prepare = [], schema }: ConfigChoice): string {
  const filled: Readonly<Record<string, string>> = {
    ...(agent === undefined ? {} : { agent: `agent: ${agent}` }),
    ...(checks.length === 0 ? {} : { checks: checkLines(checks) }),
    ...(prepare.length === 0 ? {} : { prepare: prepareLines(prepare) }),
  }
  const keys = Object.entries(projectSchema.entries).map(([name, entry]) => {
    const { about, byDefault, example = `${name}: ${byDefault ?? ''}` } = notesOf(entry)
    const remark = [about, ...(byDefault === undefined ? [] : [`Default: ${byDefault}`]), ...(REMARKS[name] ?? [])]
    const text = name === 'guards' ? guardLines() : example
    return `${comment(plain(`${remark.join('. ')}.`))}\n${filled[name] ?? asComment(text)}\n`
  })
  return [...(schema === undefined ? [] : [`# yaml-language-server: $schema=${schema}`]), HEAD, ...keys].join('\n')
}

const HEAD = `# How Pawl runs agents in this folder. You can leave out every key; a flag on the command line goes before it.
# \`pawl doctor\` checks whether all of this works here.
`

/** What helps in a new file, where the reference says it elsewhere. */
const REMARKS: Readonly<Record<string, readonly string[]>> = {
  checks: ['A report that a check writes to a file needs its name: `report: report.xml`'],
  guards: ['`off` leaves a guard out; one word is enough: `thrashing: trip`'],
}

/** What goes into a new file. */
export interface ConfigChoice {
  readonly agent?: string
  readonly checks: readonly ChosenCheck[]
  /** What makes a worktree or a copy ready. Default: nothing. */
  readonly prepare?: readonly FoundPrepare[]
  /** Where editors find the JSON Schema, from the folder of the file. */
  readonly schema?: string
}

/** A check for a new file. */
export interface ChosenCheck {
  readonly name: string
  readonly command: string
  readonly cwd?: string
}

/** Names for what was found: `tests`, or with the tools' or folders' names if there are several. */
export function namedChecks(found: readonly FoundTestCommand[]): readonly ChosenCheck[] {
  return found.map(({ tool, command, cwd }) => {
    const isAlone = cwd === undefined || found.filter((each) => each.cwd === cwd).length === 1
    const which = cwd === undefined ? tool : `${cwd.replaceAll(/[^\w.-]+/g, '-')}${isAlone ? '' : `-${tool}`}`
    return { name: found.length === 1 ? 'tests' : `tests-${which}`, command, ...(cwd === undefined ? {} : { cwd }) }
  })
}

function checkLines(checks: readonly ChosenCheck[]): string {
  const lines = checks.map(
    ({ name, command, cwd }) => `  - ${flowMap({ name, command: quoted(command), cwd: cwd && quoted(cwd), timeout: '10m' })}`,
  )
  return `checks:\n${lines.join('\n')}`
}

function prepareLines(prepare: readonly FoundPrepare[]): string {
  const lines = prepare.map(
    ({ command, unless, cwd }) => `  - ${flowMap({ command: quoted(command), unless, cwd: cwd && quoted(cwd) })}`,
  )
  return `prepare:\n${lines.join('\n')}`
}

/** A JSON string is a YAML string. */
function quoted(text: string): string {
  return JSON.stringify(text)
}

function flowMap(entries: Readonly<Record<string, string | undefined>>): string {
  const shown = Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${value}`]))
  return `{ ${shown.join(', ')} }`
}

function guardLines(): string {
  const lines = GUARD_NAMES.filter((name) => !settingsOf(name).isLimit).map((name) => {
    const note = settingsOf(name).place === undefined ? '   # off until it is here' : ''
    return `  ${snakeCase(name)}: ${guardExample(name)}${note}`
  })
  return `guards:\n${lines.join('\n')}`
}

/** Without the links of Markdown, which lead nowhere from a project. */
function plain(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}

/** A remark, in lines of a readable length. */
function comment(text: string): string {
  const lines = text.split(' ').reduce<readonly string[]>((all, word) => {
    const last = all.at(-1)
    return last === undefined || last.length + word.length >= LINE_LENGTH_MAX
      ? [...all, word]
      : [...all.slice(0, -1), `${last} ${word}`]
  }, [])
  return asComment(lines.join('\n'))
}

const LINE_LENGTH_MAX = 128

function asComment(text: string): string {
  return text.replaceAll(/^/gm, '# ')
}

/**
 * Where editors find the JSON Schema of pawl.yaml, from the folder of the file: in the project's `node_modules`, or in a clone of Pawl.
 * Nothing if Pawl lies outside of the project: the file is shared, and another machine has it elsewhere.
 */
export function schemaFor(root: string): { readonly schema?: string } {
  const installed = join('node_modules', 'pawl', 'schema', 'pawl.schema.json')
  if (existsSync(join(root, installed))) return { schema: asPath(installed) }
  const own = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((place) => existsSync(place))
  const way = own === undefined ? '..' : relative(root, own)
  return way.startsWith('..') || isAbsolute(way) ? {} : { schema: asPath(way) }
}

function asPath(path: string): string {
  return `./${path.split(sep).join('/')}`
}

/** From the source, from the bundle, and from a chunk in a folder of the bundle. */
const PLACES = ['../../schema/pawl.schema.json', '../schema/pawl.schema.json']

/** What became of the file. */
export type ConfigWriting =
  | { readonly status: 'written'; /** Where the old file is kept. */ readonly backup?: string }
  /** It says the same already. */
  | { readonly status: 'unchanged' }
  /** Another file is there, and nobody said it may be replaced. */
  | { readonly status: 'kept' }

/** Writes a new file. One that is there is replaced only with `force`, and then kept beside it under a name that was free. */
export async function writeConfig(path: string, text: string, force: boolean): Promise<ConfigWriting> {
  try {
    if (await writeNew(path, text)) return { status: 'written' }
    const old = await readFile(path)
    if (old.equals(Buffer.from(text))) return { status: 'unchanged' }
    if (!force) return { status: 'kept' }
    const backup = await keep(path, old)
    await writeFile(path, text)
    return { status: 'written', backup }
  } catch (error) {
    if (error instanceof PawlError) throw error
    const sentence = `${path} could not be written: it must be a file in a folder where this user may write (${(error as Error).message}).`
    throw new PawlError('init.not-written', sentence, { value: path, cause: error })
  }
}

const BACKUPS_MAX = 100

async function keep(path: string, old: Buffer): Promise<string> {
  const { mode } = await stat(path)
  for (let number = 1; number <= BACKUPS_MAX; number++) {
    const backup = number === 1 ? `${path}.bak` : `${path}.bak${number}`
    if ((await writeNew(backup, old, mode)) || (await readFile(backup)).equals(old)) return backup
  }
  throw new PawlError(
    'init.not-written',
    `${path} was not replaced, because ${BACKUPS_MAX} older ones are kept beside it: remove some of ${path}.bak*.`,
  )
}

/** `false` when something of that name is there already. */
async function writeNew(path: string, content: string | Buffer, mode = 0o666): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
