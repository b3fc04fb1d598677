import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { claudeAgent } from './claude.ts'
import { codexAgent } from './codex.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pawl-lacks-'))
  vi.stubEnv('HOME', home)
  for (const name of Object.keys(process.env))
    if (/^(?:CODEX|CLAUDE|ANTHROPIC|AWS|GOOGLE|MY)_/.test(name)) vi.stubEnv(name, undefined)
  write('agent', '#!/bin/sh\n')
  chmodSync(join(home, 'agent'), 0o755)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

function write(name: string, text: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true })
  writeFileSync(join(home, name), text)
}

const CODEX = 'model_provider = "mine"\n[model_providers.mine]\nbase_url = "http://127.0.0.1"\nenv_key = "MY_KEY"\n'

test('ENV-6 the key that config.toml of Codex names must be passed on, and the exact line for pawl.yaml is given', async () => {
  const program = join(home, 'agent')
  const ready = (more = {}) => codexAgent({ program, ...more }).ready(home)
  expect(await ready()).toBeUndefined()
  write('.codex/config.toml', CODEX)
  expect(await ready()).toEqual({
    fault: 'config',
    message: "Codex's config.toml takes the key of mine from MY_KEY, which is not set.",
    fix: 'Set MY_KEY where you start Pawl, and write under `agents` in pawl.yaml: codex: { environment: [MY_KEY] }, then resume with --agent codex.',
  })
  vi.stubEnv('MY_KEY', 'dummy')
  expect(await ready({ environment: ['MY_OTHER'] })).toMatchObject({
    message: expect.stringContaining("set here, but isn't passed on to codex"),
    fix: 'Write under `agents` in pawl.yaml: codex: { environment: [MY_OTHER, MY_KEY] }, then resume with --agent codex.',
  })
  expect(await ready({ environment: ['MY_KEY'] })).toBeUndefined()
  write('.codex/config.toml', `profile = "plain"\n${CODEX}[profiles.plain]\nmodel_provider = "openai"\n`)
  expect(await ready()).toBeUndefined()
  write('.codex/config.toml', 'no toml =')
  expect(await ready()).toBeUndefined()
})

test.each([
  ['by a variable', () => vi.stubEnv('CLAUDE_CODE_USE_BEDROCK', '1')],
  ['by its settings', () => write('.claude/settings.json', '{ "env": { "CLAUDE_CODE_USE_BEDROCK": "1" } }')],
])(
  'ENV-7 Claude Code that is set to Bedrock %s gets AWS_*, and a log-in that is missing is found before the work',
  async (_how, set) => {
    const program = join(home, 'agent')
    vi.stubEnv('AWS_REGION', 'eu-central-1')
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
    const seen = async () => {
      write('agent', '#!/bin/sh\nenv\n')
      const agent = claudeAgent({ program })
      const context = { signal: new AbortController().signal, started: async () => undefined, progress: () => undefined }
      const result = await agent.work({ run: 'r', iteration: 1, role: 'coder', brief: 'b', cwd: home }, context)
      return 'output' in result ? (result.output?.text ?? '') : ''
    }
    expect(await claudeAgent({ program }).ready(home)).toBeUndefined()
    expect(await seen()).not.toContain('AWS_REGION')
    set()
    expect(await claudeAgent({ program }).ready(home)).toMatchObject({
      fault: 'config',
      message: expect.stringContaining('no AWS log-in'),
      fix: expect.stringContaining('AWS_PROFILE'),
    })
    vi.stubEnv('AWS_PROFILE', 'work')
    expect(await claudeAgent({ program }).ready(home)).toBeUndefined()
    expect(await seen()).toContain('AWS_REGION=eu-central-1')
  },
)

test('ENV-8 Claude Code that is set to Vertex needs a project', async () => {
  const program = join(home, 'agent')
  vi.stubEnv('CLAUDE_CODE_USE_VERTEX', 'true')
  expect(await claudeAgent({ program }).ready(home)).toMatchObject({
    message: expect.stringContaining('ANTHROPIC_VERTEX_PROJECT_ID'),
  })
  vi.stubEnv('ANTHROPIC_VERTEX_PROJECT_ID', 'p')
  expect(await claudeAgent({ program }).ready(home)).toBeUndefined()
})
