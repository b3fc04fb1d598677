import type { Likeness, TextRef } from '../core/event-data.ts'
import { record } from '../core/advance.ts'
import { builtInFolds } from '../loops/evolve.ts'
import type { Event, Fact } from '../core/event.ts'
import { isDamage, PawlError } from '../core/pawl-error.ts'
import { checkedRunId } from '../core/names.ts'
import { patchSimilarity } from '../similarity/index.ts'
import type { State } from '../core/state.ts'
import {
  importedConfig,
  importedFrom,
  seenCheck,
  type SeenCheck,
  type TestReportParser,
  turnFacts,
  type TurnTexts,
} from './transcripts/turn-facts.ts'
import { type Fields, fieldsOf, textOf } from '../core/json.ts'
import {
  type TranscriptAgent,
  type TranscriptCall,
  transcriptLines,
  type TranscriptSession,
  type TranscriptTurn,
} from './transcripts/transcript.ts'
import { type Used, usedTogether } from './transcripts/turn-builder.ts'
import { counted } from '../core/wording.ts'
import { keepVisible } from '../secrets/known-values.ts'
import { readWithoutSecrets } from '../secrets/report.ts'
import { redactFacts } from '../journal/redact-facts.ts'
import { redactJson, redactSaid } from '../secrets/filter.ts'
import type { Processes } from '../process/processes.ts'
import type { Store } from '../stores/store.ts'
import { heldError, loadState, openSession, type Session } from '../engine/session.ts'
import { hasSecretHint } from '../secrets/hint.ts'
import { claudeTranscript } from './transcripts/claude-transcript.ts'
import { codexTranscript } from './transcripts/codex-transcript.ts'
import { geminiTranscript } from './transcripts/gemini-transcript.ts'

export interface TranscriptSource {
  readonly agent: string
  readonly file: string
  /** Its turns in order; `session` is known once the first is there. */
  readonly turns: AsyncIterable<TranscriptTurn>
  session(): TranscriptSession | undefined
}

export interface ImportParts {
  readonly store: Store
  readonly processes: Processes
  readonly parsers: readonly TestReportParser[]
  /** The name of the run. Default: the agent's name and the end of the session's id. */
  readonly run?: string
  /** Set where nothing is to be written. */
  readonly isDry?: boolean
  /** The run of Pawl's own that had a session: such a one is not imported. Default: there is none. */
  readonly drivenBy?: (session: string) => Promise<string | undefined>
}

/**
 * What importing one transcript came to. `grown`: it was imported before, and what came since was added. `driven`: it is of a session that
 * Pawl drove itself; `run` is the one that has it.
 */
export interface ImportResult {
  readonly status: 'imported' | 'grown' | 'unchanged' | 'empty' | 'driven'
  readonly run?: string
  readonly session?: string
  /** Turns that are new, and all there are. */
  readonly turnsAdded: number
  readonly turns: number
  readonly checks: number
  readonly tokens: number
  /** Absent where the transcript tells none. */
  readonly costUsd?: number
}

/**
 * Turns a transcript into a run of the store, turn by turn; nothing but the turn at hand is in memory. Importing it again adds what is
 * new, which is nothing where it has not grown; one that was cut short is continued. Throws `run.not-that-import` where the name is
 * that of another run.
 */
export async function importTranscript(source: TranscriptSource, parts: ImportParts): Promise<ImportResult> {
  const turns = source.turns[Symbol.asyncIterator]()
  const first = await turns.next()
  const session = source.session()
  if (first.done === true || session === undefined) return { status: 'empty', ...NOTHING }
  const drivenBy = await parts.drivenBy?.(session.id)
  if (drivenBy !== undefined) return { status: 'driven', run: drivenBy, session: session.id, ...NOTHING }
  const run = checkedRunId(parts.run ?? `${source.agent}-${session.id.replaceAll(/[^a-z0-9]/gi, '').slice(-ID_LENGTH)}`)
  const open = await openImport(run, source, session, parts)
  try {
    let sum: Counted = NOTHING
    let passed: Used = {}
    const before = open.state?.current.number ?? 0
    for (let next: IteratorResult<TranscriptTurn> = first; next.done !== true; next = await turns.next()) {
      sum = { ...sum, turns: sum.turns + 1 }
      if (sum.turns <= before) {
        passed = usedTogether(passed, next.value)
        continue
      }
      const isFirstNew = sum.turnsAdded === 0
      const turn = isFirstNew ? { ...next.value, ...usedTogether(next.value, usedSince(open.state, passed)) } : next.value
      const checks = await takeTurn(open, source, session, await redactedTurn(turn))
      sum = {
        turns: sum.turns,
        turnsAdded: sum.turnsAdded + 1,
        checks: sum.checks + checks,
        tokens: sum.tokens + (turn.tokens ?? 0),
        ...added(sum.costUsd, turn.costUsd),
      }
    }
    const isWhole = sum.turnsAdded === 0 && open.state?.status === 'completed'
    if (!isWhole) await closeRun(open, source)
    const status = isWhole ? 'unchanged' : before === 0 ? 'imported' : 'grown'
    return { status, run, session: session.id, ...sum }
  } finally {
    await open.session?.close()
  }
}

type Counted = Omit<ImportResult, 'status' | 'run' | 'session'>

const NOTHING: Counted = { turnsAdded: 0, turns: 0, checks: 0, tokens: 0 }

/** What the turns that are known used, as the transcript tells it now, beyond what is known of them: it was reported after they were imported. */
function usedSince(state: State | undefined, { tokens = 0, costUsd = 0 }: Used): Used {
  const { totals = { tokens: 0, costUsd: 0 } } = state ?? {}
  const [moreTokens, moreUsd] = [tokens - totals.tokens, costUsd - totals.costUsd]
  return { ...(moreTokens > 0 ? { tokens: moreTokens } : {}), ...(moreUsd > ROUNDING_USD ? { costUsd: moreUsd } : {}) }
}

const ROUNDING_USD = 1e-8

/** A cost of 0 is one that nobody knows. */
function added(sum = 0, more = 0): Pick<ImportResult, 'costUsd'> {
  return sum + more > 0 ? { costUsd: sum + more } : {}
}

/** Ids that begin with a time end in what is random. */
const ID_LENGTH = 12

/** How many facts are appended together. */
const FACTS_PER_APPEND = 400

/** How much of a text is kept, and how much of a command's output is looked at for a report. */
const TEXT_CHARACTERS_MAX = 256 * 1024

interface OpenImport extends ImportParts {
  readonly run: string
  /** Absent if nothing is to be written. */
  readonly session?: Session
  /** With the facts that are not in the journal yet. */
  state: State | undefined
  facts: Fact[]
  /** The patch of the last turn that had one. */
  patch?: string
}

async function openImport(
  run: string,
  { agent }: TranscriptSource,
  session: TranscriptSession,
  parts: ImportParts,
): Promise<OpenImport> {
  const state = await loadState(parts.store, run, builtInFolds)
  const from = state && importedFrom(state.config)
  if (state && (from?.agent !== agent || from.session !== session.id)) {
    const whose = from ? `session ${from.session} of ${from.agent}` : 'no transcript'
    throw new PawlError('run.not-that-import', `Run ${run} is of ${whose}: give this one another name with --id.`, { value: run })
  }
  // Its first turn is there: without a state the run begins now.
  keepVisible(run)
  const rest = { ...parts, run, state, facts: [] }
  if (parts.isDry) return rest
  const opened = await openSession({ ...parts, folds: builtInFolds }, run, { known: state })
  if (opened.status === 'held') throw heldError(opened)
  return { ...rest, session: opened, state: opened.state() }
}

async function takeTurn(
  open: OpenImport,
  source: TranscriptSource,
  session: TranscriptSession,
  turn: TranscriptTurn,
): Promise<number> {
  if (!open.state) {
    const at = turn.prompt?.at ?? turn.at
    const config = importedConfig(source.agent, session, source.file, turn)
    await take(open, [{ type: 'run.started', at, by: { role: 'runner', name: 'import' }, data: { config } }])
  }
  const { state } = open
  if (!state) return 0
  const seen: SeenOutput[] = []
  for (const { shell } of turn.calls) {
    const output = shell?.output ?? ''
    const check =
      shell &&
      (await readWithoutSecrets(output, (text) =>
        seenCheck({ ...shell, output: text.slice(-TEXT_CHARACTERS_MAX) }, open.parsers),
      ))
    if (check) seen.push({ check, output })
  }
  const patch = turn.calls
    .flatMap(({ patch: each, edits = [] }) => (each !== undefined && edits.length > 0 ? [each] : []))
    .join('\n')
  const texts = await textsOf(open, turn, patch, seen)
  const likeness = patch === '' ? undefined : likenessTo(open, patch)
  const checks = seen.map(({ check }) => check)
  await take(open, turnFacts(state, { turn, checks, texts, session: session.id, ...(likeness ? { likeness } : {}) }))
  return checks.length
}

interface SeenOutput {
  readonly check: SeenCheck
  readonly output: string
}

function likenessTo(open: OpenImport, patch: string): Likeness | undefined {
  const before = open.patch
  open.patch = patch.slice(0, TEXT_CHARACTERS_MAX)
  if (before === undefined) return undefined
  const { similarity, linesDiffering } = patchSimilarity(before, open.patch)
  return { lines: similarity, linesDiffering }
}

async function textsOf(
  open: OpenImport,
  { prompt, words }: TranscriptTurn,
  patch: string,
  seen: readonly SeenOutput[],
): Promise<TurnTexts> {
  // Half a secret is not known for one any more: first redacted, then cut.
  const keep = async (text: string, isEnd = false): Promise<TextRef> => {
    const clean = await redactJson(text)
    const kept = (isEnd ? clean.slice(-TEXT_CHARACTERS_MAX) : clean.slice(0, TEXT_CHARACTERS_MAX)).toWellFormed()
    const bytesCut = Buffer.byteLength(clean) - Buffer.byteLength(kept)
    if (open.isDry) return { sha256: '', bytes: Buffer.byteLength(kept) }
    return open.store.putText({ text: kept, bytesCut: Math.max(0, bytesCut) })
  }
  const outputs: TextRef[] = []
  for (const { output } of seen) outputs.push(await keep(output, true))
  return {
    ...(prompt ? { prompt: await keep(prompt.text) } : {}),
    ...(words === '' ? {} : { words: await keep(words) }),
    ...(patch === '' ? {} : { patch: await keep(patch) }),
    outputs,
  }
}

/** The last report that was seen says how the session ended; without one nobody knows. */
async function closeRun(open: OpenImport, { agent }: TranscriptSource): Promise<void> {
  const { state } = open
  if (!state) return
  const iteration = state.current.number
  const passed = lastReport(state)
  const end =
    passed === undefined ? 'no report of tests was seen' : `the last tests that were seen ${passed ? 'passed' : 'failed'}`
  const message = `Imported from a session of ${agent}: ${counted(iteration, 'turn')}, ${end}.`
  const data = { agent, iteration, message, ...(passed === undefined ? {} : { passed }) }
  await take(open, [{ type: 'run.imported', at: state.at, by: { role: 'runner', name: 'import' }, data }])
  await flush(open)
}

/** What was not checked stays as it was, so the last iteration tells. */
function lastReport({ recent }: State): boolean | undefined {
  const { failing, score } = recent.at(-1)?.verdict ?? { failing: 0, score: 0 }
  if (failing > 0) return false
  return score > 0 ? true : undefined
}

async function take(open: OpenImport, facts: readonly Fact[]): Promise<void> {
  const clean = await redactFacts(facts)
  open.state = record(builtInFolds, open.run, open.state, clean).state
  open.facts.push(...clean)
  if (open.facts.length >= FACTS_PER_APPEND) await flush(open)
}

async function flush(open: OpenImport): Promise<void> {
  const facts = open.facts.splice(0)
  if (!open.session || facts.length === 0) return
  await open.session.record(() => facts)
  open.state = open.session.state()
}

/**
 * A turn without secrets in all that is shortened for facts: what was said, what tools were called with. What tools returned stays as it was: of
 * that only digests and reports become facts.
 */
async function redactedTurn(turn: TranscriptTurn): Promise<TranscriptTurn> {
  const { prompt, words } = turn
  return {
    ...turn,
    words: hasSecretHint(words) ? await redactSaid(words) : words,
    ...(prompt ? { prompt: await redactJson(prompt) } : {}),
    calls: await Promise.all(turn.calls.map(redactedCall)),
  }
}

async function redactedCall(call: TranscriptCall): Promise<TranscriptCall> {
  const { input, shell } = call
  return {
    ...call,
    input: await redactJson(input),
    ...(shell ? { shell: { ...shell, command: await redactJson(shell.command) } } : {}),
  }
}

/**
 * The sessions of agents that runs of the store had, each with its run: those that Pawl drove, and those that a run was bound to. What
 * was imported is not among them. A run whose journal cannot be read says nothing here.
 */
export async function drivenSessions(store: Store): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { run } of await store.runs()) for (const session of await sessionsOf(store, run)) found.set(session, run)
  return found
}

async function sessionsOf(store: Store, run: string): Promise<readonly string[]> {
  try {
    // An imported run may have ten thousand turns: whether it is one, its cached state says.
    const state = await loadState(store, run, builtInFolds)
    if (!state || importedFrom(state.config)) return []
    return (await store.read(run)).flatMap((event) => sessionIn(event) ?? [])
  } catch (error) {
    if (!isDamage(error)) throw error
    return []
  }
}

function sessionIn(event: Event): string | undefined {
  switch (event.type) {
    case 'work.finished':
    case 'work.failed':
    case 'work.asked':
    case 'work.abandoned':
    case 'run.bound':
      return event.data.session
    default:
      return undefined
  }
}

/** The agents whose transcripts can be read. */
export const TRANSCRIPT_AGENTS: readonly TranscriptAgent[] = [claudeTranscript, codexTranscript, geminiTranscript]

/** Agents whose transcripts are known for theirs, and cannot be read. */
export const UNREADABLE_AGENTS = [{ name: 'qwen', title: 'Qwen Code' }] as const

/**
 * The name of the agent that a file is a transcript of, by its first lines; nothing for any other file. Of those that can be read it is
 * one only where its reader finds a turn: agents keep files beside their transcripts that name the same sessions.
 */
export async function agentOfTranscript(file: string, readable: readonly TranscriptAgent[]): Promise<string | undefined> {
  const name = await agentOfFirstLines(file)
  const agent = readable.find((each) => each.name === name)
  return agent === undefined || (await hasTurn(file, agent)) ? name : undefined
}

async function agentOfFirstLines(file: string): Promise<string | undefined> {
  let looked = 0
  for await (const line of transcriptLines(file)) {
    const name = 'fields' in line ? agentOfLine(line.fields) : undefined
    if (name !== undefined || ++looked >= LINES_LOOKED_AT) return name
  }
  return undefined
}

const LINES_LOOKED_AT = 20

function agentOfLine(line: Fields): string | undefined {
  const [type, session] = [textOf(line['type']), textOf(line['sessionId'])]
  if (type !== undefined && typeof line['payload'] === 'object') return 'codex'
  if (type !== undefined && session !== undefined && isOfQwen(line)) return 'qwen'
  if (type !== undefined && (session !== undefined || textOf(line['leafUuid']) !== undefined)) return 'claude'
  return type === undefined && session !== undefined ? 'gemini' : undefined
}

/** Its lines are like those of Claude Code around messages like those of Gemini CLI. */
function isOfQwen(line: Fields): boolean {
  return Array.isArray(fieldsOf(line['message'])['parts']) || typeof line['systemPayload'] === 'object'
}

async function hasTurn(file: string, agent: TranscriptAgent): Promise<boolean> {
  const reader = agent.reader()
  for await (const line of transcriptLines(file)) {
    if ('fields' in line && reader.take(line.fields).length > 0) return reader.session() !== undefined
  }
  return reader.end().length > 0 && reader.session() !== undefined
}
