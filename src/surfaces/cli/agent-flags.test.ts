import { expect, test } from 'vitest'
import { initialState } from '../../core/state.ts'
import { agentSpec, reconfigured } from './run-settings.ts'
import { taskConfig } from './task-config.ts'

const CONFIG = { agents: { claude: { model: 'opus', timeoutMs: 60_000 }, mine: { command: ['my-agent'] } }, checks: [] } as const

test('DRIVE-31 flags set a known agent and go before pawl.yaml', () => {
  const flags = { agent: 'claude', model: 'haiku', session: 'continue', permissionMode: 'full', timeout: '5m' }
  expect(agentSpec(flags, CONFIG, [])).toEqual({
    name: 'claude',
    v: 1,
    settings: { model: 'haiku', session: 'continue', permissionMode: 'full', timeoutMs: 300_000 },
  })
  expect(agentSpec({ agent: 'claude' }, CONFIG, []).settings).toEqual({ model: 'opus', timeoutMs: 60_000 })
})

test('DRIVE-31 flags change the known agent of a run on resume', () => {
  const given = taskConfig('/project', { agent: 'codex', check: ['true'] }, undefined, { name: 'g', goal: 'g', control: {} })
  const state = initialState('r', 1, 0, given)
  expect(reconfigured(state, { model: 'gpt-6' }, undefined).agent).toEqual({ name: 'codex', v: 1, settings: { model: 'gpt-6' } })
  expect(reconfigured(state, {}, undefined)).toBe(given)
})

test('DRIVE-31 an agent of the user’s own has its settings in its command', () => {
  for (const agent of ['mine', 'tinker'])
    expect(() => agentSpec({ agent, session: 'fresh' }, CONFIG, [])).toThrow(
      '--session is for claude, codex, gemini, qwen, opencode: for an agent of your own, write it into its command.',
    )
})
