import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { claudeAgent } from '../../src/agents/claude.ts'
import { codexAgent } from '../../src/agents/codex.ts'
import { geminiAgent } from '../../src/agents/gemini.ts'
import { opencodeAgent } from '../../src/agents/opencode.ts'
import { qwenAgent } from '../../src/agents/qwen.ts'
import type { StreamAgent, StreamAgentOptions } from '../../src/agents/streams/stream-agent.ts'
import { codexSettings } from '../support/codex-settings.ts'
import type { ModelApi } from '../../src/testing/model-server/index.ts'

const MODULES = join(import.meta.dirname, 'node_modules')

const CODEX_FLAGS = [
  '--json',
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
  '--dangerously-bypass-hook-trust',
]
// Without a model named it asks a classifier which one to take.
const GEMINI_FLAGS = ['-o', 'stream-json', '--approval-mode', 'yolo', '--skip-trust', '-m', 'gemini-2.5-pro']

/** What a test has to know of a real agent: how it is started, told where its model is, and given a hook. */
export interface RealAgent {
  readonly name: 'codex' | 'gemini'
  readonly api: ModelApi
  /** Why it cannot be here on this platform; absent when it can. */
  readonly missing?: string
  /** Whether it asks again when an answer breaks off in the middle; otherwise it ends with an error. */
  readonly asksAgain: boolean
  /** Whether it says when a used-up plan is filled again. */
  readonly namesReset: boolean
  /** Whether a tool's hook can end its turn; otherwise the model reads the hook's words in place of the result, and continues. */
  readonly isHalted: boolean
  /** With `session`, the one of that id continues. */
  command(prompt: string, session?: string): readonly string[]
  environment(modelUrl: string): Readonly<Record<string, string>>
  /** Files in its home, by path. With `pawl`, that program is asked before a turn ends and after every tool call. */
  settings(modelUrl: string, pawl?: string): Readonly<Record<string, string>>
  /** The id of its session, out of what it printed. */
  sessionIn(events: readonly Record<string, unknown>[]): unknown
}

/** OpenAI's Codex. Hooks that nobody trusted are skipped without a word, hence the flag. */
export const codex: RealAgent = {
  name: 'codex',
  api: 'responses',
  asksAgain: true,
  namesReset: true,
  isHalted: false,
  ...codexMissing(),
  command: (prompt, session) => [
    join(MODULES, '.bin', 'codex'),
    'exec',
    ...(session === undefined ? [] : ['resume', session]),
    ...CODEX_FLAGS,
    prompt,
  ],
  environment: () => ({ SCRIPTED_MODEL_KEY: 'dummy' }),
  settings: (modelUrl, pawl) => ({
    '.codex/config.toml': codexSettings(modelUrl),
    ...(pawl !== undefined && {
      '.codex/hooks.json': JSON.stringify({
        hooks: hooksOf(['Stop', 'PostToolUse'], { command: `${pawl} hook codex`, timeout: 60 }),
      }),
    }),
  }),
  sessionIn: (events) => events.find(({ type }) => type === 'thread.started')?.['thread_id'],
}

/** Google's Gemini CLI. It is plain JavaScript, so it can be installed wherever Node runs. */
export const gemini: RealAgent = {
  name: 'gemini',
  api: 'gemini',
  asksAgain: false,
  namesReset: false,
  isHalted: true,
  command: (prompt, session) => [
    join(MODULES, '.bin', 'gemini'),
    ...(session === undefined ? [] : ['--resume', session]),
    '-p',
    prompt,
    ...GEMINI_FLAGS,
  ],
  environment: (modelUrl) => ({
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  settings: (_modelUrl, pawl) => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      ...(pawl !== undefined && {
        hooks: hooksOf(['AfterAgent', 'AfterTool'], { command: `${pawl} hook gemini`, timeout: 60_000 }),
      }),
    }),
  }),
  sessionIn: (events) => events.find(({ type }) => type === 'init')?.['session_id'],
}

/** What a test has to know of an agent that Pawl drives: no hooks, but the driver and how it learns where its model is. */
export interface DrivenAgent extends Pick<RealAgent, 'missing' | 'environment' | 'settings'> {
  readonly name: 'claude' | 'codex' | 'gemini' | 'qwen' | 'opencode'
  readonly program: string
  readonly make: (options: StreamAgentOptions) => StreamAgent
  /** What its driver is set to here besides. */
  readonly options: StreamAgentOptions
  /** Set when a used-up plan ends it; others try again without end, and their time limit ends them. */
  readonly isEndedByLimit: boolean
  /** A time limit that it keeps when nothing hangs; some take ten seconds to start. */
  readonly enoughMs: number
}

/** Codex and Gemini always; the others if they are installed, in this folder or on the PATH. */
export const drivenAgents: readonly DrivenAgent[] = [
  // Its sandbox needs rights that a container may lack.
  {
    ...codex,
    program: programOf('codex'),
    make: codexAgent,
    options: { permissionMode: 'full' },
    isEndedByLimit: true,
    enoughMs: 20_000,
  },
  {
    ...gemini,
    program: programOf('gemini'),
    make: geminiAgent,
    options: { model: 'gemini-2.5-pro' },
    isEndedByLimit: true,
    enoughMs: 20_000,
  },
  {
    name: 'claude',
    ...whereInstalled('claude'),
    make: claudeAgent,
    options: {},
    isEndedByLimit: true,
    enoughMs: 20_000,
    environment: (modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    settings: () => ({}),
  },
  {
    name: 'qwen',
    ...whereInstalled('qwen'),
    make: qwenAgent,
    options: {},
    isEndedByLimit: true,
    enoughMs: 60_000,
    environment: (modelUrl) => ({ OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: 'scripted' }),
    settings: () => ({}),
  },
  {
    name: 'opencode',
    ...whereInstalled('opencode'),
    make: opencodeAgent,
    options: {},
    isEndedByLimit: false,
    enoughMs: 60_000,
    environment: () =>
      Object.fromEntries(
        ['MODELS_FETCH', 'AUTOUPDATE', 'DEFAULT_PLUGINS', 'LSP_DOWNLOAD'].map((what) => [`OPENCODE_DISABLE_${what}`, '1']),
      ),
    settings: (modelUrl) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        model: 'scripted/scripted',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Scripted',
            options: { baseURL: `${modelUrl}/v1`, apiKey: 'dummy' },
            models: { scripted: { name: 'Scripted' } },
          },
        },
      }),
    }),
  },
]

function programOf(name: string): string {
  const folders = [join(MODULES, '.bin'), ...(process.env['PATH'] ?? '').split(delimiter)]
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  return found ?? join(MODULES, '.bin', name)
}

function whereInstalled(name: string): Pick<DrivenAgent, 'program' | 'missing'> {
  const program = programOf(name)
  return { program, ...(existsSync(program) ? {} : { missing: `${name} is not installed here.` }) }
}

function hooksOf(events: readonly string[], hook: { readonly command: string; readonly timeout: number }) {
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: 'command', name: 'pawl', ...hook }] }]]))
}

/** Codex brings a program for each platform it knows. */
function codexMissing(): { readonly missing?: string } {
  const platform = `${process.platform}-${process.arch}`
  const file = join(MODULES, '@openai', 'codex', 'package.json')
  if (!existsSync(file)) return {}
  const { optionalDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'))
  return `@openai/codex-${platform}` in optionalDependencies ? {} : { missing: `There is no Codex for ${platform}.` }
}
