import type { Instant } from '../core/event.ts'
import { type CommandLine, programName } from '../process/command-options.ts'
import { endTrouble } from '../process/command-trouble.ts'
import { environmentTrouble } from '../process/environment-trouble.ts'
import { closingLines } from '../process/last-lines.ts'
import type { CouldNotStart } from '../process/find-program.ts'
import type { CommandResult } from '../process/run-command.ts'
import { redactedStart } from '../secrets/filter.ts'
import { type AgentError, finalEvent, type FinalEvent } from './final-event.ts'
import { instantFromEpoch, resetTime } from './reset-time.ts'

export interface EndedAgent {
  readonly result: Exclude<CommandResult, CouldNotStart>
  readonly line: CommandLine
  readonly cwd: string
  readonly now: Instant
  /** What helps if its provider refuses it, if known. */
  readonly wayIn?: string
  /** Its events, if they were read one by one: then its text isn't searched for them. */
  readonly read?: { readonly ending?: FinalEvent; readonly refusal?: AgentError }
}

/**
 * Why an agent did not do its work, if it isn't the agent's own fault. The strongest evidence decides: the last event of its JSON, then
 * how the process ended, then the exit codes that its program documents, and last, only if it failed, its last line. `undefined`: the
 * agent's own fault, or no trouble.
 */
export async function agentTrouble({ result, line, cwd, now, wayIn, read }: EndedAgent): Promise<AgentTrouble | undefined> {
  const { text } = result.output
  const agent: Served = { name: programName(line), ...(wayIn === undefined ? {} : { wayIn }) }
  const hasFailed = result.status !== 'exited' || result.exitCode !== 0
  const event = read ? read.ending : hasFailed || isJsonThroughout(text) ? finalEvent(text) : undefined
  if (event?.kind === 'error') {
    const trouble = await troubleOfError(event, agent, now)
    if (trouble !== undefined) return withStatedReset(trouble, text)
  }
  if (!hasFailed) return undefined
  const byExit = endTrouble(result, line) ?? (await troubleOfExitCode(result, agent, now))
  // Its own data says how it ended, so its text isn't interpreted.
  if (byExit !== undefined || event !== undefined) return byExit
  // It was still retrying when it ended, or was ended.
  if (read?.refusal) return troubleOfError(read.refusal, agent, now)
  const trouble = await troubleOfLine(lastWord(text), agent, now)
  if (trouble !== undefined) return trouble
  const missing = result.status === 'timed-out' ? undefined : await environmentTrouble({ text, cwd, from: 'agent' })
  return missing && { ...missing, message: await redactedStart(missing.message, MESSAGE_LENGTH_MAX) }
}

const MESSAGE_LENGTH_MAX = 350

/** The last line with a message: after a fatal refusal, an agent prints at most a hint at a command. */
function lastWord(text: string): string {
  return closingLines(text, 3).find((line) => !/^\/[a-z-]+ to /.test(line)) ?? ''
}

/** With exit code 0, an event counts only if the whole output is JSON: an agent may print a log that it has read. */
function isJsonThroughout(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text)
}

/** Gemini documents 41 to 52, and exits with the provider's HTTP status, whose last eight bits remain. */
async function troubleOfExitCode(result: EndedAgent['result'], agent: Served, now: Instant): Promise<AgentTrouble | undefined> {
  const { name } = agent
  if (result.status !== 'exited' || name !== 'gemini') return undefined
  const { exitCode } = result
  if (exitCode === 41) return troubleOfStatus(401, agent, now)
  if (exitCode === 42 || exitCode === 52) {
    const message = `${name} says that its ${exitCode === 42 ? 'arguments or input are' : 'settings are'} wrong (exit code ${exitCode}).`
    return { fault: 'config', message, fix: `Correct how ${name} is called or set up; then resume.` }
  }
  const status = [401, 403, 429, 500, 502, 503].find((each) => each % 256 === exitCode)
  return status === undefined ? undefined : troubleOfStatus(status, agent, now)
}

/** Claude Code reports every usage window in a separate event; only a rejection's reset time counts. */
function withStatedReset(trouble: AgentTrouble, text: string): AgentTrouble {
  if (trouble.fault !== 'provider-limit' || trouble.retryAt !== undefined) return trouble
  const line = text
    .split('\n')
    .findLast((each) => each.startsWith('{"type":"rate_limit_event"') && each.includes('"status":"rejected"'))
  const resetsAt = /"resetsAt":(\d{10,13})\b/.exec(line ?? '')?.[1]
  return resetsAt === undefined ? trouble : { ...trouble, retryAt: instantFromEpoch(Number(resetsAt)) }
}

/** What prevents an agent from working and isn't its own fault. */
export interface AgentTrouble {
  readonly fault: 'environment' | 'config' | 'provider-limit'
  readonly message: string
  readonly fix?: string
  /** When a provider limit ends, if the provider says so. */
  readonly retryAt?: Instant
  /** Set if the provider is down or can't be reached, which isn't waited for as long as a limit. */
  readonly isOutage?: true
}

/** The agent that a provider doesn't serve. */
export interface Served {
  readonly name: string
  /** What helps if its provider refuses it, as a sentence without its end. Default: advice for any program. */
  readonly wayIn?: string
}

/** The trouble behind an error that an agent reported as data; `undefined` if the error is the agent's own. */
export async function troubleOfError(
  { message, status, code, source }: AgentError,
  agent: Served,
  now: Instant,
): Promise<AgentTrouble | undefined> {
  const firstLine = message.slice(0, SEARCHED_CHARACTERS_MAX).trim().split('\n')[0] ?? ''
  const kind = kindOfCode(code) ?? kindOfStatus(status) ?? kindOfLine(firstLine) ?? kindOfRequest(firstLine)
  return kind && troubleOf(kind, { agent, said: message, source: `${message}\n${source}`, now })
}

/** The trouble behind a failed agent's last line. Only the forms in which agents print a provider's refusal count. */
async function troubleOfLine(line: string, agent: Served, now: Instant): Promise<AgentTrouble | undefined> {
  const kind = kindOfLine(line)
  return kind && troubleOf(kind, { agent, said: line, source: line, now })
}

/** The trouble behind an HTTP status that a provider answered with. */
async function troubleOfStatus(status: number, agent: Served, now: Instant): Promise<AgentTrouble | undefined> {
  const kind = kindOfStatus(status)
  return kind && troubleOf(kind, { agent, said: `the provider answered with status ${status}`, source: '', now })
}

/** Errors are short; longer texts are an agent's prose. */
const SEARCHED_CHARACTERS_MAX = 16 * 1024

const PROVIDER_MESSAGE_LENGTH_MAX = 500

type Kind = 'limit' | 'down' | 'unreachable' | 'refused' | 'unpaid'

interface Said {
  readonly agent: Served
  readonly said: string
  readonly source: string
  readonly now: Instant
}

async function troubleOf(kind: Kind, { agent: { name, wayIn }, said, source, now }: Said): Promise<AgentTrouble> {
  const short = await redactedStart(said, PROVIDER_MESSAGE_LENGTH_MAX)
  if (kind === 'refused') {
    const fix =
      wayIn ?? `Log ${name} in again, or name the variable with its key in \`environment\` (no key is passed on unasked)`
    return { fault: 'config', message: `The provider does not let ${name} in: ${short}`, fix: `${fix}; then resume.` }
  }
  if (kind === 'unpaid') {
    const fix = 'Add credit or another plan with the provider, or use another agent; then resume.'
    return { fault: 'config', message: `The provider wants to be paid: ${short}`, fix }
  }
  const retryAt = resetTime(source.slice(0, SEARCHED_CHARACTERS_MAX), now)
  const message = `${happened(kind, name)}: ${short}`
  const fix = kind === 'unreachable' ? { fix: 'See that the network and the address of the provider are right.' } : {}
  const outage = kind === 'limit' ? {} : { isOutage: true as const }
  return { fault: 'provider-limit', message, ...fix, ...outage, ...(retryAt !== undefined && { retryAt }) }
}

function happened(kind: 'limit' | 'down' | 'unreachable', name: string): string {
  if (kind === 'limit') return `A limit of the provider stops ${name}`
  return kind === 'down' ? `The provider cannot serve ${name} now` : `The provider of ${name} cannot be reached`
}

function kindOfStatus(status: number | undefined): Kind | undefined {
  if (status === undefined) return undefined
  if (status === 429) return 'limit'
  if (status === 402) return 'unpaid'
  if (status === 401 || status === 403) return 'refused'
  return status >= 500 && status < 600 ? 'down' : undefined
}

function kindOfCode(code: string | undefined): Kind | undefined {
  return code === undefined ? undefined : CODES.get(code)
}

/** Claude Code's code for a provider that couldn't be reached or whose answer broke off; Pawl uses it for agents without one. */
export const CONNECTION_FAILED = 'connection_failed'

/** Error codes of providers and agents. `insufficient_quota` comes with status 429, but waiting doesn't help. */
const CODES: ReadonlyMap<string, Kind> = new Map([
  ['rate_limit', 'limit'],
  ['rate_limit_error', 'limit'],
  ['rate_limit_exceeded', 'limit'],
  ['usage_limit_reached', 'limit'],
  ['RESOURCE_EXHAUSTED', 'limit'],
  ['overloaded', 'down'],
  ['overloaded_error', 'down'],
  ['server_error', 'down'],
  ['AI_APICallError', 'down'],
  [CONNECTION_FAILED, 'unreachable'],
  ['no_response', 'unreachable'],
  ['stream_idle_timeout', 'unreachable'],
  ['authentication_error', 'refused'],
  ['authentication_failed', 'refused'],
  ['invalid_api_key', 'refused'],
  ['ProviderAuthError', 'refused'],
  ['insufficient_quota', 'unpaid'],
  ['billing_error', 'unpaid'],
])

function kindOfLine(line: string): Kind | undefined {
  return LINES.find(([pattern]) => pattern.test(line))?.[1]
}

/** How agents begin a line about an error. */
const ERROR = String.raw`(?:\[?API Error: |ERROR:? |Error: |error: |Codex error: |Internal error: |[\w.]+(?:Error|Exception): )*`
/** What may follow a status: the answer's words or its body, never `429 tests failed`. */
const BODY = String.raw`(?=$|[ :,.-]*(?:$|[{["']|[Tt]oo [Mm]any [Rr]equests|Resource|Rate|rate limit|Unauthorized|Forbidden|Overloaded|Internal|Service|status code))`
const STATUS = String.raw`(?:Error code: |HTTP |Request failed with status code |Got status: |exceeded retry limit, last status: |unexpected status )?`
/** The words come first, and the status or the header after them. */
const RATE_LIMIT = String.raw`[Rr]ate limit (?:exceeded|reached)(?:[ .,:;([-]+(?:HTTP |status |code )*429\b|.*\b[Rr]etry-[Aa]fter: ?\d)`

/** Error codes of a request that got no answer or lost its connection. */
const NETWORK = String.raw`(?:ECONN(?:REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|E(?:HOST|NET)UNREACH|ENETDOWN|UND_ERR_\w+|ConnectionRefused|ConnectionClosed|FailedToOpenSocket)`

const LINES: readonly (readonly [RegExp, Kind])[] = [
  [new RegExp(`^${ERROR}${STATUS}429[ :,.-]+.*["']insufficient_quota["']`), 'unpaid'],
  [new RegExp(`^${ERROR}(?:Credit balance is too low|Quota exceeded\\. Check your plan and billing details)`), 'unpaid'],
  [new RegExp(`^${ERROR}${STATUS}429${BODY}`), 'limit'],
  [new RegExp(`^${ERROR}${RATE_LIMIT}`), 'limit'],
  [new RegExp(`^${ERROR}rate limit exceeded: .*\\btry again in \\d`), 'limit'],
  [new RegExp(`^${ERROR}Request rejected \\(429\\)`), 'limit'],
  [/^Attempt \d+ failed with status 429\./, 'limit'],
  [/^We['’]re currently experiencing high demand\b/, 'down'],
  [new RegExp(`^${ERROR}You have exhausted your (?:daily quota|capacity) on this model`), 'limit'],
  [/^(?:litellm|anthropic|openai)\.(?:\w+\.)*RateLimitError: /, 'limit'],
  [new RegExp(`^${ERROR}Claude(?: AI)? usage limit reached(?:\\||\\.|$)`), 'limit'],
  [new RegExp(`^${ERROR}You['’]ve (?:hit|reached|exceeded) your (?:[\\w-]+ ){0,3}limit(?:[.,]| [·∙•]| for |$)`), 'limit'],
  [
    new RegExp(`^${ERROR}(?:\\d+-hour|(?:\\w+ )?[Ww]eekly|[Dd]aily|[Mm]onthly|[Ss]ession) limit reached(?:[.,|]| [·∙•]|$)`),
    'limit',
  ],
  [new RegExp(`^${ERROR}${STATUS}(?:401|403)${BODY}`), 'refused'],
  [new RegExp(`^${ERROR}(?:Invalid API key|Not logged in|OAuth token has expired)(?:\\.| [·∙•]|$)`), 'refused'],
  [new RegExp(`^\\[?API Error: (?:Repeated 529 Overloaded errors|5\\d\\d${BODY})`), 'down'],
  // Without "API Error" it may be a database that a test did not find.
  [new RegExp(`^\\[?API Error: [^(]*\\(${NETWORK}\\)`), 'unreachable'],
  [/^\[?API Error: (?:Connection error\.|Request timed out\.|fetch failed|terminated\b)/, 'unreachable'],
]

function kindOfRequest(line: string): Kind | undefined {
  return REQUESTS.some((pattern) => pattern.test(line)) ? 'unreachable' : undefined
}

/** How agents say in their own data that a request to their model failed. As a last line this could be anybody's request. */
const REQUESTS: readonly RegExp[] = [
  /^(?:Connection failed|stream disconnected before completion): error sending request\b/,
  /^stream disconnected before completion: (?:stream closed before |Transport error|error decoding response body|idle timeout)/,
  new RegExp(`^${ERROR}(?:exception )?(?:TypeError: )?(?:fetch failed|terminated$|Connection error\\.|Cannot connect to API\\b)`),
  new RegExp(`^${ERROR}(?:request to \\S+ failed, reason: )?(?:connect|read|write|getaddrinfo) ${NETWORK}\\b`),
]
