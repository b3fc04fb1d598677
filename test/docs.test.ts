import { Command, type Option } from 'commander'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { keysUnder } from '../src/surfaces/cli/config/config-schema.ts'
import { drivingCommands } from '../src/surfaces/cli/driving-commands.ts'
import { EXIT } from '../src/surfaces/cli/exit-codes.ts'
import { lookingCommands } from '../src/surfaces/cli/looking-commands.ts'
import { setUpCommands } from '../src/surfaces/cli/set-up-commands.ts'
import { repository } from './tidy/repository.ts'
import { lineAt } from './tidy/source.ts'

// Documents that say something else than the code are worse than none. Every problem names the file, the line and what to do.

const texts = new Map(repository().map(({ path, text }) => [path, text]))
const documents = [...texts].filter(([path]) => path.endsWith('.md') && (!path.includes('/') || path.startsWith('docs/')))

const SPEC = 'docs/SPEC.md'
const CLI = 'docs/reference/cli.md'
const YAML = 'docs/reference/pawl-yaml.md'
const JOURNAL = 'docs/reference/journal.md'

test('DOCS-1 every rule that a test cites is in the SPEC, and every rule in the SPEC is cited by a test', () => {
  const rules = [...textOf(SPEC).matchAll(/^- \*\*([A-Z]+-\d+)\*\* (.*)$/gm)].map((match) => match[1] as string)
  const cited = citedRules()
  const unknown = [...cited].filter(([id]) => !rules.includes(id))
  expectNothing([
    ...unknown.map(([id, place]) => `${place}: cites ${id}: write "- **${id}** …" into ${SPEC}, or cite the rule that is meant.`),
    ...rules
      .filter((id) => !cited.has(id))
      .map((id) => `${SPEC}: ${id} has no test: begin the name of one with "${id} ", or delete the rule.`),
    ...rules
      .filter((id, index) => rules.indexOf(id) !== index)
      .map((id) => `${SPEC}: ${id} is there twice: give one of them a new number.`),
  ])
})

test('DOCS-2 every relative link leads to a file that exists, and to a heading in it where it names one', () => {
  expectNothing(
    documents.flatMap(([path, text]) =>
      [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(({ 1: link = '', index }) =>
        brokenLink(path, link).map((problem) => `${path}:${lineAt(text, index)}: links to ${link}, ${problem}`),
      ),
    ),
  )
})

test('DOCS-3 every command has a section in the reference with its arguments and flags, and every exit code is explained', () => {
  const sections = new Map(
    textOf(CLI)
      .split(/^## /m)
      .map((section) => [section.split('\n')[0], section]),
  )
  const codes = sections.get('Exit codes') ?? ''
  expectNothing([
    ...commands().flatMap(({ usage, options }) => {
      const section = sections.get(`\`pawl ${usage}\``)
      if (section === undefined) return [`${CLI}: has no section "## \`pawl ${usage}\`": write it.`]
      const missing = options.flatMap(namesOf).filter((flag) => !section.includes(`\`${flag}`))
      return missing.map((flag) => `${CLI}: the section "pawl ${usage}" does not name \`${flag}\`: add it.`)
    }),
    ...Object.values(EXIT)
      .filter((code) => !codes.includes(`| ${code} |`))
      .map((code) => `${CLI}: the exit code ${code} is not in the table "Exit codes": add it.`),
  ])
})

test('DOCS-4 every key of pawl.yaml is in its reference, and no other', () => {
  const places = [[], ['checks'], ['agents'], ['guards'], ['guards', 'circuit_breaker'], ['guards', 'same_failure']]
  const keys = new Set(places.flatMap((place) => keysUnder(place)))
  const rows = [...textOf(YAML).matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1] as string)
  expectNothing([
    ...[...keys].filter((key) => !textOf(YAML).includes(`\`${key}\``)).map((key) => `${YAML}: does not name \`${key}\`: add it.`),
    ...rows.filter((key) => !keys.has(key)).map((key) => `${YAML}: \`${key}\` is no key of pawl.yaml: delete its row.`),
  ])
})

test('DOCS-5 every type of event is in the reference of the journal, and no other', () => {
  const data = /^export interface EventData \{$(.*?)^\}$/ms.exec(textOf('src/core/event-data.ts'))?.[1] ?? ''
  const types = [...data.matchAll(/^ {2}'([a-z]+\.[a-z]+)'/gm)].map((match) => match[1] as string)
  const named = [...textOf(JOURNAL).matchAll(/^\| (`[a-z]+\.[a-z]+`(?:, )?)+ \|/gm)].flatMap(([row]) =>
    [...row.matchAll(/`([a-z]+\.[a-z]+)`/g)].map((match) => match[1] as string),
  )
  expect(types.length).toBeGreaterThan(20)
  expectNothing([
    ...types
      .filter((type) => !named.includes(type))
      .map((type) => `${JOURNAL}: has no row for \`${type}\`: add it with its data.`),
    ...named.filter((type) => !types.includes(type)).map((type) => `${JOURNAL}: \`${type}\` is no event: delete its row.`),
  ])
})

test('DOCS-6 every command in an example exists, with the flags it uses', () => {
  const known = new Map(commands().map(({ usage, options }) => [usage.split(' ')[0], options.flatMap(namesOf)]))
  expectNothing(
    documents.flatMap(([path, text]) =>
      examples(text).flatMap(({ index, name, words }) => {
        const place = `${path}:${lineAt(text, index)}`
        const flags = known.get(name)
        if (flags === undefined) return [`${place}: there is no command "pawl ${name}": correct it.`]
        return words
          .filter((word) => word.startsWith('-') && !flags.includes(word) && word !== '--help')
          .map((flag) => `${place}: "pawl ${name}" has no flag ${flag}: correct it.`)
      }),
    ),
  )
})

function expectNothing(problems: readonly string[]): void {
  expect(problems.join('\n')).toBe('')
}

function textOf(path: string): string {
  const text = texts.get(path)
  if (text === undefined) throw new Error(`${path} is missing: write it.`)
  return text
}

/** Rules at the beginning of a test's name, several one after another too, with the first place of each. */
function citedRules(): ReadonlyMap<string, string> {
  const cited = new Map<string, string>()
  for (const [path, text] of texts) {
    if (!/^(?:src|test|bench)\/.*\.ts$/.test(path) || !(path.endsWith('.test.ts') || path.startsWith('src/testing/'))) continue
    for (const match of text.matchAll(/['"`]((?:[A-Z]{3,}-\d+,? )+)/g)) {
      const ids = match[1]?.match(/[A-Z]+-\d+/g) ?? []
      for (const id of ids) if (!cited.has(id)) cited.set(id, `${path}:${lineAt(text, match.index)}`)
    }
  }
  return cited
}

interface DocumentedCommand {
  readonly usage: string
  readonly options: readonly Option[]
}

/** `--json` is an option of every command, see program.ts. */
function commands(): readonly DocumentedCommand[] {
  return [...drivingCommands, ...lookingCommands, ...setUpCommands].map(({ usage, options }) => {
    const command = new Command().option('--json')
    return { usage, options: (options?.(command) ?? command).options }
  })
}

function namesOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((name) => name !== undefined && name !== null)
}

/** Calls of `pawl` in code, up to a pipe, a redirection or a comment; what stands in quotes is left out. */
function examples(text: string): readonly { readonly index: number; readonly name: string; readonly words: readonly string[] }[] {
  const code = [...text.matchAll(/^```.*?^```|`[^`\n]+`/gms)]
  return code.flatMap(({ 0: block, index: start }) =>
    [...block.matchAll(/(?<![\w./'"-])pawl ([a-z]+)\b([^\n`]*)/g)].map(({ 1: name = '', 2: rest = '', index }) => {
      const [call = ''] = rest.replaceAll(/"[^"]*"/g, '').split(/ [|>#]|[;,]/)
      return { index: start + index, name, words: call.trim().split(/\s+/) }
    }),
  )
}

/** The same length, so that places stay what they are. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```|`[^`\n]+`/gms, (code) => code.replaceAll(/[^\n]/g, ' '))
}

function brokenLink(from: string, link: string): readonly string[] {
  if (/^[a-z]+:/.test(link)) return []
  const [file = '', heading] = link.split('#')
  const target = file === '' ? from : posix.join(posix.dirname(from), file)
  const text = texts.get(target)
  const isFolder = [...texts.keys()].some((path) => path.startsWith(`${target}/`))
  if (text === undefined && !isFolder) return [`which does not exist: correct the link or write the file.`]
  if (heading === undefined || headingsOf(text ?? '').includes(heading)) return []
  return [`a heading that is not there: there are ${headingsOf(text ?? '').join(', ')}.`]
}

/** As GitHub makes anchors of headings. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(({ 1: heading = '' }) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}
