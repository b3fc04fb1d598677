import { posix } from 'node:path'
import type { PrepareStep } from '../core/run-config.ts'
import { shellWord } from '../core/wording.ts'
import { type Box, placeIn } from '../process/box.ts'
import { argumentList, childEnvironment, type CommandLine } from '../process/command-options.ts'
import { type CommandTrouble, endTrouble, startTrouble } from '../process/command-trouble.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { closingLines } from '../process/last-lines.ts'
import type { Captured } from '../process/output.ts'
import { type CommandResult, runCommand } from '../process/run-command.ts'
import { redactedStart } from '../secrets/filter.ts'
import { keepSecretsOf } from '../secrets/known-values.ts'

/** A folder that Pawl made. */
export interface MadeFolder {
  readonly cwd: string
  readonly box?: Box
  /** Whether a path below it is there, as a command in it sees it. */
  has(path: string): Promise<boolean>
  /** Whether the command before began there. Default: it did. */
  hasBegun?(): Promise<boolean>
}

/** `unmounted`: the folder itself was not there. */
export type StepResult =
  | { readonly status: 'done' | 'skipped' | 'aborted' | 'unmounted' }
  | ({ readonly status: 'failed'; readonly output?: Captured } & CommandTrouble)

/** A command of `prepare` as a person would type it. */
export function stepWords({ command }: PrepareStep): string {
  return typeof command === 'string' ? command : command.map(shellWord).join(' ')
}

/** Runs one command of `prepare`, unless what it makes is there. */
export async function runStep(step: PrepareStep, made: MadeFolder, context: EffectContext): Promise<StepResult> {
  const below = step.cwd === undefined ? '' : posix.normalize(step.cwd).replace(/^\.$|\/$/, '')
  if (step.unless !== undefined && (await made.has(posix.join(below, step.unless)))) return { status: 'skipped' }
  const { command, environment = [], timeoutMs = TIMEOUT_MS } = step
  const line: CommandLine = typeof command === 'string' ? { command, shell: true } : { command }
  const place = placeIn(made, below)
  const env = childEnvironment(environment, { CI: 'true', NO_COLOR: '1' })
  keepSecretsOf(env)
  const result = await runCommand({
    command: [...place.prefix, ...argumentList(line)],
    cwd: place.cwd,
    env,
    timeoutMs,
    signal: context.signal,
    onStarted: (identity) => context.started(identity),
    onOutput: (lastLine) => context.progress(lastLine),
  })
  if (result.status === 'aborted') return { status: 'aborted' }
  if (made.hasBegun && !(await made.hasBegun())) return { status: 'unmounted' }
  if (result.status === 'exited' && result.exitCode === 0) return { status: 'done' }
  const trouble = await troubleOf(step, line, result)
  const message = await redactedStart(trouble.message, MESSAGE_LENGTH_MAX)
  return { status: 'failed', ...trouble, message, ...('output' in result ? { output: result.output } : {}) }
}

const TIMEOUT_MS = 10 * 60_000
const MESSAGE_LENGTH_MAX = 350

async function troubleOf(
  step: PrepareStep,
  line: CommandLine,
  result: Exclude<CommandResult, { status: 'aborted' }>,
): Promise<CommandTrouble> {
  if (result.status === 'could-not-start') return startTrouble(result, line)
  const known = endTrouble(result, line)
  if (known) return known
  const how =
    result.status === 'timed-out'
      ? 'took too long'
      : result.status === 'killed'
        ? `was ended by ${result.signal}`
        : `ended with exit code ${result.exitCode}`
  const said = closingLines(result.output.text, 3).join(' ')
  return {
    fault: 'environment',
    message: `\`${stepWords(step)}\` ${how}${said === '' ? '.' : `: ${said}`}`,
    fix: 'Run it yourself to see more, or correct `prepare` in pawl.yaml.',
  }
}
