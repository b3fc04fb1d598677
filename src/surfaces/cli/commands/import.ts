import { TRANSCRIPT_AGENTS } from '../../../evidence/transcripts/agent-of-transcript.ts'
import { type TranscriptAgent, transcriptLines, type TranscriptTurn } from '../../../evidence/transcripts/transcript.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { counted, money, thousands } from '../../../core/wording.ts'
import { memoryStore } from '../../../registry/open-store.ts'
import type { Store } from '../../../stores/store.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { drivenSessions, type ImportResult, importTranscript } from '../../../evidence/import-transcript.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { withExistingStore } from './existing-store.ts'
import { filesOf, type NamedFiles, otherAgentLines, otherAgentOf, otherAgentWords } from './other-transcript.ts'

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
  /** The agent that it is a transcript of, where that is another one than was named. */
  readonly otherAgent?: string
  /** Why it could not be imported at all. */
  readonly problem?: string
}

/**
 * Reads the transcripts of an agent into runs of the store, one run a session and one iteration a turn. What was imported before is not
 * imported again, nor is a session that Pawl drove itself: it would count twice. A line that cannot be read is told with its place and passed over. Exit 1 when a file could not be used at all,
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
      ? ((await withExistingStore(context, use)) ?? (await use(memoryStore())))
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
    else if (status === 'imported' || status === 'grown') terminal.say(`${run}: ${words(result)} (${file})`)
  }
  const count = (status: ImportedFile['status']) =>
    results.filter((each) => each.status === status && each.problem === undefined).length
  const done = dryRun ? 'would be imported' : 'imported'
  const rest = [
    ...(count('grown') === 0 ? [] : [`${count('grown')} gone on with`]),
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

function words({ status, turnsAdded, checks, tokens, costUsd = 0 }: ImportedFile): string {
  return [
    `${counted(turnsAdded, status === 'grown' ? 'new turn' : 'turn')}`,
    ...(checks === 0 ? [] : [`${counted(checks, 'report')} of tests`]),
    ...(tokens === 0 ? [] : [`${thousands(tokens)} tokens`]),
    ...(costUsd === 0 ? [] : [money(costUsd)]),
  ].join(', ')
}
