import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentName } from '../core/run-config.ts'
import { agentFrom } from '../registry/parts-from.ts'
import { agentNames, driverNames } from './agent-presets.ts'
import { parseConfig } from './parse-config.ts'
import { resolveAgent, tinkerCommand } from './resolve-agent.ts'

test('CONFIG-15 every preset is an agent that can be built, without a secret in it', async () => {
  expect(agentNames()).toEqual(['claude', 'codex', 'gemini', 'qwen', 'opencode', 'tinker'])
  for (const name of agentNames()) {
    const spec = resolveAgent(name)
    expect(agentName((await agentFrom(spec)).spec)).toBe(name)
    expect(spec.settings['variables']).toBe(undefined)
  }
})

test('CONFIG-15 every preset but tinker is run by the driver of its name', () => {
  expect(driverNames()).toEqual(['claude', 'codex', 'gemini', 'qwen', 'opencode'])
  for (const name of driverNames()) expect(resolveAgent(name)).toEqual({ name, v: 1, settings: {} })
})

test('CONFIG-16 an own agent goes before a preset of the same name, and its time limit before the common one', () => {
  const config = parseConfig(
    'agent_timeout: 5m\nagents: { claude: { command: fake }, quick: { command: q, timeout: 1m, brief: argument } }',
    'pawl.yaml',
  )
  expect(resolveAgent('claude', config)).toEqual({
    name: 'command',
    v: 1,
    settings: { name: 'claude', command: ['fake'], briefAs: 'stdin', environment: [], timeoutMs: 300_000 },
  })
  expect(resolveAgent('quick', config).settings).toMatchObject({ command: ['q'], briefAs: 'argument', timeoutMs: 60_000 })
  expect(resolveAgent('codex', config)).toMatchObject({ name: 'codex', settings: { timeoutMs: 300_000 } })
  expect(resolveAgent('codex').settings).not.toHaveProperty('timeoutMs')
})

test('DRIVE-20 a known agent is set under its own name, and another name with the same driver is another agent', async () => {
  const config = parseConfig(
    'agents: { claude: { model: opus, session: continue }, quick: { driver: claude, model: haiku, permission_mode: read, arguments: [--max-turns, "5"] } }',
    'pawl.yaml',
  )
  expect(resolveAgent('claude', config)).toEqual({ name: 'claude', v: 1, settings: { model: 'opus', session: 'continue' } })
  const quick = resolveAgent('quick', config)
  expect(quick).toEqual({
    name: 'claude',
    v: 1,
    settings: { name: 'quick', model: 'haiku', permissionMode: 'read', arguments: ['--max-turns', '5'] },
  })
  expect((await agentFrom(quick)).spec).toEqual(quick)
})

test('DRIVE-20 an entry is a program or a known agent, and keys of the other are errors with their place', () => {
  const text =
    'agents:\n  mine: { model: big }\n  both: { command: x, session: fresh }\n  claude: { brief: stdin, driver: cluade }\n'
  expect(() => parseConfig(text, 'pawl.yaml')).toThrow(
    [
      'pawl.yaml:2:9: a command is missing, or a driver (claude, codex, gemini, qwen, opencode)',
      'pawl.yaml:3:32: session: with a command of your own it has no meaning: write it into the command',
      'pawl.yaml:4:20: brief: it is for a command of your own',
      'pawl.yaml:4:35: there is no driver "cluade"; did you mean "claude"?',
    ].join('\n'),
  )
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

test.each([
  ['acp', 'my-agent', 'acp'],
  ['ai-sdk', 'my-model', 'ai-sdk'],
])('CONFIG-214 the kind %s is no agent: what is said holds an entry that is one', (kind, name, driver) => {
  const message = messageOf(() => resolveAgent(kind))
  expect(message).toMatch(new RegExp(`^"${kind}" is a kind of agent, and an entry in pawl.yaml`))
  const example = message.slice(message.indexOf('\n') + 1)
  expect(example.split('\n')).toHaveLength(3)
  expect(resolveAgent(name, parseConfig(example, 'pawl.yaml')).name).toBe(driver)
})

function messageOf(act: () => unknown): string {
  try {
    act()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

test('CONFIG-18 tinker is run by the Node that runs now', () => {
  const [node, script] = tinkerCommand()
  expect(node).toBe(process.execPath)
  expect(existsSync(script ?? '')).toBe(true)
})
