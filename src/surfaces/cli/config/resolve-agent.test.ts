import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentFrom } from '../compose.ts'
import { AGENT_PRESETS, agentNames } from './agent-presets.ts'
import { parseConfig } from './parse-config.ts'
import { resolveAgent } from './resolve-agent.ts'
import { tinkerCommand } from './tinker-command.ts'

test('CONFIG-15 every preset is an agent that can be built, without a secret in it', () => {
  expect(agentNames()).toEqual(['claude', 'codex', 'gemini', 'qwen', 'opencode', 'tinker'])
  for (const name of agentNames()) {
    const { ...settings } = resolveAgent(name)
    const agent = agentFrom({ name: 'command', v: 1, settings })
    expect(agent.spec.settings).toMatchObject({ name, briefAs: AGENT_PRESETS[name]?.briefAs })
    for (const variable of settings.environment) expect(variable).toMatch(/^\w+$/)
  }
})

test('CONFIG-15 no preset switches all safety off', () => {
  for (const { arguments: words } of Object.values(AGENT_PRESETS))
    expect(words.join(' ')).not.toMatch(/yolo|dangerous|bypass|full-access|--auto\b/)
})

test('CONFIG-15 a brief given as an argument has its place', () => {
  for (const { arguments: words, briefAs } of Object.values(AGENT_PRESETS))
    expect(words.includes('{brief}')).toBe(briefAs === 'argument')
})

test('CONFIG-16 an own agent goes before a preset of the same name, and its time limit before the common one', () => {
  const config = parseConfig(
    'agent_timeout: 5m\nagents: { claude: { command: fake }, quick: { command: q, timeout: 1m, brief: argument } }',
    'pawl.yaml',
  )
  expect(resolveAgent('claude', config)).toEqual({
    name: 'claude',
    command: ['fake'],
    briefAs: 'stdin',
    environment: [],
    timeoutMs: 300_000,
  })
  expect(resolveAgent('quick', config)).toMatchObject({ command: ['q'], briefAs: 'argument', timeoutMs: 60_000 })
  expect(resolveAgent('codex', config)).toMatchObject({ timeoutMs: 300_000 })
  expect(resolveAgent('codex')).not.toHaveProperty('timeoutMs')
})

test('CONFIG-17 an unknown agent is a usage error with the nearest name and the list', () => {
  const config = parseConfig('agents: { mine: { command: fake } }', 'pawl.yaml')
  expect(() => resolveAgent('cluade', config)).toThrow(
    'There is no agent "cluade"; did you mean "claude"? There are claude, codex, gemini, qwen, opencode, tinker, mine.',
  )
  expect(() => resolveAgent('zebra')).toThrow(
    'There is no agent "zebra"; there are claude, codex, gemini, qwen, opencode, tinker.',
  )
  expect(() => resolveAgent('toString')).toThrow(expect.objectContaining({ code: 'usage.unknown-agent' }))
})

test('CONFIG-18 tinker is run by the Node that runs now', () => {
  const [node, script] = tinkerCommand()
  expect(node).toBe(process.execPath)
  expect(existsSync(script ?? '')).toBe(true)
})
