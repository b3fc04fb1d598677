import type { Readable, Writable } from 'node:stream'
import { select, text } from '@clack/prompts'
import { AGENT_PRESETS, type FoundAgent } from '../../../settings/agent-presets.ts'
import { checkCommandLine } from '../../../settings/command-line.ts'
import type { ConfigChoice } from '../../../settings/config-text.ts'

/** Where the questions are put; default the terminal. */
export interface Streams {
  readonly input?: Readable
  readonly output?: Writable
}

/** Asks only what could not be found out: which of several agents, and the test command if there is none. `undefined`: given up. */
export async function askInit(
  found: ConfigChoice,
  agents: readonly FoundAgent[],
  streams: Streams = {},
): Promise<ConfigChoice | undefined> {
  const agent = agents.length > 1 ? await askAgent(agents, streams) : found.agent
  if (typeof agent === 'symbol') return undefined
  const command = found.checks.length === 0 ? await askCommand(streams) : undefined
  if (typeof command === 'symbol') return undefined
  const checks = command === undefined || command.trim() === '' ? found.checks : [{ name: 'tests', command: command.trim() }]
  return { ...(agent !== undefined && { agent }), checks }
}

async function askAgent(agents: readonly FoundAgent[], streams: Streams): Promise<string | symbol> {
  const options = agents.map(({ name }) => ({ value: name, label: name, hint: AGENT_PRESETS[name]?.title ?? '' }))
  return select({ message: 'Which agent does the work?', options, ...streams })
}

async function askCommand(streams: Streams): Promise<string | symbol> {
  return text({
    message: 'Which command tests the work? Empty: fill it in later.',
    placeholder: 'npm test',
    defaultValue: '',
    validate: problemWith,
    ...streams,
  })
}

function problemWith(value: string | undefined): string | undefined {
  if (value === undefined || value.trim() === '') return undefined
  try {
    checkCommandLine(value)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
