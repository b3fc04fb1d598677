import type { WorkResult } from '../agent.ts'

import { redactedStart, redactText } from '../../secrets/filter.ts'
import { cleanText } from '../../process/output.ts'
import type { CommandLine } from '../../process/command-options.ts'
import { lastLines } from '../../process/last-lines.ts'
import type { CommandResult, CouldNotStart } from '../../process/run-command.ts'
import { agentTrouble } from '../agent-trouble.ts'
import { endedAtLimit, type TimeLimit } from '../time-limit.ts'
import type { StreamReader, StreamReading } from './stream-reading.ts'

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
  /** What has to be said besides. */
  readonly remarks: readonly string[]
}

/**
 * Finished is only an agent that says so itself and exits with 0; whether the work is right, the checks say. For everything else: whose
 * fault it was.
 */
export async function endingOf(stream: EndedStream): Promise<Exclude<WorkResult, { status: 'aborted' | 'asked' }>> {
  const { ended, reading, line, cwd, wayIn, remarks } = stream
  const { ending } = reading
  const exit = ended.status === 'exited' ? { exitCode: ended.exitCode } : {}
  const trouble = await agentTrouble({ result: ended, line, cwd, now: Date.now(), wayIn, read: reading })
  if (ended.status === 'exited' && ended.exitCode === 0 && trouble === undefined && ending?.kind === 'success') {
    const summary = joined([await short(reading.message), ...remarks])
    return { status: 'finished', ...exit, ...(summary === '' ? {} : { summary }) }
  }
  const status = ended.status === 'timed-out' ? 'timed-out' : 'failed'
  if (trouble) return { ...trouble, status, ...exit, message: joined([cleanText(trouble.message), ...remarks]) }
  // It did not get as far as its work: its arguments, its set-up, or another program of that name.
  const isSilent = ended.status === 'exited' && reading.events === 0
  const message = joined([await (isSilent ? silence(stream) : description(stream)), ...remarks])
  if (!isSilent) return { status, fault: 'agent', ...exit, message }
  const fix = `Mend what it complains of, or bring it up to date (npm install -g ${stream.npmPackage}); it can also be run as a command of your own (agents: in pawl.yaml). Then resume.`
  return { status, fault: 'config', ...exit, message, fix }
}

async function silence({ name, ended, reader }: EndedStream): Promise<string> {
  const { text } = ended.output
  const said = lastLines(await redactText(wordsBeside(text, reader))) || lastLines(await redactText(text))
  const code = ended.status === 'exited' && ended.exitCode !== 0 ? ` with exit code ${ended.exitCode}` : ''
  return `${name} ended${code} without a single event of the form that Pawl reads.${said === '' ? ' It printed nothing.' : ` It printed:\n${said}`}`
}

async function description({ ended, reading, reader, name, limit }: EndedStream): Promise<string> {
  const { ending } = reading
  const last =
    lastLines(await redactText(cleanText(reading.words))) || lastLines(await redactText(wordsBeside(ended.output.text, reader)))
  const said = last === '' ? ' It said nothing.' : ` It last said:\n${last}`
  if (ended.status === 'timed-out') return `${endedAtLimit(name, limit)}${said}`
  if (ended.status === 'killed') return `${name} crashed with ${ended.signal}.${said}`
  if (ending?.kind === 'error') return `${name} ended with an error: ${await short(ending.message)}`
  if (ended.exitCode === 0) return `${name} ended without saying that it was done.${said}`
  return `${name} exited with code ${ended.exitCode}.${said}`
}

/** What it printed besides its events and says something. */
function wordsBeside(text: string, { noise }: StreamReader): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('{"') && !noise?.test(line))
    .join('\n')
}

const SUMMARY_LENGTH_MAX = 4000

function short(text: string): Promise<string> {
  return redactedStart(cleanText(text).trim(), SUMMARY_LENGTH_MAX)
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n')
}
