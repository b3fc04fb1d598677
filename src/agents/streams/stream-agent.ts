import { installedVersion } from '../write-probe.ts'
import { existsSync } from 'node:fs'
import { readOptions } from '../../schema/read-options.ts'
import { rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { CommandLine } from '../../process/command-options.ts'
import { type CommandTrouble, startTrouble } from '../../process/command-trouble.ts'
import type { EffectContext } from '../../process/effect-context.ts'
import { findProgram, resolveProgram, type CouldNotStart } from '../../process/find-program.ts'
import { type CommandResult, runCommand } from '../../process/run-command.ts'
import type { BoxNeeds } from '../../process/box.ts'
import { makeOwnedFolder } from '../../process/owned-folder.ts'
import { type PermissionMode, type Prices, STREAM_AGENT, type StreamAgentOptions } from '../agent-settings.ts'
import type { Agent, WorkDetails, WorkRequest, WorkResult } from '../agent.ts'
import { programEnvironment, programStart, timeLimit, withRemark } from '../program-start.ts'
import { withSessionsIn } from '../sessions.ts'
import { hasBegun, LiveReading, pricedReader, type StreamReader } from './stream-reading.ts'
import { deniedWork, detailsOf, endingOf, usageGap, withoutSplitSecrets } from './stream-result.ts'

export type { PermissionMode, StreamAgentOptions }

/** What Pawl must know about a coding agent that prints its events as lines of JSON. */
export interface StreamAgentKind {
  readonly name: string
  /** Where to get it: `npm install -g PACKAGE`. */
  readonly npmPackage: string
  /** Names of the variables it gets, besides the harmless few that every program gets. */
  readonly environment: readonly string[]
  /** Names of further variables that it gets, as its own settings and the environment say. */
  readonly cloudEnvironment?: (env: Readonly<Record<string, string | undefined>>) => readonly string[]
  /** What its own settings ask for and `env` lacks, found without running it. */
  readonly lacks?: (env: Readonly<Record<string, string>>) => Promise<LackedVariable | CommandTrouble | undefined>
  readonly variables?: Readonly<Record<string, string>>
  /** Where in the home folder its login, settings and sessions are. */
  readonly home: readonly string[]
  /** Files and folders in the first of these that make it start programs: a box shows them and keeps them as they are. */
  readonly settings: readonly string[]
  /** Variables that name such a folder elsewhere. */
  readonly homeVariables?: readonly string[]
  /** The hosts it talks to if no variable names others. */
  readonly hosts: readonly string[]
  /** Variables that enforce `read`, if arguments can't. They are set for one call, and users can't set them. */
  readonly readVariables?: Readonly<Record<string, string>>
  /** Settings for one call that it needs to work unattended. */
  readonly settingsFile?: SettingsFile
  /** How long it may retry by itself while its provider refuses. Default five minutes. */
  readonly refusedMsMax?: number
  readonly reader: StreamReader
  /** Its arguments; the brief is its standard input. With `session`, it continues that session. */
  readonly arguments: (wish: ArgumentSettings) => readonly string[]
  /** Finds a session's model in the agent's own records, if its events don't report it; `environment` is the agent's. */
  readonly modelOf?: (session: string, environment: Readonly<Record<string, string>>) => Promise<string | undefined>
  /** Its message if the session doesn't exist. */
  readonly sessionGone: RegExp
}

/** A variable that an agent needs by its own settings. */
export interface LackedVariable {
  readonly name: string
  /** What needs it, as the beginning of a sentence: `config.toml takes the key of NAME`. */
  readonly why: string
}

export interface ArgumentSettings {
  readonly model?: string
  readonly permissionMode: PermissionMode
  readonly session?: string
  /** What this work may cost, for agents that can stop there. */
  readonly costUsdMax?: number
  /** Commands that it may run without asking, besides what the permission mode allows. */
  readonly commands?: readonly string[]
  /** How many messages it may take, for agents that can count their turns: a turn is at least one. */
  readonly messagesMax?: number
}

/** An agent that can check before the work whether its program exists. */
export interface StreamAgent extends Agent {
  ready(cwd: string): Promise<CommandTrouble | undefined>
}

/**
 * Runs a coding agent that prints its events, reads them as they come, and turns every ending into a result. The agent's last event wins
 * over its exit code.
 */
export function streamAgent(kind: StreamAgentKind, options: StreamAgentOptions = {}): StreamAgent {
  const settings = settingsOf(kind, options)
  programEnvironment(settings)
  return {
    spec: { name: kind.name, v: 1, settings: { ...options } as JsonObject },
    ...(options.model === undefined ? {} : { model: options.model }),
    tellsUsage: true,
    ready: async (cwd) => {
      const problem = await findProgram(lineOf(settings), cwd, programEnvironment(settings))
      return problem ? missing(problem, settings) : await lacking(settings, options)
    },
    version: async (cwd) => {
      const found = await resolveProgram(settings.program, cwd, programEnvironment(settings)['PATH'])
      return found.status === 'found' ? installedVersion(found.path, kind.npmPackage) : undefined
    },
    needs: needsOf(settings),
    work: (request, context) => work(settings, request, context),
  }
}

/** Its own hosts and folders, and those that variables name. */
function needsOf(settings: Settings): BoxNeeds {
  const { home, homeVariables = [], hosts, settings: names } = settings.kind
  const env = programEnvironment(settings)
  const addresses = Object.entries(env).flatMap(([name, value]) => {
    const url = /_(?:BASE_URL|API_BASE|ENDPOINT)$/.test(name) ? URL.parse(value) : null
    return url ? [url.host] : []
  })
  const own = home.map((path) => join(env['HOME'] ?? homedir(), path))
  const others = homeVariables.flatMap((name) => env[name] ?? [])
  return {
    home: [...own, ...others],
    settings: [...own.slice(0, 1), ...others].flatMap((folder) => names.map((name) => join(folder, name))),
    hosts: [...hosts, ...addresses],
    program: settings.program,
  }
}

interface Settings {
  readonly kind: StreamAgentKind
  readonly program: string
  readonly wish: ArgumentSettings
  readonly isContinued: boolean
  readonly more: readonly string[]
  readonly timeoutMs: number
  readonly environment: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly prices?: Prices
  readonly name: string
}

function settingsOf(kind: StreamAgentKind, options: StreamAgentOptions): Settings {
  const given = readOptions(`${kind.name}Agent`, STREAM_AGENT, options, `agent.${kind.name}`)
  const { program = kind.name, name = kind.name, permissionMode, model, timeoutMs, prices } = given
  const held = permissionMode === 'read' ? (kind.readVariables ?? {}) : {}
  refuseTaken(kind, options, Object.keys(held))
  return {
    kind,
    program,
    wish: { permissionMode, ...(model === undefined ? {} : { model }) },
    isContinued: given.session === 'continue',
    more: given.arguments,
    timeoutMs,
    environment: [
      ...kind.environment,
      ...(kind.cloudEnvironment?.({ ...process.env, ...given.variables }) ?? []),
      ...given.environment,
    ],
    variables: { ...kind.variables, ...given.variables, ...held },
    ...(prices === undefined ? {} : { prices: prices as Prices }),
    name,
  }
}

function refuseTaken(
  kind: StreamAgentKind,
  { environment = [], variables = {} }: StreamAgentOptions,
  taken: readonly string[],
): void {
  const name = taken.find((each) => each in variables || environment.includes(each))
  if (name === undefined) return
  const sentence = `With permissionMode read Pawl itself sets ${name} for ${kind.name}, so that it changes nothing: leave it out, and put the settings into a file of ${kind.name}'s own.`
  throw new PawlError(`agent.${kind.name}.variables`, sentence, { value: name })
}

async function work(settings: Settings, request: WorkRequest, context: EffectContext): Promise<WorkResult> {
  const { sessions } = request
  if (sessions === undefined) return workOnce(settings, request, context)
  return withSessionsIn(sessions, settings.kind.name, programEnvironment(settings), (set) =>
    workOnce({ ...settings, variables: { ...settings.variables, ...set } }, request, context),
  )
}

async function workOnce(settings: Settings, request: WorkRequest, context: EffectContext): Promise<WorkResult> {
  const { lastSession: last } = request
  const session = request.session ?? (settings.isContinued ? last?.id : undefined)
  const startedAt = performance.now()
  const first = await attempt(settings, request, context, session)
  if (session === undefined || first.isSessionGone !== true) return first.result
  // Its log of that session is gone: it starts a new one with the complete brief.
  const remark = `${settings.name} did not know its session ${session} any more, so a new one began.`
  context.progress(remark)
  const { session: _gone, lastSession: _last, ...anew } = request
  const left = request.deadlineMs === undefined ? {} : { deadlineMs: request.deadlineMs - (performance.now() - startedAt) }
  return withRemark((await attempt(settings, { ...anew, ...left }, context, undefined)).result, remark)
}

interface Attempt {
  readonly result: WorkResult
  readonly isSessionGone?: boolean
}

async function attempt(
  settings: Settings,
  request: WorkRequest,
  context: EffectContext,
  session: string | undefined,
): Promise<Attempt> {
  const { kind, name } = settings
  const limit = timeLimit(settings.timeoutMs, request.deadlineMs)
  if (limit.ms <= 0) {
    await context.started()
    return { result: { status: 'timed-out', fault: 'agent', message: `No time was left for ${name} to begin.` } }
  }
  const live = new LiveReading(pricedReader(kind.reader, settings.prices), (line) =>
    context.progress(line.replaceAll(`${request.cwd}/`, '')),
  )
  const ended = await start(settings, request, context, { session, limitMs: limit.ms, live })
  const reading = live.end()
  if (ended.status === 'could-not-start') {
    // Nothing began, so the start isn't in the journal yet; every result but `aborted` needs one.
    await context.started()
    return { result: { status: 'failed', ...missing(ended, settings) } }
  }
  const told = { ...(await detailsOf(reading, request, session)), ...usageGap(reading, ended.status) }
  const details = await withModel(settings, told)
  const output = await withoutSplitSecrets(kind.reader, ended.output)
  if (ended.status === 'aborted') return { result: { status: 'aborted', ...details, output } }
  // An agent that said or did anything had its session: then the message is its own text, or a file that it read.
  const isAtWork = reading.ending?.kind === 'success' || hasBegun(reading)
  const isSessionGone =
    session !== undefined && !isAtWork && ended.status === 'exited' && kind.sessionGone.test(ended.output.text.slice(-TAIL_MAX))
  const remarks = [...live.remarks, ...(ended.survived ? ['Something it started could not be ended and still runs.'] : [])]
  const denied = await deniedWork(reading.denied ?? [], name, settings.wish.permissionMode)
  for (const remark of [...remarks, ...(denied ? [`${denied.message} ${denied.fix}`] : [])]) context.progress(remark)
  const line = lineOf(settings)
  const result = await endingOf({
    ended,
    reading,
    reader: kind.reader,
    line,
    name,
    npmPackage: kind.npmPackage,
    wayIn: wayIn(settings),
    cwd: request.cwd,
    limit,
    remarks,
  })
  return { result: { ...result, ...details, ...(denied ? { denied } : {}), output }, isSessionGone }
}

const TAIL_MAX = 4000

async function withModel({ kind, wish, ...settings }: Settings, details: WorkDetails): Promise<WorkDetails> {
  if (details.model !== undefined || wish.model !== undefined || details.session === undefined) return details
  const model = await kind.modelOf?.(details.session, programEnvironment(settings))
  return model === undefined ? details : { ...details, model }
}

interface Start {
  readonly session: string | undefined
  readonly limitMs: number
  readonly live: LiveReading
}

async function start(
  settings: Settings,
  request: WorkRequest,
  context: EffectContext,
  { session, limitMs, live }: Start,
): Promise<CommandResult> {
  const { costUsdMax, messagesMax, commands = [] } = request
  const wish = {
    ...settings.wish,
    ...(session === undefined ? {} : { session }),
    ...(costUsdMax === undefined ? {} : { costUsdMax }),
    ...(settings.wish.permissionMode === 'edit' ? { commands } : {}),
    ...(messagesMax === undefined ? {} : { messagesMax }),
  }
  const given = programStart(settings, request, context, limitMs)
  const command = [settings.program, ...settings.kind.arguments(wish), ...settings.more]
  const refusal = refusalLimit(context.signal, settings.kind.refusedMsMax ?? REFUSED_MS_MAX)
  const begun = (env: typeof given.env) =>
    runCommand({
      command,
      ...given,
      env,
      signal: refusal.signal,
      stdin: session === undefined ? request.brief : `${GOES_ON}\n\n${request.brief}`,
      onBytes: (bytes) => {
        live.push(bytes)
        if (live.report) context.report?.(live.report)
        refusal.see(live.isRefused)
      },
    })
  try {
    const ended = await withSettingsFile(settings.kind.settingsFile, given.env, request.box?.folder, begun)
    return ended.status === 'aborted' && refusal.isOver() ? { ...ended, status: 'timed-out' } : ended
  } finally {
    refusal.stop()
  }
}

/** Longer than the agents that give up by themselves retry. */
const REFUSED_MS_MAX = 5 * 60_000

/** An agent's memory of files may be out of date: checks, people and restores change them between two turns. */
const GOES_ON = 'This session continues. Files may have changed since your last turn: read them again before you edit them.'

function lineOf({ program, more }: Settings): CommandLine {
  return { command: [program, ...more] }
}

/** What helps if its key is refused: which variables with keys it gets, and how to pass others. */
function wayIn({ kind, environment }: Settings): string {
  const keys = environment.filter((each) => /_(?:KEY|TOKEN)$/.test(each)).join(', ')
  return `Log ${kind.name} in again, or put a valid key into a variable that is passed on to it (${keys}; name any other in \`environment\`)`
}

/** Adds how to install a missing agent. */
function missing(problem: CouldNotStart, settings: Settings): CommandTrouble {
  const trouble = startTrouble(problem, lineOf(settings))
  if (problem.reason !== 'not-found') return trouble
  const { kind, program, name } = settings
  const way =
    program === kind.name ? `Install it: npm install -g ${kind.npmPackage}` : `Correct the \`program\` of ${name} in pawl.yaml`
  return { ...trouble, fix: `${way} (pawl doctor lists the agents that are installed)` }
}

/** A variable that the agent's own settings name and that it doesn't get: without it, its first attempt would fail. */
async function lacking(settings: Settings, { environment = [] }: StreamAgentOptions): Promise<CommandTrouble | undefined> {
  const found = await settings.kind.lacks?.(programEnvironment(settings))
  if (!found || 'fix' in found) return found
  const { name, why } = found
  const isSet = (process.env[name] ?? '') !== ''
  const how = `write under \`agents\` in pawl.yaml: ${settings.name}: { environment: [${[...environment, name].join(', ')}] }, then resume with --agent ${settings.name}.`
  return {
    fault: 'config',
    message: `${why} ${name}, which is ${isSet ? `set here, but isn't passed on to ${settings.name}` : 'not set'}.`,
    fix: isSet ? `W${how.slice(1)}` : `Set ${name} where you start Pawl, and ${how}`,
  }
}

/** Limits how long an agent retries while its provider refuses. */
export interface RefusalLimit {
  /** Aborted with the work, or if the provider has refused for too long. */
  readonly signal: AbortSignal
  /** Call it with the present state: the time starts with the first refusal, and stops when the provider answers again. */
  see(isRefused: boolean): void
  /** Whether the limit was reached. */
  isOver(): boolean
  stop(): void
}

/** An agent may retry by itself for a while; after that Pawl waits, or another agent continues. */
function refusalLimit(given: AbortSignal, msMax: number): RefusalLimit {
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    signal: AbortSignal.any([given, over.signal]),
    see: (isRefused) => {
      if (!isRefused) stop()
      else timer ??= setTimeout(() => over.abort(), msMax)
    },
    isOver: () => over.signal.aborted && !given.aborted,
    stop,
  }
}

/** Settings for one call, in a file that a variable names. */
export interface SettingsFile {
  readonly variable: string
  readonly settings: JsonObject
  /** The machine's own settings file of that kind. */
  readonly machinesOwn: string
}

type Environment = Readonly<Record<string, string>>

/** Calls `use` with the file, which is removed afterwards; without it if the user or the machine has one. */
async function withSettingsFile<Result>(
  file: SettingsFile | undefined,
  env: Environment,
  within: string | undefined,
  use: (env: Environment) => Promise<Result>,
): Promise<Result> {
  if (!file || file.variable in env || existsSync(file.machinesOwn)) return use(env)
  const folder = await makeOwnedFolder(within)
  try {
    const path = join(folder, 'settings.json')
    await writeFile(path, JSON.stringify(file.settings), { mode: 0o600 })
    return await use({ ...env, [file.variable]: path })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Rules that allow single commands, as `Bash(npm test)`. A command that a rule would read as a pattern or cut apart is left out: it would
 * allow more than that.
 */
export function commandRules(tool: string, commands: readonly string[] = []): readonly string[] {
  return [...new Set(commands)].filter((command) => !/[*()\\,\n]/.test(command)).map((command) => `${tool}(${command})`)
}

/** What every agent needs to reach its provider and to find its log-in. */
const NETWORK_AND_FILES = [
  'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR',
  'XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME',
]

/** Names of variables that an agent may see: those of the lines, separated by spaces, and what each needs for network and files. */
export function environmentNames(...lines: readonly string[]): readonly string[] {
  return [...lines, ...NETWORK_AND_FILES].flatMap((line) => line.split(' '))
}
