import { GUARD_NAMES, settingsOf } from '../guards/default-guards.ts'
import { notesOf, snakeCase } from '../schema/file-kinds.ts'
import type { FoundTestCommand } from './find-test-commands.ts'
import { guardExample, projectSchema } from './project-schema.ts'

/** A `pawl.yaml` with every key: what is known is filled in, the others are comments with their defaults. */
export function configText({ agent, checks, schema }: ConfigChoice): string {
  const filled: Readonly<Record<string, string>> = {
    ...(agent === undefined ? {} : { agent: `agent: ${agent}` }),
    ...(checks.length === 0 ? {} : { checks: checkLines(checks) }),
  }
  const keys = Object.entries(projectSchema.entries).map(([name, entry]) => {
    const { about, byDefault, example } = notesOf(entry)
    const remark = [about, ...(byDefault === undefined ? [] : [`Default: ${byDefault}`]), ...(REMARKS[name] ?? [])]
    const text = name === 'guards' ? guardLines() : (example ?? `${name}:`)
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
  /** Where editors find the JSON Schema, from the folder of the file. */
  readonly schema?: string
}

/** A check for a new file. */
export interface ChosenCheck {
  readonly name: string
  readonly command: string
}

/** Names for what was found: `tests`, or the tools' names where there are several. */
export function namedChecks(found: readonly FoundTestCommand[]): readonly ChosenCheck[] {
  return found.map(({ tool, command }) => ({ name: found.length === 1 ? 'tests' : `tests-${tool}`, command }))
}

function checkLines(checks: readonly ChosenCheck[]): string {
  // A JSON string is a YAML string.
  const lines = checks.map(({ name, command }) => `  - { name: ${name}, command: ${JSON.stringify(command)}, timeout: 10m }`)
  return `checks:\n${lines.join('\n')}`
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
