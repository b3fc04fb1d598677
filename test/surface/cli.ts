import { byText } from './lines.ts'
import { inFolder, mapSome, pawl } from './pawl.ts'

export interface CommandLine {
  readonly exitCodes: readonly number[]
  /** Command to its usage and flags, as `--help` shows them. */
  readonly commands: Readonly<Record<string, readonly string[]>>
}

/** How `pawl --help` groups the commands. */
const GROUPS = ['Run', 'Continue', 'Inspect', 'Set up', 'Advanced']

/** The commands with their arguments, flags, choices and defaults; wording is left out. */
export async function commandLine(): Promise<CommandLine> {
  return inFolder(async (cwd) => {
    const help = async (words: readonly string[]) => (await pawl([...words, '--help'], { cwd })).stdout
    const top = await help([])
    const names = GROUPS.flatMap((group) => termsIn(top, `${group}:`)).flatMap(({ term }) => term.match(/^[\w-]+/) ?? [])
    const commands = await mapSome(
      names.toSorted(byText),
      async (name) => [name, linesOf(name === 'help' ? top : await help([name]))] as const,
    )
    const codes = /^Exit codes:\n((?: .*\n)+)/m.exec(top)?.[1] ?? ''
    const exitCodes = [...codes.matchAll(/(?<=^ *|\s{3})\d+(?= )/gm)].map(([code]) => Number(code))
    return { exitCodes, commands: Object.fromEntries(commands) }
  })
}

/** `Usage: …`, then one line a flag. */
function linesOf(help: string): readonly string[] {
  const usage = /^Usage: .*$/m.exec(help)?.[0] ?? 'no usage'
  const flags = termsIn(help, 'Options:').map(({ term, text }) => `${term}${marksIn(text)}`)
  return [usage, ...flags.toSorted(byText)]
}

/** Choices, whether it can be repeated, and defaults that are values; those told in words are wording. */
function marksIn(text: string): string {
  const choices = /\(choices: ([^)]*)\)/.exec(text)
  const value = /\bdefault:? ([^\s;)]+)[;)]/.exec(text)
  const marks = [
    choices?.[1] && `one of ${choices[1]}`,
    value?.[1] && `default ${value[1]}`,
    /\(repeatable\b/.test(text) && 'repeatable',
  ]
  return marks
    .filter(Boolean)
    .map((mark) => `, ${mark}`)
    .join('')
}

/** The terms of a part of a help text with their descriptions, whose further lines are further in. */
function termsIn(help: string, title: string): readonly { readonly term: string; readonly text: string }[] {
  const lines = help.slice(help.indexOf(`\n${title}\n`) + title.length + 2).split('\n')
  const end = lines.findIndex((line, index) => index > 0 && line === '')
  const terms: { term: string; text: string }[] = []
  for (const line of lines.slice(0, end === -1 ? undefined : end)) {
    const [, term, text = ''] = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line) ?? []
    const last = terms.at(-1)
    if (term) terms.push({ term, text })
    else if (last) last.text += ` ${line.trim()}`
  }
  return terms
}
