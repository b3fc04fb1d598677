import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { byText } from './lines.ts'
import { inFolder, mapSome, pawl } from './pawl.ts'

/*
 * The keys of pawl.yaml and what each takes, found out by asking `pawl doctor`: it names the line and column of everything that is
 * wrong. An error at a key says that there is no such key, an error behind it that this value is refused.
 */

/** Values that are tried for every key, and the kinds of them that are tried for those with values of their own. */
const SAMPLES = ['-1', '0', '0.5', '1', '2', 'true', 'word', '10m', '[word]', '{ word: word }']
const KINDS = ['1', 'true', 'word', '[word]', '{ word: word }']

const AGENTS = ['claude', 'codex', 'gemini', 'qwen', 'opencode', 'tinker']

/** Values that only some keys take. */
const OWN_SAMPLES: Readonly<Record<string, readonly string[]>> = {
  agent: AGENTS,
  reviewer: [...AGENTS, 'person'],
  questioner: [...AGENTS, 'person'],
  fallback: ['[codex, gemini]'],
  roles: ['{ coder: claude }', '{ tester: claude }'],
  on_limit: ['wait', 'switch'],
  report: [
    'report.xml',
    'vitest-json',
    'jest-json',
    'mocha-json',
    'eslint-json',
    'sarif',
    'junit',
    'go-json',
    'cargo-json',
    'tap',
  ].concat([
    'vitest',
    'jest',
    'node',
    'mocha',
    'pytest',
    'unittest',
    'cargo',
    'go',
    'rspec',
    'tsc',
    'eslint',
    'github',
    'general',
  ]),
  brief: ['stdin', 'argument'],
  driver: ['claude', 'codex', 'gemini', 'qwen', 'opencode', 'tinker', 'acp'],
  session: ['fresh', 'continue'],
  permission_mode: ['read', 'edit', 'full'],
  permissions: ['ask', 'allow', 'deny', '{ edit: ask }'],
  base_url: ['http://127.0.0.1:1/v1'],
  prices: ['{ input: 1, output: 2 }', '{ input: 1, output: 2, cached_input: 0 }'],
  type: ['command', 'content_pattern', 'coverage', 'file_existence', 'custom'],
  severity: ['off', 'warn', 'trip', 'ladder'],
  over: ['[trees]', '[failures]', '[actions]'],
  by: ['lines', 'characters'],
  allow: ['[deleted, skipped, focused, emptied, weakened, protected, state]'],
  until: ['2026-11-20T18:00Z'],
  own: ['{ attempts: { loops: 3, shift: 0.1 } }', '{ turns: { loops: 3, shift: 0.1 } }'],
}

/** What a guard can be set to with one word. */
const GUARD_WORDS = ['off', 'warn', 'trip', 'ladder', '1', '2026-11-20T18:00Z']

/** Entries that can be written any number of times, so that each probe has one of its own; with the keys an entry needs. */
const ENTRIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'agents (command)': { command: 'x' },
  'agents (driver)': { driver: 'claude' },
  'agents (acp)': { acp: 'x' },
  'agents (module)': { module: 'model.mjs' },
  'agents (base_url)': { base_url: 'http://127.0.0.1:1/v1', model: 'm' },
  checks: { name: 'NUMBER', command: 'x' },
  rules: { type: 'custom', name: 'NUMBER' },
}

/** Keys that have places of their own here. */
const CONTAINERS = new Set(['agents', 'checks', 'rules', 'guards', 'experts'])

interface Probe {
  readonly place: string
  readonly key: string
  readonly value: string
}

/** Key to those of the values tried that it takes. */
export async function settingsKeys(): Promise<Record<string, string>> {
  const words = await wordsInProblems()
  const places = ['', ...Object.keys(ENTRIES), 'guards', 'experts']
  const first = await verdicts(
    places.flatMap((place) => words.flatMap((key) => (place === '' && CONTAINERS.has(key) ? [] : [{ place, key, value: '-1' }]))),
  )
  const known = first.filter(({ verdict }) => verdict !== 'unknown')
  const guards = known.filter(({ place }) => place === 'guards').map(({ key }) => key)
  const inGuards = await verdicts(guards.flatMap((guard) => words.map((key) => ({ place: `guards.${guard}`, key, value: '-1' }))))
  const keys = [...known, ...inGuards.filter(({ verdict }) => verdict !== 'unknown')]
  const probes = keys.flatMap(({ place, key }) => samplesFor(place, key).map((value) => ({ place, key, value })))
  const answers = (await mapSome(documentsOf(probes), (each) => verdicts(each))).flat()
  const accepted = Map.groupBy(answers, ({ place, key }) => (place === '' ? key : `${place}.${key}`))
  const lines = [...accepted]
    .map(([path, each]) => [path, valuesOf(each).join('  ')] as const)
    .filter(([, values]) => values !== '')
  return Object.fromEntries(lines.toSorted(([left], [right]) => byText(left, right)))
}

function samplesFor(place: string, key: string): readonly string[] {
  if (place === 'guards') return GUARD_WORDS
  if (place === 'experts') return ['claude', ...KINDS]
  const own = OWN_SAMPLES[key]
  return own ? [...KINDS, ...own] : SAMPLES
}

function valuesOf(answers: readonly (Probe & { readonly verdict: string })[]): readonly string[] {
  return answers.filter(({ verdict }) => verdict === 'accepted').map(({ value }) => value)
}

/** The keys that messages about unknown ones name, and other words, which turn out to be none. */
async function wordsInProblems(): Promise<readonly string[]> {
  const problems = await problemsOf([
    'zzz: 1',
    'checks:',
    '  - { name: a, command: x, zzz: 1 }',
    'rules:',
    '  - { type: custom, name: b, zzz: 1 }',
    'agents:',
    '  a: { command: x, zzz: 1 }',
    'experts:',
    '  zzz: a',
    'guards:',
    '  zzz: off',
  ])
  const guards = new Set(problems.stdout.match(/\b[a-z][a-z_]+\b/g))
  const inGuards = await problemsOf(['guards:', ...[...guards].map((guard) => `  ${guard}: { zzz: 1 }`)])
  return [...new Set(inGuards.stdout.match(/\b[a-z][a-z_]+\b/g)), ...guards].filter(
    (word, index, all) => all.indexOf(word) === index,
  )
}

/** Puts the probes into as few files as can hold them: a key of a map can be there once, entries of lists any number of times. */
function documentsOf(probes: readonly Probe[]): Probe[][] {
  const documents: { readonly probes: Probe[]; readonly paths: Set<string> }[] = []
  for (const probe of probes) {
    const path = probe.place in ENTRIES ? undefined : `${probe.place}.${probe.key}`
    const isFree = ({ paths }: { readonly paths: Set<string> }) =>
      path === undefined ||
      !(paths.has(path) || [...paths].some((each) => each.startsWith(`${path}.`) || path.startsWith(`${each}.`)))
    const document = documents.find(isFree) ?? { probes: [], paths: new Set<string>() }
    if (!documents.includes(document)) documents.push(document)
    document.probes.push(probe)
    if (path !== undefined) document.paths.add(path)
  }
  return documents.map((document) => document.probes)
}

async function verdicts(probes: readonly Probe[]): Promise<readonly (Probe & { readonly verdict: string })[]> {
  const lines: string[] = []
  const places = new Map<Probe, { readonly line: number; readonly column: number }>()
  const add = (probe: Probe, before: string) => {
    lines.push(`${before}${probe.key}: ${probe.value}${before.includes('{') ? ' }' : ''}`)
    places.set(probe, { line: lines.length, column: before.length + 1 })
  }
  const groups = Map.groupBy(probes, ({ place }) => place.split(/[ .]/)[0] as string)
  for (const [group, each] of groups) {
    if (group !== '') lines.push(`${group}:`)
    let guard = ''
    for (const [index, probe] of each.toSorted((left, right) => byText(left.place, right.place)).entries()) {
      const needed = Object.entries(ENTRIES[probe.place] ?? {}).filter(([key]) => key !== probe.key)
      const base = needed.map(([key, value]) => `${key}: ${value === 'NUMBER' ? `n${index}` : value}, `).join('')
      const [, nested = ''] = probe.place.split('.')
      if (nested !== guard) {
        lines.push(`  ${(guard = nested)}:`)
        // The one guard that works only with a setting.
        if (nested === 'deadline' && each.every(({ place, key }) => place !== probe.place || key !== 'until'))
          lines.push('    until: 2026-11-20T18:00Z')
      }
      if (group === 'agents') add(probe, `  a${index}: { ${base}`)
      else if (group === 'checks' || group === 'rules') add(probe, `  - { ${base}`)
      else add(probe, group === '' ? '' : nested === '' ? '  ' : '    ')
    }
  }
  const { found } = await problemsOf(lines)
  return probes.map((probe) => {
    const { line = 0, column = 0 } = places.get(probe) ?? {}
    const columns = found.filter((each) => each.line === line).map((each) => each.column)
    return { ...probe, verdict: columns.length === 0 ? 'accepted' : columns.includes(column) ? 'unknown' : 'refused' }
  })
}

async function problemsOf(lines: readonly string[]) {
  return inFolder(async (cwd) => {
    // One thing is always wrong, so that nothing is made of the rest.
    writeFileSync(join(cwd, 'pawl.yaml'), `${[...lines, 'nonesuch: 1'].join('\n')}\n`)
    const { stdout } = await pawl(['doctor', '--json'], { cwd })
    const found = [...stdout.matchAll(/pawl\.yaml:(\d+):(\d+)/g)].map(([, line, column]) => ({
      line: Number(line),
      column: Number(column),
    }))
    return { stdout, found }
  })
}
