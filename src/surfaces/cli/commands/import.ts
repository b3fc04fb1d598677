import {
  agentOfTranscript,
  drivenSessions,
  type ImportResult,
  importTranscript,
  TRANSCRIPT_AGENTS,
  UNREADABLE_AGENTS,
} from '../../../evidence/import-transcript.ts'
import {
  type TranscriptAgent,
  transcriptFiles,
  transcriptLines,
  type TranscriptTurn,
} from '../../../evidence/transcripts/transcript.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { counted, money, shellWord, thousands } from '../../../core/wording.ts'
import { temporaryStore } from '../../../registry/open-store.ts'
import type { Store } from '../../../stores/store.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { withExistingStore } from '../stored-run.ts'
import { join } from 'node:path'

export interface ImportFlags {
  readonly id?: string
  readonly dryRun?: boolean
  /** Sessions that Pawl drove itself as well. */
  readonly driven?: boolean
}

/** What came of one file. */
interface ImportedFile extends ImportResult {
  readonly file: string
  /** Lines that could not be read. */
  readonly malformed: number
  /** The agent that it is a transcript of, if that is another one than was named. */
  readonly otherAgent?: string
  /** Why it could not be imported at all. */
  readonly problem?: string
}

/**
 * Reads the transcripts of an agent into runs of the store, one run a session and one iteration a turn. What was imported before is not
 * imported again, nor is a session that Pawl drove itself: it would count twice. An unreadable line is reported with its place and skipped. Exit 1 when a file could not be used at all,
 * or none was of this agent.
 */
export async function importRuns(
  context: CliContext,
  name: string,
  paths: readonly string[],
  flags: ImportFlags,
): Promise<number> {
  const agent = TRANSCRIPT_AGENTS.find((each) => each.name === name)
  const names = TRANSCRIPT_AGENTS.map((each) => each.name).join(', ')
  if (!agent)
    throw new PawlError('usage.import', `Transcripts of "${name}" cannot be read; of these they can: ${names}.`, { value: name })
  if (paths.length === 0)
    throw new PawlError('usage.import', `Which transcripts? Name files or folders: ${agent.title} keeps them in ${agent.place}.`)
  const named: NamedFiles[] = []
  for (const path of paths) named.push({ path, files: await filesOf(agent, path) })
  const files = [...new Set(named.flatMap((each) => each.files))]
  if (flags.id !== undefined && files.length > 1)
    throw new PawlError(
      'usage.import',
      `--id names one run, and there are ${files.length} files: leave it out, or name one file.`,
    )
  const use = (store: Store) => importAll(context, store, agent, files, flags)
  const results =
    flags.dryRun === true
      ? ((await withExistingStore(context, use)) ?? (await use(await temporaryStore())))
      : await withStore(context, use)
  const others = otherAgentLines(results, named)
  report(context, results, flags, others)
  const isBroken = results.some(({ problem, otherAgent }) => problem !== undefined && otherAgent === undefined)
  const isNothing = !isBroken && results.every(({ status }) => status === 'empty')
  if (isNothing && others.length === 0)
    context.terminal.warn(`There is no session of ${agent.title} in ${files.length === 1 ? 'that file' : 'those files'}.`)
  return isNothing || isBroken ? EXIT.error : EXIT.done
}

async function importAll(
  context: CliContext,
  store: Store,
  agent: TranscriptAgent,
  files: readonly string[],
  flags: ImportFlags,
): Promise<readonly ImportedFile[]> {
  const { terminal } = context
  const results: ImportedFile[] = []
  let toldAt = Date.now()
  let problems = 0
  const tell = (place: string): void => {
    if (++problems <= PROBLEMS_TOLD_MAX) terminal.warn(`${place}; passed over.`)
  }
  const driven = flags.driven ? new Map<string, string>() : await drivenSessions(store)
  for (const [index, file] of files.entries()) {
    terminal.live(`${index + 1} of ${files.length}: ${file}`)
    if (!terminal.isLive && Date.now() - toldAt > PROGRESS_MS) {
      terminal.warn(`${index} of ${files.length} files read.`)
      toldAt = Date.now()
    }
    results.push(await importFile(store, agent, file, flags, driven, tell))
  }
  terminal.live(undefined)
  if (problems > PROBLEMS_TOLD_MAX) terminal.warn(`${problems - PROBLEMS_TOLD_MAX} more lines could not be read.`)
  return results
}

const PROBLEMS_TOLD_MAX = 20
const PROGRESS_MS = 5000

async function importFile(
  store: Store,
  agent: TranscriptAgent,
  file: string,
  { id, dryRun = false }: ImportFlags,
  driven: ReadonlyMap<string, string>,
  tell: (problem: string) => void,
): Promise<ImportedFile> {
  const { reportParsers } = await import('../../../registry/test-output.ts')
  const reader = agent.reader()
  let malformed = 0
  async function* turns(): AsyncGenerator<TranscriptTurn> {
    for await (const line of transcriptLines(file)) {
      if ('fields' in line) yield* reader.take(line.fields)
      else {
        malformed++
        tell(`${file}:${line.line}: ${line.problem}`)
      }
    }
    yield* reader.end()
  }
  const source = { agent: agent.name, file, turns: turns(), session: () => reader.session() }
  const parts = {
    store,
    processes: machineProcesses,
    parsers: reportParsers,
    isDry: dryRun,
    drivenBy: async (session: string) => driven.get(session),
    ...(id === undefined ? {} : { run: id }),
  }
  try {
    const result = await importTranscript(source, parts)
    if (result.status !== 'empty') return { file, malformed, ...result }
    const other = await otherAgentOf(file, agent)
    if (other) return { file, malformed, ...result, otherAgent: other.name, problem: otherAgentWords(other, file) }
    return { file, malformed, ...result, ...(malformed > 0 ? { problem: `There is no session of ${agent.title} in it.` } : {}) }
  } catch (error) {
    if (!(error instanceof PawlError) || !/^(?:transcript|run)\./.test(error.code)) throw error
    return { file, malformed, status: 'empty', turnsAdded: 0, turns: 0, checks: 0, tokens: 0, problem: error.message }
  }
}

function report(
  { terminal, isJson }: CliContext,
  results: readonly ImportedFile[],
  { dryRun = false }: ImportFlags,
  othersTold: readonly string[],
): void {
  if (isJson) return terminal.json({ dryRun, files: results })
  for (const line of othersTold) terminal.warn(line)
  for (const result of results) {
    const { file, run, problem, otherAgent, status } = result
    if (otherAgent !== undefined) continue
    if (problem !== undefined) terminal.warn(`${file}: ${problem}`)
    else if (status === 'imported' || status === 'grown') terminal.say(`${run}: ${importedWords(result)} (${file})`)
  }
  const count = (status: ImportedFile['status']) =>
    results.filter((each) => each.status === status && each.problem === undefined).length
  const done = dryRun ? 'would be imported' : 'imported'
  const rest = [
    ...(count('grown') === 0 ? [] : [`${count('grown')} continued`]),
    ...(count('unchanged') === 0 ? [] : [`${count('unchanged')} there already`]),
    ...(count('empty') === 0 ? [] : [`${count('empty')} without a turn of the agent`]),
    ...(count('driven') === 0 ? [] : [`${count('driven')} left out`]),
  ]
  const malformed = results.reduce((sum, each) => sum + each.malformed, 0)
  const passedOver = malformed === 0 ? '' : ` ${counted(malformed, 'line')} could not be read.`
  terminal.say(`${counted(count('imported'), 'session')} ${done}${rest.map((each) => `, ${each}`).join('')}.${passedOver}`)
  const runs = [...new Set(results.flatMap(({ status, run }) => (status === 'driven' && run !== undefined ? [run] : [])))]
  if (runs.length > 0) terminal.say(drivenWords(count('driven'), runs))
}

/** "Pawl drove 2 of these sessions itself (fix-login): …". */
function drivenWords(sessions: number, runs: readonly string[]): string {
  const named = runs.slice(0, RUNS_NAMED_MAX).join(', ')
  const more = runs.length > RUNS_NAMED_MAX ? ` and ${runs.length - RUNS_NAMED_MAX} more` : ''
  const [which, them] = sessions === 1 ? ['one of these sessions', 'it'] : [`${sessions} of these sessions`, 'they']
  return `Pawl drove ${which} itself (${named}${more}): ${them} would count twice. With --driven ${them} would be taken all the same.`
}

const RUNS_NAMED_MAX = 3

function importedWords({ status, turnsAdded, checks, tokens, costUsd = 0 }: ImportedFile): string {
  return [
    `${counted(turnsAdded, status === 'grown' ? 'new turn' : 'turn')}`,
    ...(checks === 0 ? [] : [`${counted(checks, 'report')} of tests`]),
    ...(tokens === 0 ? [] : [`${thousands(tokens)} tokens`]),
    ...(costUsd === 0 ? [] : [money(costUsd)]),
  ].join(', ')
}

type Agent = TranscriptAgent

/** An agent whose transcripts are known, whether or not they can be read. */
type KnownAgent = Agent | (typeof UNREADABLE_AGENTS)[number]

/** The agent that a file is a transcript of, if that is not the one it was taken for. */
export async function otherAgentOf(file: string, taken: Agent): Promise<KnownAgent | undefined> {
  const name = await agentOfTranscript(file, TRANSCRIPT_AGENTS)
  return name === taken.name ? undefined : KNOWN_AGENTS.find((each) => each.name === name)
}

const KNOWN_AGENTS: readonly KnownAgent[] = [...TRANSCRIPT_AGENTS, ...UNREADABLE_AGENTS]

/** "This is a transcript of Claude Code: pawl import claude FILE", or that such a one cannot be imported. */
export function otherAgentWords(agent: KnownAgent, file: string): string {
  const { name, title } = agent
  return isReadable(agent)
    ? `This is a transcript of ${title}: pawl import ${name} ${shellWord(file)}`
    : `This is a transcript of ${title}: ${NOT_READ}.`
}

const NOT_READ = 'those cannot be imported'

function isReadable(agent: KnownAgent): agent is Agent {
  return 'reader' in agent
}

/** One line for all files of one other agent: another agent's folder would give hundreds. */
export function otherAgentLines(
  results: readonly { readonly otherAgent?: string; readonly file: string }[],
  named: readonly NamedFiles[],
): readonly string[] {
  return KNOWN_AGENTS.flatMap((agent) => {
    const files = results.filter(({ otherAgent }) => otherAgent === agent.name).map(({ file }) => file)
    const [first] = files
    if (first === undefined) return []
    if (!isReadable(agent))
      return [
        files.length === 1
          ? `${first} is a transcript of ${agent.title}: ${NOT_READ}.`
          : `${counted(files.length, 'file')} are transcripts of ${agent.title}: ${NOT_READ}.`,
      ]
    if (files.length === 1) return [otherAgentWords(agent, first)]
    const words = named.flatMap(({ path, files: all }) => {
      const own = all.filter((file) => files.includes(file))
      const again = foundOf(agent, path)
      if (own.length > 0 && own.every((file) => again.includes(file))) return [path]
      // A folder is not enough where its files are not called as this agent calls them.
      return own.length <= FILES_NAMED_MAX ? own : [join(path, '**', '*.json*')]
    })
    const line = `pawl import ${agent.name} ${words.map(shellWord).join(' ')}`
    return [`${counted(files.length, 'file')} are transcripts of ${agent.title}: ${line}`]
  })
}

const FILES_NAMED_MAX = 3

/** What a person named, and the files that were found there. */
export interface NamedFiles {
  readonly path: string
  readonly files: readonly string[]
}

/** The files that a path names. None of this agent but some of another is an error. */
export async function filesOf(agent: Agent, path: string): Promise<readonly string[]> {
  try {
    return transcriptFiles(agent, path)
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'transcript.none') throw error
    const others = TRANSCRIPT_AGENTS.filter((each) => each !== agent)
    const files = new Set(others.flatMap((each) => foundOf(each, path)))
    const found = await firstOther([...files].slice(0, FILES_LOOKED_AT_MAX), agent)
    if (!found) throw error
    const { other, file } = found
    const whole = isReadable(other) && foundOf(other, path).includes(file) ? path : file
    const way = isReadable(other) ? `pawl import ${other.name} ${shellWord(whole)}` : `${NOT_READ}.`
    const sentence = `There are no transcripts of ${agent.title} in ${path}, but there are some of ${other.title}: ${way}`
    throw new PawlError('transcript.other-agent', sentence, { value: path, cause: error })
  }
}

const FILES_LOOKED_AT_MAX = 20

/** The first file of another agent; one that can be read before one that cannot. */
async function firstOther(
  files: readonly string[],
  taken: Agent,
): Promise<{ readonly other: KnownAgent; readonly file: string } | undefined> {
  let unreadable: { readonly other: KnownAgent; readonly file: string } | undefined
  for (const file of files) {
    const other = await otherAgentOf(file, taken)
    if (other && isReadable(other)) return { other, file }
    if (other) unreadable ??= { other, file }
  }
  return unreadable
}

function foundOf(agent: Agent, path: string): readonly string[] {
  try {
    return transcriptFiles(agent, path)
  } catch {
    return []
  }
}
