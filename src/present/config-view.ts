import { defined } from '../core/defined.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { GuardSpec, OwnIsolations, PartSpec, RunConfig } from '../core/run-config.ts'
import { importedFrom } from '../evidence/transcripts/turn-facts.ts'
import { duration, money, shellWord, shortened, thousands } from '../core/wording.ts'
import { driverNames } from '../settings/agent-presets.ts'

/** A run's parts in short: each one line of words. */
export interface ConfigView extends AgentSettings {
  readonly agent: string
  readonly checks: readonly string[]
  readonly guards: readonly string[]
  readonly workspace: string
  /** What keeps agents and checks away from the rest of the machine. */
  readonly isolation?: string
  /** Globs of files that the agent must not change. */
  readonly protect?: readonly string[]
  /** Who plays a role of the loop: "coder_a: claude". */
  readonly roles?: readonly string[]
  /** Who continues, in this order, when an agent cannot. */
  readonly fallbacks?: readonly string[]
  readonly onLimit?: 'wait' | 'switch'
  /** Who can be put to work when a guard has tripped: "circuitBreaker: codex". */
  readonly experts?: readonly string[]
  /** The agent that puts questions into words. */
  readonly questioner?: string
  /** The only program that can resume the run, where its parts are functions. */
  readonly program?: string
}

/** Says what a run is made of. */
export function configView(config: RunConfig): ConfigView {
  const {
    agent,
    checks,
    guards,
    workspace,
    isolation,
    isolations,
    protect,
    roles,
    fallbacks,
    onLimit,
    experts,
    questioner,
    program,
  } = config
  const { sessionMode, ...settings } = agentSettings(agent)
  return {
    agent: agentWords(agent),
    ...settings,
    // How the iterations of a session that was imported began, nobody chose.
    ...defined({ sessionMode: importedFrom(config) ? undefined : sessionMode }),
    checks: checks.map(checkWords),
    guards: guards.map(guardWords),
    workspace: workspaceWords(workspace),
    ...defined({
      isolation: isolationLine(isolation, isolations),
      protect,
      roles: roles && Object.entries(roles).map(roleWords),
      fallbacks: fallbacks?.map(agentWords),
      onLimit,
      experts: experts && Object.entries(experts).map(([guard, expert]) => `${guard}: ${agentWords(expert)}`),
      questioner: questioner && agentWords(questioner),
      program,
    }),
  }
}

/** An agent that is called like its role is named once. */
function roleWords([role, player]: readonly [string, PartSpec]): string {
  const words = agentWords(player)
  return words === role || words.startsWith(`${role}: `) || words.startsWith(`${role} (`) ? words : `${role}: ${words}`
}

/** A reviewer is named with who it is; a program's own may name nobody. */
function checkWords(spec: PartSpec): string {
  const { review, agent } = spec.settings
  if (review === undefined) return partWords(spec)
  const who = agent === undefined ? 'an agent' : agentWords(agent as unknown as PartSpec)
  return `${partWords(spec)} by ${review === 'agent' ? who : 'a person'}`
}

/** `codex (model gpt-5, permission mode read)`: an agent with what it is set to, if it is. */
function agentWords(spec: PartSpec): string {
  return `${partWords(spec)}${settingsWords(spec)}`
}

/** `tests: npm test`, or the name alone if there is no command. */
function partWords({ name, settings }: PartSpec): string {
  const called = typeof settings['name'] === 'string' ? settings['name'] : name
  const command = commandWords(settings['command'])
  return command === undefined || bare(called) === bare(command) ? called : `${called}: ${command}`
}

/** A check without its own name is called like its command. */
function bare(text: string): string {
  return text.replaceAll(/["'\\\s]/g, '')
}

function commandWords(command: Json | undefined): string | undefined {
  if (typeof command === 'string') return command
  return Array.isArray(command) ? command.map((word) => shownWord(String(word))).join(' ') : undefined
}

/** As it would be typed; a placeholder such as `{brief}` stays as it is. */
function shownWord(word: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(word) ? word : shellWord(word)
}

/** `maxIterations (3 iterations)`; a guard that only warns says so. */
function guardWords({ name, settings, severity, parts = [] }: GuardSpec): string {
  const called = name === 'custom' && typeof settings['name'] === 'string' ? settings['name'] : name
  const inner = parts.length > 0 ? parts.map(guardWords).join(', ') : settingWords(settings)
  const words = inner === '' ? called : `${called}(${inner})`
  return severity === 'warn' ? `${words}, only warns` : words
}

/** Settings that are off, such as a limit of 0, are left out, and so are those that are data for programs: `pawl show --json` has them. */
function settingWords(settings: JsonObject): string {
  return Object.entries(settings)
    .filter(([name, value]) => name !== 'name' && value !== undefined && value !== 0 && !isJsonObject(value))
    .map(([name, value]) => `${name} ${amountWords(name, value as Json)}`)
    .join(', ')
}

/** A number with the unit its name ends in: `costUsdMax` is money, `durationMsMax` a time. */
export function amountWords(name: string, value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return JSON.stringify(value)
  if (/Usd(Max|Min)?$/.test(name)) return money(value)
  if (/Ms(Max|Min)?$/.test(name)) return duration(value)
  return Number.isInteger(value) ? thousands(value) : String(Number(value.toPrecision(4)))
}

function workspaceWords({ name, settings }: PartSpec): string {
  const path = typeof settings['path'] === 'string' ? ` ${settings['path']}` : ''
  return `${name}${path}${settings['worktree'] === true ? ' (a worktree of its own)' : ''}`
}

/** "sandbox (allow example.com); reviewer: container (image node:24); check tests: none". */
function isolationLine(isolation: PartSpec | undefined, { roles = {}, checks = {} }: OwnIsolations = {}): string | undefined {
  const words = (each: PartSpec | 'none'): string => (each === 'none' ? each : isolationWords(each))
  const own = [
    ...Object.entries(roles).map(([role, each]) => `${role}: ${words(each)}`),
    ...Object.entries(checks).map(([name, each]) => `check ${name}: ${words(each)}`),
  ]
  if (own.length === 0) return isolation && isolationWords(isolation)
  return [isolation ? isolationWords(isolation) : 'none', ...own].join('; ')
}

function isolationWords({ name, settings }: PartSpec): string {
  const lists = Object.entries(settings).flatMap(([key, value]) => {
    const words = Array.isArray(value) ? value.join(' ') : value
    return typeof words === 'string' && words !== '' ? [`${key} ${words}`] : []
  })
  return lists.length === 0 ? name : `${name} (${lists.join(', ')})`
}

/** What an agent is set to, as far as that is known. */
export interface AgentSettings {
  readonly model?: string
  readonly permissionMode?: string
  /** Whether an iteration continues in the session of the one before; absent for an agent that has no sessions. */
  readonly sessionMode?: 'fresh' | 'continue'
}

/** Reads the settings of an agent. */
export function agentSettings({ name, settings }: PartSpec): AgentSettings {
  const { model, permissionMode, session } = settings
  const hasSessions = driverNames().includes(name) || name === 'acp'
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof permissionMode === 'string' ? { permissionMode } : {}),
    ...(hasSessions ? { sessionMode: session === 'continue' ? 'continue' : 'fresh' } : {}),
  }
}

/** ` (model gpt-5, permission mode read, session continue)`; nothing if nothing is set, or only what holds anyway. */
export function settingsWords(spec: PartSpec): string {
  const { model, permissionMode, sessionMode } = agentSettings(spec)
  const { mode } = spec.settings
  const words = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(permissionMode === undefined ? [] : [`permission mode ${permissionMode}`]),
    ...(typeof mode === 'string' ? [`mode ${mode}`] : []),
    ...(sessionMode === 'continue' ? ['session continue'] : []),
  ]
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** What people call a part: its name, else its program. */
export function partName({ name, settings }: PartSpec): string {
  if (typeof settings['name'] === 'string') return settings['name']
  return settings['command'] === undefined ? name : programOf(settings['command'])
}

/** `claude` for `/opt/bin/claude -p`, given as one line or word by word. */
function programOf(command: Json): string {
  const [program] = typeof command === 'string' ? command.trim().split(/\s+/) : (command as readonly Json[])
  return String(program ?? '').replace(/^.*\//, '')
}

/** "at most $3.00, 5,000 tokens, 3 min": the limits of a budget that are set; nothing if none is. */
export function budgetWords(guards: readonly GuardSpec[]): readonly string[] {
  const settings = guards.find(({ name }) => name === 'budget')?.settings ?? {}
  const limits = Object.entries(LIMITS).flatMap(([setting, say]) => {
    const max = settings[setting]
    return typeof max === 'number' && max > 0 ? [say(max)] : []
  })
  return limits.length === 0 ? [] : [`at most ${limits.join(', ')}`]
}

const LIMITS: Readonly<Record<string, (max: number) => string>> = {
  costUsdMax: money,
  tokensMax: (max) => `${thousands(max)} tokens`,
  // A limit is mostly a round one.
  durationMsMax: (max) => duration(max).replace(/ 0 (?:s|min)$/, ''),
}

/** What a run is for: its loop's goal, or the beginning of the prompt; nothing if the loop has neither. */
export function goalIn({ settings: { goal, prompt } }: PartSpec): string | undefined {
  if (typeof goal === 'string') return goal
  return typeof prompt === 'string' ? shortened(prompt, PROMPT_LENGTH_MAX) : undefined
}

const PROMPT_LENGTH_MAX = 300
