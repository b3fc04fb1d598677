import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CommandTrouble } from '../process/command-trouble.ts'
import { claudeStream } from './streams/claude-stream.ts'
import {
  commandRules,
  environmentNames,
  streamAgent,
  type StreamAgent,
  type StreamAgentKind,
  type StreamAgentOptions,
} from './streams/stream-agent.ts'

/** What Pawl knows of Claude Code (seen: 2.1.197, 2.1.325). */
export const claude: StreamAgentKind = {
  name: 'claude',
  npmPackage: '@anthropic-ai/claude-code',
  home: ['.claude', '.claude.json'],
  settings: ['settings.json', 'hooks', 'plugins', 'commands', 'agents', 'skills'],
  homeVariables: ['CLAUDE_CONFIG_DIR'],
  hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com'],
  environment: environmentNames(
    'ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL ANTHROPIC_MODEL ANTHROPIC_CUSTOM_HEADERS',
    'CLAUDE_CONFIG_DIR CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC CLAUDE_CODE_MAX_RETRIES',
    'CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX CLAUDE_CODE_SKIP_BEDROCK_AUTH CLAUDE_CODE_SKIP_VERTEX_AUTH',
    'ANTHROPIC_BEDROCK_BASE_URL ANTHROPIC_VERTEX_BASE_URL ANTHROPIC_SMALL_FAST_MODEL ANTHROPIC_DEFAULT_*',
  ),
  cloudEnvironment: (env) => [...(isOn('BEDROCK', env) ? AWS : []), ...(isOn('VERTEX', env) ? GOOGLE : [])],
  lacks: async (env) => cloudTrouble(env),
  reader: claudeStream,
  arguments: ({ model, permissionMode, session, costUsdMax, commands }) => [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--permission-mode',
    { read: 'plan', edit: 'acceptEdits', full: 'bypassPermissions' }[permissionMode],
    ...(model === undefined ? [] : ['--model', model]),
    // Its stream shows tokens and no cost: it alone knows when the money is spent.
    ...(costUsdMax === undefined ? [] : ['--max-budget-usd', moneyFor(costUsdMax)]),
    ...(session === undefined ? [] : ['--resume', session]),
    ...commandRules('Bash', commands).flatMap((rule) => ['--allowedTools', rule]),
  ],
  sessionGone: /No conversation found with session ID/,
}

const AWS = ['AWS_*']
const GOOGLE =
  'GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CLOUD_* CLOUD_ML_REGION ANTHROPIC_VERTEX_* VERTEX_REGION_* GCLOUD_PROJECT CLOUDSDK_*'.split(
    ' ',
  )

type Variables = Readonly<Record<string, string | undefined>>

/** Whether it is set to that cloud: by a variable, or in its own settings. */
function isOn(cloud: 'BEDROCK' | 'VERTEX', env: Variables): boolean {
  const value = settingsEnvironment(env)[`CLAUDE_CODE_USE_${cloud}`] ?? env[`CLAUDE_CODE_USE_${cloud}`] ?? ''
  return !/^(?:0|false|no|off|)$/i.test(value)
}

/** The variables that its own settings in the user's home set. */
function settingsEnvironment({ CLAUDE_CONFIG_DIR: folder, HOME: home = homedir() }: Variables): Variables {
  try {
    const { env } = JSON.parse(readFileSync(join(folder ?? join(home, '.claude'), 'settings.json'), 'utf8')) as { env?: unknown }
    return typeof env === 'object' && env !== null ? (env as Variables) : {}
  } catch {
    // No settings, or none that can be read: Claude Code itself says so.
    return {}
  }
}

/**
 * What a cloud needs and the environment lacks. A machine in Amazon's own cloud may have its log-in from there, so Bedrock counts as
 * without one only elsewhere.
 */
function cloudTrouble(env: Readonly<Record<string, string>>): CommandTrouble | undefined {
  const all: Variables = { ...env, ...settingsEnvironment(env) }
  const hasOne = (names: readonly string[]): boolean => names.some((name) => (all[name] ?? '') !== '')
  const isFiled = ['credentials', 'config'].some((name) => existsSync(join(env['HOME'] ?? homedir(), '.aws', name)))
  if (isOn('BEDROCK', env) && !isFiled && !hasOne(AWS_LOGINS) && !hasMachineLogin(all))
    return {
      fault: 'config',
      message:
        'Claude Code is set to Bedrock, but there is no AWS log-in: no file in ~/.aws, no AWS_PROFILE, no AWS_ACCESS_KEY_ID.',
      fix: 'Log in (aws configure, or aws sso login), or set AWS_PROFILE where you start Pawl; then resume.',
    }
  if (isOn('VERTEX', env) && !hasOne(GOOGLE_PROJECTS))
    return {
      fault: 'config',
      message: 'Claude Code is set to Vertex, but ANTHROPIC_VERTEX_PROJECT_ID is not set.',
      fix: 'Set ANTHROPIC_VERTEX_PROJECT_ID where you start Pawl; then resume.',
    }
  return undefined
}

const AWS_LOGINS = [
  'AWS_ACCESS_KEY_ID AWS_PROFILE AWS_BEARER_TOKEN_BEDROCK AWS_WEB_IDENTITY_TOKEN_FILE AWS_SHARED_CREDENTIALS_FILE AWS_CONFIG_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI AWS_CONTAINER_CREDENTIALS_FULL_URI CLAUDE_CODE_SKIP_BEDROCK_AUTH',
].flatMap((line) => line.split(' '))

const GOOGLE_PROJECTS = 'ANTHROPIC_VERTEX_PROJECT_ID GOOGLE_CLOUD_PROJECT GCLOUD_PROJECT GOOGLE_APPLICATION_CREDENTIALS'.split(
  ' ',
)

/** Whether the machine is one of Amazon's own, whose log-in comes from its network. */
function hasMachineLogin({ AWS_EC2_METADATA_DISABLED: isClosed }: Variables): boolean {
  if (isClosed === 'true') return false
  try {
    return readFileSync('/sys/devices/virtual/dmi/id/sys_vendor', 'utf8').includes('Amazon')
  } catch {
    // Not Linux, or a container that doesn't say.
    return false
  }
}

/** Rounded up, so that the budget is used up when it stops. It counts from the start of this work, also in a resumed session. */
function moneyFor(costUsdMax: number): string {
  return String(Math.max(1, Math.ceil(costUsdMax * 1e6)) / 1e6)
}

/**
 * Anthropic's Claude Code, one unattended session an iteration.
 *
 * @part claude
 */
export function claudeAgent(options: StreamAgentOptions = {}): StreamAgent {
  return streamAgent(claude, options)
}
