import type { Instant } from '../core/event.ts'
import { redactedStart } from '../secrets/filter.ts'
import { closingLines } from '../process/last-lines.ts'
import { type CommandLine, programName } from '../process/command-options.ts'
import { endTrouble } from '../process/command-trouble.ts'
import { environmentTrouble } from '../process/environment-trouble.ts'
import type { CommandResult, CouldNotStart } from '../process/run-command.ts'
import { finalEvent, type AgentError, type FinalEvent } from './final-event.ts'
import { troubleOfError, troubleOfLine, troubleOfStatus, type AgentTrouble, type Served } from './provider-trouble.ts'
import { instantFromEpoch } from './reset-time.ts'

export interface EndedAgent {
  readonly result: Exclude<CommandResult, CouldNotStart>
  readonly line: CommandLine
  readonly cwd: string
  readonly now: Instant
  /** What helps where its provider does not let it in, where that is known. */
  readonly wayIn?: string
  /** What its events told, where they were read one by one: then its text is not searched for them. */
  readonly read?: { readonly ending?: FinalEvent; readonly refusal?: AgentError }
}

/**
 * Whose fault it is that an agent did not do its work, when it is not the agent's. The surest evidence decides: the last event of
 * its own JSON, then how the process ended, then the exit codes its program documents, and only then its last line, and this only
 * when it failed. `undefined`: the agent's own fault, or none.
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
  // Its own data says how it ended: then nothing is read into its words.
  if (byExit !== undefined || event !== undefined) return byExit
  // It was still trying when it ended, or was ended.
  if (read?.refusal) return troubleOfError(read.refusal, agent, now)
  const trouble = await troubleOfLine(lastWord(text), agent, now)
  if (trouble !== undefined) return trouble
  const missing = result.status === 'timed-out' ? undefined : await environmentTrouble({ text, cwd, from: 'agent' })
  return missing && { ...missing, message: await redactedStart(missing.message, MESSAGE_LENGTH_MAX) }
}

const MESSAGE_LENGTH_MAX = 350

/** The last line that says anything: after a refusal that ended it an agent at most hints at a command, and prints no test results. */
function lastWord(text: string): string {
  return closingLines(text, 3).find((line) => !/^\/[a-z-]+ to /.test(line)) ?? ''
}

/** With exit code 0 an event counts only in an output that is JSON from its first line: an agent may print a log it has read. */
function isJsonThroughout(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text)
}

/** Gemini documents 41 to 52, and exits with the provider's HTTP status, of which the system keeps the last eight bits. */
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

/** Claude Code tells of every window of usage in an event of its own; only a refusal has a reset time that counts. */
function withStatedReset(trouble: AgentTrouble, text: string): AgentTrouble {
  if (trouble.fault !== 'provider-limit' || trouble.retryAt !== undefined) return trouble
  const line = text
    .split('\n')
    .findLast((each) => each.startsWith('{"type":"rate_limit_event"') && each.includes('"status":"rejected"'))
  const resetsAt = /"resetsAt":(\d{10,13})\b/.exec(line ?? '')?.[1]
  return resetsAt === undefined ? trouble : { ...trouble, retryAt: instantFromEpoch(Number(resetsAt)) }
}
