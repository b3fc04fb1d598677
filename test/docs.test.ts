import { Command, type Option } from 'commander'
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { referenceFiles } from '../scripts/write-reference.ts'
import { drivingCommands } from '../src/surfaces/cli/driving-commands.ts'
import { EXIT } from '../src/surfaces/cli/exit-codes.ts'
import { lookingCommands } from '../src/surfaces/cli/looking-commands.ts'
import { setUpCommands } from '../src/surfaces/cli/set-up-commands.ts'
import { repository } from './tidy/repository.ts'
import { lineAt } from './tidy/source.ts'

// Documents that say something else than the code are worse than none. Every problem names the file, the line and what to do.

type Texts = ReadonlyMap<string, string>

/** `--json` is a flag of every command, see run-cli.ts. */
const DOCUMENTED_COMMANDS: readonly DocumentedCommand[] = await Promise.all(
  [...drivingCommands, ...lookingCommands, ...setUpCommands].map(async ({ usage, options }) => {
    const command = new Command().option('--json')
    await options?.(command)
    return { usage, flags: command.options.flatMap(flagsOf) }
  }),
)

const texts: Texts = new Map(repository().map(({ path, text }) => [path, text]))

const SPEC = 'docs/SPEC.md'
const YAML = 'docs/reference/pawl-yaml.md'
const CLI = 'docs/reference/cli.md'
const JOURNAL = 'docs/reference/journal.md'

test.each<[rule: string, problems: (texts: Texts) => readonly string[]]>([
  ['DOCS-1 every rule that a test cites is in the SPEC, and every rule in the SPEC is cited by a test', rules],
  ['DOCS-2 every relative link leads to a file that exists, and to a heading in it where it names one', links],
  ['DOCS-3 every command has a section in the reference with all its flags, and every exit code is explained', commandLine],
  ['DOCS-4 every key of pawl.yaml is in its reference and in the JSON Schema, and no other', configuration],
  ['DOCS-5 every type of event is in the reference of the journal, and no other', events],
  ['DOCS-6 every command in an example exists, with the flags it uses', examples],
])('%s', (_rule, problems) => {
  expect(problems(texts).join('\n')).toBe('')
})

// A check that finds nothing proves nothing, so each is shown something to find.
const ID = ['CORE', 999].join('-')
test.each<[problems: (texts: Texts) => readonly string[], path: string, change: (text: string) => string, finds: string]>([
  [rules, SPEC, (text) => `${text}- **${ID}** Nothing.\n`, `${ID} has no test`],
  [rules, SPEC, (text) => text.replace('**DOCS-1**', '**DOCS-2**'), 'DOCS-2 is there twice'],
  [rules, 'src/core/judge.test.ts', () => `test('${ID} judges')`, `src/core/judge.test.ts:1: cites ${ID}`],
  [links, 'README.md', () => '\n[x](docs/nowhere.md)', 'README.md:2: links to docs/nowhere.md, which does not exist'],
  [links, 'README.md', () => '[x](docs/SPEC.md#nothing)', 'a heading that is not there'],
  [commandLine, CLI, (text) => text.replaceAll('`--worktree`', ''), 'does not name `--worktree`'],
  [commandLine, CLI, (text) => text.replace('## `pawl ls`', '## ls'), 'has no section "## `pawl ls`"'],
  [commandLine, CLI, (text) => text.replace('| 130 |', '| 131 |'), 'the exit code 130'],
  [configuration, YAML, (text) => text.replaceAll('`baseline`', ''), `${YAML}: says something else than the schemas`],
  [configuration, YAML, (text) => text.replaceAll('`baseline`', '`basline`'), 'run `npm run reference`'],
  [events, JOURNAL, (text) => text.replace('| `timer.fired` |', ''), 'has no row for `timer.fired`'],
  [events, JOURNAL, (text) => `${text}| \`timer.lost\` |`, '`timer.lost` is no event'],
  [examples, 'README.md', () => '```\n$ pawl tsak "x"\n```', 'README.md:2: there is no command "pawl tsak"'],
  [examples, 'README.md', () => 'Type `pawl ls --al | head`.', '"pawl ls" has no flag --al'],
])('DOCS-7 %o finds what is wrong in %s', (problems, path, change, finds) => {
  const found = problems(new Map([...texts, [path, change(texts.get(path) ?? '')]]))
  expect(found.join('\n')).toContain(finds)
})

test('DOCS-13 the cost examples follow from the tokens and prices that they name', () => {
  const text = textOf(texts, 'docs/guides/costs.md')
  const tokens = [...text.matchAll(/([\d,]+) (?:new input|cached input|output) tokens/g)].map((match) =>
    Number((match[1] as string).replaceAll(',', '')),
  )
  expect(tokens).toHaveLength(3)
  const rows = [...text.matchAll(/^\| [A-Z]\w+(?: \w+)? \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| (.+) \|$/gm)]
  expect(rows.length).toBeGreaterThanOrEqual(5)
  for (const [, input, cached, output, costs] of rows) {
    const one = [input, cached, output].reduce((sum, price, index) => sum + (Number(price) * (tokens[index] ?? 0)) / 1e6, 0)
    expect((costs as string).split(' | ')).toEqual([1, 2, 3, 30].map((count) => `$${(count * one).toFixed(2)}`))
  }
})

test('DOCS-14 docs/README.md, which the site makes its sidebar from, links to every page', () => {
  const index = textOf(texts, 'docs/README.md')
  const pages = [...texts.keys()].filter((path) => /^docs\/(?!decisions\/\d|README).*\.md$/.test(path))
  expect(pages.filter((path) => !index.includes(`](${path.slice('docs/'.length)}`))).toEqual([])
})

function rules(given: Texts): readonly string[] {
  const known = [...textOf(given, SPEC).matchAll(/^- \*\*([A-Z]+-\d+)\*\* /gm)].map((match) => match[1] as string)
  const cited = citedRules(given)
  const unknown = [...cited].filter(([id]) => !known.includes(id))
  return [
    ...unknown.map(([id, place]) => `${place}: cites ${id}: write "- **${id}** …" into ${SPEC}, or cite the rule that is meant.`),
    ...known
      .filter((id) => !cited.has(id))
      .map((id) => `${SPEC}: ${id} has no test: begin the name of one with "${id} ", or delete the rule.`),
    ...known
      .filter((id, index) => known.indexOf(id) !== index)
      .map((id) => `${SPEC}: ${id} is there twice: give one of them a new number.`),
  ]
}

/** Rules at the beginning of a test's name, several one after another too, with the first place of each. */
function citedRules(given: Texts): ReadonlyMap<string, string> {
  const cited = new Map<string, string>()
  for (const [path, text] of given) {
    if (!/^(?:src|test|bench)\/.*\.test\.ts$|^src\/testing\/.*\.ts$/.test(path)) continue
    for (const match of text.matchAll(/['"`]((?:[A-Z]{3,}-\d+,? )+)/g)) {
      const ids = match[1]?.match(/[A-Z]+-\d+/g) ?? []
      for (const id of ids) if (!cited.has(id)) cited.set(id, `${path}:${lineAt(text, match.index)}`)
    }
  }
  return cited
}

function links(given: Texts): readonly string[] {
  return documents(given).flatMap(([path, text]) =>
    [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(({ 1: link = '', index }) =>
      brokenLink(given, path, link).map((problem) => `${path}:${lineAt(text, index)}: links to ${link}, ${problem}`),
    ),
  )
}

function brokenLink(given: Texts, from: string, link: string): readonly string[] {
  if (/^[a-z]+:/.test(link)) return []
  const [file = '', heading] = link.split('#')
  const target = file === '' ? from : posix.join(posix.dirname(from), file)
  const text = given.get(target)
  const isFolder = [...given.keys()].some((path) => path.startsWith(`${target}/`))
  // Pictures are no texts, so they are looked for on disk.
  const isPicture = target.endsWith('.png') && existsSync(join(import.meta.dirname, '..', target))
  if (text === undefined && !isFolder && !isPicture) return ['which does not exist: correct the link or write the file.']
  const headings = headingsOf(text ?? '')
  if (heading === undefined || headings.includes(heading)) return []
  return [`a heading that is not there: there are ${headings.join(', ')}.`]
}

/** As GitHub makes anchors of headings. */
function headingsOf(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] as string)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

function commandLine(given: Texts): readonly string[] {
  const parts = textOf(given, CLI).split(/^## /m)
  const sections = new Map(parts.map((section) => [section.split('\n')[0], section]))
  const codes = sections.get('Exit codes') ?? ''
  return [
    ...DOCUMENTED_COMMANDS.flatMap(({ usage, flags }) => {
      const section = sections.get(`\`pawl ${usage}\``)
      if (section === undefined) return [`${CLI}: has no section "## \`pawl ${usage}\`": write it.`]
      const missing = flags.filter((flag) => !new RegExp(`\`${flag}[ \`]`).test(section))
      return missing.map((flag) => `${CLI}: the section "pawl ${usage}" does not name \`${flag}\`: add it.`)
    }),
    ...Object.values(EXIT)
      .filter((code) => !codes.includes(`| ${code} |`))
      .map((code) => `${CLI}: the exit code ${code} is not in the table "Exit codes": add it.`),
  ]
}

interface DocumentedCommand {
  readonly usage: string
  readonly flags: readonly string[]
}

function flagsOf({ short, long }: Option): readonly string[] {
  return [short, long].flatMap((flag) => flag ?? [])
}

function configuration(given: Texts): readonly string[] {
  return Object.entries(referenceFiles())
    .filter(([path, text]) => given.get(path) !== text)
    .map(([path]) => `${path}: says something else than the schemas of the settings: run \`npm run reference\`.`)
}

/** Where the core and the loops declare their events. */
const EVENT_FILES = [
  'src/core/event-data.ts',
  'src/loops/shared/plan.ts',
  'src/loops/shared/promises.ts',
  'src/loops/task/fold.ts',
  'src/loops/review/events.ts',
  'src/loops/research/events.ts',
  'src/loops/parallel/events.ts',
]

function events(given: Texts): readonly string[] {
  const sources = EVENT_FILES.map((path) => textOf(given, path)).join('\n')
  const interfaces = sources.matchAll(/^export interface (?:[A-Z][a-z]+)?EventData(?: extends [\w.]+)? \{$(.*?)^\}$/gms)
  const data = [...interfaces].map((match) => match[1]).join('\n')
  const types = [...data.matchAll(/^ {2}'([a-z]+\.[a-z]+)'/gm)].map((match) => match[1] as string)
  const rows = textOf(given, JOURNAL).match(/^\| `[a-z]+\.[a-z]+`.*?\|/gm) ?? []
  const named = rows.flatMap((row) => [...row.matchAll(/`([a-z]+\.[a-z]+)`/g)].map((match) => match[1] as string))
  return [
    ...types
      .filter((type) => !named.includes(type))
      .map((type) => `${JOURNAL}: has no row for \`${type}\`: add it with its data.`),
    ...named.filter((type) => !types.includes(type)).map((type) => `${JOURNAL}: \`${type}\` is no event: delete its row.`),
  ]
}

function examples(given: Texts): readonly string[] {
  const known = new Map(DOCUMENTED_COMMANDS.map(({ usage, flags }) => [usage.split(' ')[0], flags]))
  return documents(given).flatMap(([path, text]) =>
    callsIn(text).flatMap(({ index, name, words }) => {
      const place = `${path}:${lineAt(text, index)}`
      const flags = known.get(name)
      if (flags === undefined) return [`${place}: there is no command "pawl ${name}": correct it.`]
      const unknown = words.filter((word) => word.startsWith('-') && !flags.includes(word))
      return unknown.map((flag) => `${place}: "pawl ${name}" has no flag ${flag}: correct it.`)
    }),
  )
}

interface Call {
  readonly index: number
  readonly name: string
  readonly words: readonly string[]
}

/** Calls of `pawl` in code, up to a pipe, a redirection or a comment; what is in quotes is left out. */
function callsIn(text: string): readonly Call[] {
  return [...text.matchAll(CODE)].flatMap(({ 0: block, index: start }) =>
    [...block.matchAll(/(?<![\w./'"-])pawl ([a-z]+)\b([^\n`]*)/g)].map(({ 1: name = '', 2: rest = '', index }) => {
      const [call = ''] = rest.replaceAll(/"[^"]*"/g, '').split(/ [|>#]/)
      return { index: start + index, name, words: call.trim().split(/\s+/) }
    }),
  )
}

/** Blocks between fences, and code within a line. */
const CODE = /^```.*?^```|`[^`\n]+`/gms

/** The same length, so that places stay what they are. */
function withoutCode(text: string): string {
  return text.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/g, ' '))
}

function documents(given: Texts): readonly (readonly [path: string, text: string])[] {
  return [...given].filter(([path]) => /^(?:docs\/.*|[^/]*)\.md$/.test(path))
}

function textOf(given: Texts, path: string): string {
  const text = given.get(path)
  if (text === undefined) throw new Error(`${path} is missing: write it.`)
  return text
}
