import { mkdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { runCommand } from '../../src/process/run-command.ts'
import { type ModelServer, modelServer, type ModelServerOptions } from '../../src/testing/model-server/index.ts'
import { temporaryFolder, userGit, writeFiles } from '../support/temporary-repository.ts'
import type { RealAgent } from './agents.ts'
import { type Outside, outside } from './outside.ts'

const SESSION_MS_MAX = 90_000

/** A project, a home and a scripted model for one agent; all of it goes at the end of `await using`. */
export interface AgentStage extends AsyncDisposable {
  readonly home: string
  readonly project: string
  readonly model: ModelServer
  readonly outside: Outside
  /** All that the agent, and a program beside it, gets of an environment. */
  readonly env: Readonly<Record<string, string>>
}

export interface StageOptions {
  readonly files: Readonly<Record<string, string>>
  /** The script, which is given the folder of the project. */
  readonly script: (project: string) => ModelServerOptions['reply']
  /** The program of Pawl that its hooks call. Default: it has no hooks. */
  readonly pawl?: string
}

/** Makes the stage, with the agent's settings in its home. */
export async function agentStage(
  agent: Pick<RealAgent, 'settings' | 'environment'>,
  { files, script, pawl }: StageOptions,
): Promise<AgentStage> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporaryFolder())
  const [home, project] = [join(folder.path, 'home'), join(folder.path, 'project')]
  const temporary = join(folder.path, 'tmp')
  for (const each of [home, temporary]) await mkdir(each)
  await writeFiles(project, files)
  await userGit(project, 'init', '--quiet', '--initial-branch=main')
  await userGit(project, 'add', '--all')
  await userGit(project, 'commit', '--quiet', '--message=first')
  const network = stack.use(await outside())
  const model = stack.use(await modelServer({ reply: script(project) }))
  await writeFiles(home, agent.settings(model.url, pawl))
  const env = {
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    ...Object.fromEntries(['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, network.url])),
    NO_PROXY: '127.0.0.1',
    no_proxy: '127.0.0.1',
    ...agent.environment(model.url),
  }
  const owned = stack.move()
  return { home, project, model, outside: network, env, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

export interface SessionOptions {
  readonly prompt: string
  /** The id of an earlier session to continue. */
  readonly session?: string
}

/** What one session of an agent came to. */
export interface SessionResult {
  readonly exitCode: number
  /** The lines of JSON it printed. */
  readonly events: readonly Record<string, unknown>[]
  readonly output: string
}

/** Runs the agent to its end, and fails with what it printed when it does not come to one by itself. */
export async function session(agent: RealAgent, stage: AgentStage, options: SessionOptions): Promise<SessionResult> {
  const { exitCode, output } = await runBeside(stage, agent.command(options.prompt, options.session))
  return { exitCode, events: eventsIn(output), output }
}

/** Runs a program in the project, with all that the agent gets and no more. */
export async function runBeside(
  { project, env }: AgentStage,
  command: readonly string[],
): Promise<Pick<SessionResult, 'exitCode' | 'output'>> {
  const result = await runCommand({
    command,
    cwd: project,
    env,
    timeoutMs: SESSION_MS_MAX,
    signal: new AbortController().signal,
    onStarted: async () => undefined,
  })
  const output = 'output' in result ? result.output.text : result.message
  if (result.status !== 'exited')
    throw new Error(`${command[0]} did not come to its end: ${result.status}. It printed:\n${output}`)
  return { exitCode: result.exitCode, output }
}

function eventsIn(output: string): Record<string, unknown>[] {
  return output.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    return [JSON.parse(line) as Record<string, unknown>]
  })
}
