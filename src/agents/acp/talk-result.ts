import type { PromptResponse } from '@agentclientprotocol/sdk'
import type { Fault, Usage } from '../../core/event-data.ts'
import type { Instant } from '../../core/event.ts'
import type { CommandLine } from '../../process/command-options.ts'
import { startTrouble } from '../../process/command-trouble.ts'
import { lastLines } from '../../process/last-lines.ts'
import type { TalkResult } from '../../process/talk-to-command.ts'
import { redactedEnd, redactText } from '../../secrets/filter.ts'
import { agentTrouble, troubleOfError } from '../agent-trouble.ts'
import type { WorkDetails, WorkRequest, WorkResult } from '../agent.ts'
import { endedAtLimit, type TimeLimit, withRemark } from '../program-start.ts'
import { type AcpRefusal, AUTH_REQUIRED, type Session, type Talked } from './hold-talk.ts'
import type { SessionRecord } from './session-record.ts'

export interface HeldWork {
  readonly name: string
  readonly line: CommandLine
  readonly limit: TimeLimit
  readonly request: WorkRequest
  readonly record: SessionRecord
  readonly now: Instant
}

/** How the work ended, from how the talk ended. */
export async function talkWorkResult(result: TalkResult<Talked>, work: HeldWork): Promise<WorkResult> {
  const ended = await endedResult(result, work)
  const { beganAnew } = work.record.session ?? {}
  return beganAnew === undefined ? ended : withRemark(ended, await redactText(beganAnew))
}

async function endedResult(result: TalkResult<Talked>, work: HeldWork): Promise<WorkResult> {
  const { name, record, limit } = work
  if (result.status === 'could-not-start') return { status: 'failed', ...startTrouble(result, work.line) }
  if (result.status === 'talked') return talkedResult(result.value, work)
  const { session } = record
  const known = session ? { ...detailsOf(session, work), ...PARTIAL } : {}
  const told = { ...(await record.details()), ...outputOf(record), ...known }
  if (result.status === 'aborted') return { status: 'aborted', ...told }
  const said = lastLines(await redactText(result.errors.text)) || lastLines(await redactText(record.output.text))
  const ending = said === '' ? '' : ` It last said:\n${said}`
  if (result.status === 'timed-out') {
    return { status: 'timed-out', fault: 'agent', message: `${endedAtLimit(name, limit)}${ending}`, ...told }
  }
  if (result.status === 'broken-off') {
    const why = result.error instanceof Error ? result.error.message : String(result.error)
    return { status: 'failed', fault: 'agent', message: `The talk with ${name} broke off: ${why}.${ending}`, ...told }
  }
  const exit = { ...result, output: result.errors }
  const trouble = await agentTrouble({ result: exit, line: work.line, cwd: work.request.cwd, now: work.now })
  const how = result.status === 'exited' ? `ended with code ${result.exitCode}` : `crashed with ${result.signal}`
  const exitCode = result.status === 'exited' ? { exitCode: result.exitCode } : {}
  const message = `${name} ${how} in the middle of its work.${ending}`
  return { status: 'failed', fault: 'agent', message, ...trouble, ...exitCode, ...told }
}

async function talkedResult(talked: Talked, work: HeldWork): Promise<WorkResult> {
  const { record, name } = work
  const told = { ...(await record.details()), ...outputOf(record) }
  if (talked.kind === 'asked') {
    const { ask, session, response } = talked
    const goesOn = session.canGoOn ? { session: session.id } : {}
    const used = { ...costOf(session, work), ...(response ? tokensOf(response) : {}) }
    const gap = response ? gapIn(used) : PARTIAL
    return { status: 'asked', ask, message: `It asks: ${ask.title}`, ...told, ...goesOn, ...used, ...gap }
  }
  if (talked.kind === 'refused') {
    const { refusal, session } = talked
    // A provider that refused from the start served nothing.
    const gap = session && (record.lastWords !== '' || told.actions !== undefined) ? PARTIAL : {}
    return {
      status: 'failed',
      ...(await troubleOf(refusal, work)),
      ...told,
      ...(session ? detailsOf(session, work) : {}),
      ...gap,
    }
  }
  const { response, session, isWarned } = talked
  const used = { ...detailsOf(session, work), ...tokensOf(response) }
  // What a cancelled turn used, few agents report.
  const common = { ...told, ...used, ...(isWarned ? PARTIAL : gapIn(used)) }
  const words = await redactedEnd(record.lastWords, WORDS_LENGTH_MAX)
  const trouble = STOPPED[response.stopReason]
  if (trouble !== undefined)
    return { status: 'failed', fault: 'agent', message: `${name} ${trouble}. ${endOf(words)}`.trim(), ...common }
  const summary = words === '' ? {} : { summary: endOf(words), words }
  return { status: 'finished', ...common, ...summary }
}

const SUMMARY_LENGTH_MAX = 500
const WORDS_LENGTH_MAX = 20_000

function endOf(text: string): string {
  return text.length <= SUMMARY_LENGTH_MAX ? text : `…${text.slice(1 - SUMMARY_LENGTH_MAX).toWellFormed()}`
}

/** Why a turn ended early. The checks run on its changes anyway. */
const STOPPED: Readonly<Partial<Record<PromptResponse['stopReason'], string>>> = {
  max_tokens: 'stopped because its answer was too long',
  max_turn_requests: 'stopped at its own limit of requests in one turn',
  refusal: 'refused to continue',
  cancelled: 'called its turn off by itself',
}

async function troubleOf(
  { code, message, source }: AcpRefusal,
  { name, now }: HeldWork,
): Promise<{ readonly fault: Fault; readonly message: string; readonly fix?: string; readonly retryAt?: Instant }> {
  if (code === 'unfit') return { fault: 'config', message: `${name} does not fit: ${message}`, fix: 'Correct its settings.' }
  if (code === AUTH_REQUIRED) {
    const fix = `Log ${name} in by hand once, or name the variable with its key in \`environment\`; then resume.`
    return { fault: 'config', message: `${name} wants to be logged in: ${message}`, fix }
  }
  const status = code >= 400 && code < 600 ? { status: code } : {}
  const trouble = await troubleOfError({ message, source, ...status }, { name }, now)
  if (trouble) return trouble
  return { fault: 'agent', message: `${name} answered with an error: ${message}` }
}

function outputOf(record: SessionRecord) {
  const { output } = record
  return output.text === '' ? {} : { output }
}

function detailsOf(session: Session, work: HeldWork): Pick<WorkDetails, 'session' | 'sessionUsed' | 'costUsd'> {
  return { session: session.id, ...costOf(session, work) }
}

/** Agents report a session's total cost, if any: this work's cost is the difference. Unknown if the cost at the start is unknown. */
function costOf(
  { id, isContinued, costUsdBefore }: Session,
  { record, request }: HeldWork,
): Pick<WorkDetails, 'sessionUsed'> & Usage {
  const { costUsd } = record
  if (costUsd === undefined) return {}
  const sessionUsed = { costUsd }
  if (!isContinued) return { costUsd, sessionUsed }
  const before = request.lastSession?.id === id ? request.lastSession.used?.costUsd : undefined
  const start = before ?? costUsdBefore
  return start === undefined ? { sessionUsed } : { costUsd: Math.max(0, costUsd - start), sessionUsed }
}

/** More was used than reported. */
const PARTIAL = { isUsagePartial: true } as const

/** An agent that reports no figures has used something too. */
function gapIn({ costUsd, tokens }: Usage): Pick<Usage, 'isUsagePartial'> {
  return costUsd === undefined && tokens === undefined ? PARTIAL : {}
}

/** The protocol has no field for tokens yet. Gemini CLI puts the turn's tokens into `_meta`. */
function tokensOf({ _meta: meta }: PromptResponse): Usage {
  const { quota } = (meta ?? {}) as { quota?: { token_count?: { input_tokens?: unknown; output_tokens?: unknown } } }
  const { input_tokens: input, output_tokens: output } = quota?.token_count ?? {}
  return typeof input === 'number' && typeof output === 'number' ? { tokens: input + output } : {}
}
