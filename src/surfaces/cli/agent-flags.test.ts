import { expect, test } from 'vitest'
import { initialState } from '../../core/state.ts'
import { agentSpec, reconfigured } from './run-settings.ts'
import { taskConfig } from './task-config.ts'

const CONFIG = {
  agents: {
    claude: { model: 'opus', timeoutMs: 60_000 },
    mine: { command: ['my-agent'] },
    editor: { acp: { command: ['editor', '--acp'] } },
    local: { baseUrl: 'http://127.0.0.1:1/v1', model: 'small' },
    exported: { module: './m.mjs' },
  },
  checks: [],
} as const

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

test('DRIVE-31 an agent over ACP and a model take what they can', () => {
  const flags = { model: 'large', session: 'continue' }
  expect(agentSpec({ agent: 'editor', ...flags }, CONFIG, []).settings).toMatchObject(flags)
  expect(agentSpec({ agent: 'local', model: 'large', session: 'fresh', permissionMode: 'edit' }, CONFIG, []).settings).toEqual({
    baseUrl: 'http://127.0.0.1:1/v1',
    model: 'large',
    name: 'local',
  })
  expect(agentSpec({ agent: 'local', permissionMode: 'read' }, CONFIG, []).settings).toMatchObject({ tools: 'read' })
})

test.each([
  [{ agent: 'mine', session: 'fresh' }, '--session is not for mine: it is a command of your own'],
  [{ agentCommand: 'my-agent', model: 'large' }, '--model is not for my-agent: it is a command of your own'],
  [{ agent: 'tinker', model: 'large' }, '--model is not for tinker: it comes with Pawl, works without a model'],
  [{ agent: 'editor', permissionMode: 'full' }, '--permission-mode is not for editor: it speaks ACP, where the modes are'],
  [{ agent: 'local', session: 'continue' }, '--session is not for local: a model has no session'],
  [{ agent: 'local', permissionMode: 'full' }, '--permission-mode is not for local: a model has tools of Pawl'],
  [
    { agent: 'exported', model: 'large' },
    '--model is not for exported: which model it is, the file says that exports it: ./m.mjs.',
  ],
])('DRIVE-31 %j is refused with what is right for that agent', (flags, sentence) => {
  expect(() => agentSpec(flags, CONFIG, [])).toThrow(sentence)
})

test.each(['a b', '', ' ', '--help', '-m'])('CLI-398 the model %j is refused by the name of its flag', (model) => {
  const wrong = expect.objectContaining({
    code: 'usage.model',
    message: expect.stringMatching(/^--model takes .* one word, not "/),
  })
  expect(() => agentSpec({ agent: 'claude', model }, CONFIG, [])).toThrow(wrong)
  expect(() => agentSpec({ agent: 'editor', model }, CONFIG, [])).toThrow(wrong)
  expect(agentSpec({ agent: 'claude', model: 'provider/model:free' }, CONFIG, []).settings).toMatchObject({
    model: 'provider/model:free',
  })
})
