import { isAbsolute, relative } from 'node:path'
import { type Action, LABEL_LENGTH_MAX, type ToolUse, uncutActionOf } from '../../core/action.ts'
import type { Denied, Usage } from '../../core/event-data.ts'
import { counted } from '../../core/wording.ts'
import type { CommandLine } from '../../process/command-options.ts'
import { lastLines } from '../../process/last-lines.ts'
import { type Captured, cleanText } from '../../process/output.ts'
import type { CouldNotStart } from '../../process/find-program.ts'
import type { CommandResult } from '../../process/run-command.ts'
import { redactedLine, redactedStart, redactText } from '../../secrets/filter.ts'
import { hasSecretHint } from '../../secrets/hint.ts'
import { agentTrouble } from '../agent-trouble.ts'
import type { AgentSession, WorkDetails, WorkRequest, WorkResult } from '../agent.ts'
import { endedAtLimit, type TimeLimit } from '../program-start.ts'
import { eventIn, hasBegun, initialReading, type StreamReader, type StreamReading, workReport } from './stream-reading.ts'

export interface EndedStream {
  readonly ended: Exclude<CommandResult, CouldNotStart | { status: 'aborted' }>
  readonly reading: StreamReading
  readonly reader: StreamReader
  readonly line: CommandLine
  readonly name: string
  readonly npmPackage: string
  readonly wayIn: string
  readonly cwd: string
  readonly limit: TimeLimit
  /** Further remarks for the message. */
  readonly remarks: readonly string[]
}

/**
 * An agent has finished only if it says so itself and exits with 0; the checks say whether the work is right. Otherwise: whose fault it
 * was.
 */
export async function endingOf(stream: EndedStream): Promise<Exclude<WorkResult, { status: 'aborted' | 'asked' }>> {
  const { ended, reading, line, cwd, wayIn, remarks } = stream
  const { ending } = reading
  const exit = ended.status === 'exited' ? { exitCode: ended.exitCode } : {}
  const trouble = await agentTrouble({ result: ended, line, cwd, now: Date.now(), wayIn, read: reading })
  if (ended.status === 'exited' && ended.exitCode === 0 && trouble === undefined && ending?.kind === 'success') {
    const summary = joined([await summaryOf(reading.message), ...remarks])
    return { status: 'finished', ...exit, ...(summary === '' ? {} : { summary }) }
  }
  if (ending?.kind === 'error' && ending.code === AT_COST_LIMIT) return { status: 'finished', isAtLimit: true, ...exit }
  const status = ended.status === 'timed-out' ? 'timed-out' : 'failed'
  if (trouble) return { ...trouble, status, ...exit, message: joined([cleanText(trouble.message), ...remarks]) }
  // It didn't even begin: wrong arguments, a wrong setup, or another program of that name.
  const isSilent = ended.status === 'exited' && reading.events === 0
  const last = await lastWords(stream)
  const message = joined([await (isSilent ? silence(stream) : description(stream, last)), ...remarks])
  if (!isSilent) return { status, fault: 'agent', ...exit, message, ...(last === '' ? { saidNothing: true } : {}) }
  const fix = `Fix its error, or update it (npm install -g ${stream.npmPackage}); it can also be run as a command of your own (agents: in pawl.yaml). Then resume.`
  return { status, fault: 'config', ...exit, message, fix }
}

/** Claude Code stopped at `--max-budget-usd`. */
const AT_COST_LIMIT = 'error_max_budget_usd'

async function silence({ name, ended, reader }: EndedStream): Promise<string> {
  const { text } = ended.output
  const said = lastLines(await redactText(wordsBeside(text, reader))) || lastLines(await redactText(text))
  const code = ended.status === 'exited' && ended.exitCode !== 0 ? ` with exit code ${ended.exitCode}` : ''
  return `${name} ended${code} without a single event of the form that Pawl reads.${said === '' ? ' It printed nothing.' : ` It printed:\n${said}`}`
}

async function lastWords({ ended, reading, reader }: EndedStream): Promise<string> {
  return (
    lastLines(await redactText(cleanText(reading.words))) || lastLines(await redactText(wordsBeside(ended.output.text, reader)))
  )
}

async function description({ ended, reading, name, limit }: EndedStream, last: string): Promise<string> {
  const { ending } = reading
  const said = last === '' ? ' It said nothing.' : ` It last said:\n${last}`
  if (ended.status === 'timed-out') return `${endedAtLimit(name, limit)}${said}`
  if (ended.status === 'killed') return `${name} crashed with ${ended.signal}.${said}`
  if (ending?.kind === 'error') return `${name} ended with an error: ${await summaryOf(ending.message)}`
  if (ended.exitCode === 0) return `${name} ended without saying that it was done.${said}`
  return `${name} exited with code ${ended.exitCode}.${said}`
}

/** What it printed besides events and noise. */
function wordsBeside(text: string, { noise }: StreamReader): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('{"') && !noise?.test(line))
    .join('\n')
}

const SUMMARY_LENGTH_MAX = 4000

function summaryOf(text: string): Promise<string> {
  return redactedStart(cleanText(text).trim(), SUMMARY_LENGTH_MAX)
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}

/** What the stream reported about the work, however it ended. */
export async function detailsOf(
  reading: StreamReading,
  { cwd, lastSession }: WorkRequest,
  session: string | undefined,
): Promise<WorkDetails> {
  const before = lastSession !== undefined && lastSession.id === session ? lastSession : undefined
  const isSame = before !== undefined && (reading.session ?? session) === before.id
  const last = isSame ? before : {}
  const used = usedOf(reading, last)
  const called = [...reading.actions, ...reading.calls.map(uncutActionOf)]
  const actions = await Promise.all(called.map((action) => clean(action, cwd)))
  return {
    ...used,
    ...(reading.isCostEstimated && used.costUsd !== undefined ? { isCostEstimated: true } : {}),
    ...(reading.session === undefined ? {} : { session: reading.session }),
    ...(reading.sessionUsed === undefined ? {} : { sessionUsed: reading.sessionUsed }),
    ...(isSettling(reading, last) ? { settlesSession: true } : {}),
    ...(reading.model === undefined ? {} : { model: reading.model }),
    ...(actions.length === 0 ? {} : { actions, actionsCut: reading.actionsCut }),
    ...(reading.files.length === 0 ? {} : { files: reading.files.map((file) => withinFolder(cleanText(file), cwd)) }),
    words: cleanText(reading.words),
  }
}

/**
 * If the agent counts over a session, this work is the difference to the previous total. Tokens of work that was cut off since then are
 * counted already; its cost is not, and is part of this total.
 */
function usedOf(reading: StreamReading, last: Pick<AgentSession, 'used' | 'unsettled'>): Usage {
  const { used, sessionUsed: total = {}, workUsed = workReport(reading).used } = reading
  const isAddedUp = isSessionsSum(reading, last)
  const before = (isAddedUp ? last.used : undefined) ?? {}
  const costUsd =
    total.costUsd === undefined ? used.costUsd : Math.max(total.costUsd - (before.costUsd ?? 0), workUsed.costUsd ?? 0)
  // The session's tokens may be unknown although its cost is known.
  const isTotalUsable = total.tokens !== undefined && (before.costUsd === undefined || before.tokens !== undefined)
  const countedTokens = isAddedUp ? (before.tokens ?? 0) + (last.unsettled?.tokens ?? 0) : 0
  const tokens = isTotalUsable ? Math.max(total.tokens - countedTokens, workUsed.tokens ?? 0) : workUsed.tokens
  return {
    ...(costUsd === undefined ? {} : { costUsd: Number(costUsd.toFixed(9)) }),
    ...(tokens === undefined ? {} : { tokens }),
  }
}

/** Whether the total certainly includes unreported usage of earlier work. Its size alone isn't proof. */
function isSettling(reading: StreamReading, last: Pick<AgentSession, 'used' | 'unsettled'>): boolean {
  const isCertain = reading.isSessionSum || reading.workUsed?.tokens !== undefined
  return isCertain && last.unsettled !== undefined && reading.sessionUsed?.tokens !== undefined && isSessionsSum(reading, last)
}

/** Whether a total is the session's and not this work's. If this work's own usage is unknown, the size decides. */
function isSessionsSum(
  { used, sessionUsed: total = {}, workUsed }: StreamReading,
  last: Pick<AgentSession, 'used' | 'unsettled'>,
): boolean {
  if (workUsed?.tokens !== undefined && total.tokens !== undefined) return total.tokens > workUsed.tokens
  return last.used === undefined ? holdsUnsettled(total, used, last) : !isCountedAnew(total, used, last.used)
}

/** For the first total after work that was cut off: it is the session's if it covers that work and this one. */
function holdsUnsettled(total: Usage, used: Usage, { unsettled }: Pick<AgentSession, 'unsettled'>): boolean {
  return (total.tokens ?? 0) >= (unsettled?.tokens ?? 0) + (used.tokens ?? 0)
}

/**
 * In a continued session, an agent counts from the session's start or from this work's, and the same program does either. Cost and
 * tokens agree: if the tokens don't cover both the earlier and this work, counting started again.
 */
function isCountedAnew(total: Usage, used: Usage, before: Usage): boolean {
  const { tokens = 0, costUsd = 0 } = before
  const isOfThisWork = total.tokens !== undefined && used.tokens !== undefined && total.tokens <= used.tokens
  const tokensMin = tokens + (used.tokens ?? 0)
  return isOfThisWork || (total.tokens ?? tokensMin) < tokensMin || (total.costUsd ?? costUsd) < costUsd
}

/** For people: without control characters and secrets. */
async function clean({ label, ...action }: Action, cwd: string): Promise<Action> {
  const short = label === undefined ? '' : await redactedLine(cleanText(label).replaceAll(`${cwd}/`, ''), LABEL_LENGTH_MAX)
  return { ...action, name: cleanText(action.name), ...(short === '' ? {} : { label: short }) }
}

function withinFolder(file: string, cwd: string): string {
  const inside = isAbsolute(file) ? relative(cwd, file) : file
  return inside === '' || inside.startsWith('..') ? file : inside
}

/** Whether more was used than reported: the stream ended before the agent's last event, which has the figures, or that had none. */
export function usageGap(reading: StreamReading, status: CommandResult['status']): Pick<Usage, 'isUsagePartial'> {
  const { used, sessionUsed, ending, refusal, events } = reading
  const own = figuresOf(used)
  const figures = own.length > 0 ? own : figuresOf(sessionUsed)
  // A 0 means that nothing was served; after an answer it is no figure.
  const isTold = figures.some((figure) => figure > 0) || (figures.length > 0 && !hasAnswered(reading))
  if (ending !== undefined && isTold) return {}
  // If the provider failed from the start, nothing was served; a program that ends before any event has not begun.
  const isProviderFailing = ending?.kind === 'error' || refusal !== undefined
  const isWithoutEvent = events === 0 && status === 'exited'
  return !hasBegun(reading) && (isProviderFailing || isWithoutEvent) ? {} : { isUsagePartial: true }
}

function figuresOf({ costUsd, tokens }: Usage = {}): readonly number[] {
  return [costUsd, tokens].filter((figure) => figure !== undefined)
}

/** Whether a model said or did anything: Claude Code presents its final error as a model's text. */
function hasAnswered(reading: StreamReading): boolean {
  const { words, ending } = reading
  return hasBegun(reading) && !(ending?.kind === 'error' && words.trim() === ending.message.trim())
}

/** What the agent's own rules denied, and how to allow it; `undefined` if nothing was denied. */
export async function deniedWork(denied: readonly ToolUse[], name: string, mode: string): Promise<Denied | undefined> {
  if (denied.length === 0) return undefined
  const words = await Promise.all(denied.slice(0, NAMED_MAX).map(callWords))
  const more = denied.length > NAMED_MAX ? ', …' : ''
  const way = mode === 'full' ? '' : ', or continue with --permission-mode full in a container'
  const what = `${counted(denied.length, 'call')} of ${name} ${denied.length === 1 ? 'was' : 'were'}`
  return {
    calls: denied.length,
    message: `${what} denied in permission mode ${mode}: ${[...new Set(words)].join(', ')}${more}.`,
    fix: `Allow what it needs in ${name}'s own settings${way}.`,
  }
}

const NAMED_MAX = 3

async function callWords(use: ToolUse): Promise<string> {
  const { name, label } = uncutActionOf(use)
  return label === undefined ? name : `${name} ${await redactedStart(label, DENIED_LABEL_LENGTH_MAX)}`
}

const DENIED_LABEL_LENGTH_MAX = 60

/**
 * An agent's output without messages whose pieces together contain a secret: no rule recognizes the parts in single events. A line that
 * doesn't end a message for the reader, such as a warning on standard error, doesn't end it here.
 */
export async function withoutSplitSecrets(reader: StreamReader, printed: Captured): Promise<Captured> {
  const kept: string[] = []
  let held: Read[] = []
  const endMessage = async (): Promise<void> => {
    const isSecret = await isSecretInPieces(held.flatMap(({ piece }) => piece ?? []))
    if (isSecret) kept.push(LEFT_OUT)
    for (const { line, piece } of held) if (!isSecret || piece === undefined) kept.push(line)
    held = []
  }
  for (const line of printed.text.split('\n')) {
    const read = readOpen(reader, line)
    if (read.isEnd) await endMessage()
    if (held.length > 0 || read.piece !== undefined) held.push(read)
    else kept.push(line)
  }
  await endMessage()
  return { ...printed, text: kept.join('\n') }
}

const LEFT_OUT = '[a message in pieces is left out: there is a secret in it]'

async function isSecretInPieces(pieces: readonly string[]): Promise<boolean> {
  const message = pieces.join('')
  return pieces.length > 1 && hasSecretHint(message) && (await redactText(message)) !== message
}

interface Read {
  readonly line: string
  /** The text that it adds to an open message. */
  readonly piece?: string
  /** Whether it ends an open message. */
  readonly isEnd: boolean
}

/** How a line affects an open message. */
function readOpen(reader: StreamReader, line: string): Read {
  const event = eventIn(line)
  if (!event) return { line, isEnd: false }
  const { isMessageOpen, message } = reader.event({ ...initialReading, isMessageOpen: true }, event)
  return { line, isEnd: !isMessageOpen, ...(isMessageOpen && message !== '' ? { piece: message } : {}) }
}
