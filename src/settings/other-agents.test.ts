import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agentFrom } from '../registry/parts-from.ts'
import { loadConfig } from './load-config.ts'
import { parseConfig } from './parse-config.ts'
import { resolveAgent } from './resolve-agent.ts'

const spec = (yaml: string) => resolveAgent('mine', parseConfig(`agents:\n  mine: ${yaml}\n`, 'pawl.yaml'))

test('ACP-31 an agent of pawl.yaml with `acp` is talked to over the protocol', async () => {
  const found = spec(
    '{ acp: "gemini --acp", mode: autoEdit, permissions: { edit: allow, switch_mode: deny }, session: continue, timeout: 10m, environment: [GEMINI_API_KEY] }',
  )
  expect(found).toEqual({
    name: 'acp',
    v: 1,
    settings: {
      name: 'mine',
      command: ['gemini', '--acp'],
      mode: 'autoEdit',
      permissions: { edit: 'allow', switch_mode: 'deny' },
      session: 'continue',
      timeoutMs: 600_000,
      environment: ['GEMINI_API_KEY'],
    },
  })
  expect((await agentFrom(found)).spec).toMatchObject({ name: 'acp', settings: { permissions: { edit: 'allow' } } })
})

test('SDK-13 a model of pawl.yaml is one behind an address, or one that a file beside it exports', async () => {
  const found = spec(
    '{ base_url: "http://127.0.0.1:1/v1", model: m, key: MY_KEY, steps_max: 5, prices: { input: 1, output: 2 } }',
  )
  expect(found).toEqual({
    name: 'ai-sdk',
    v: 1,
    settings: {
      name: 'mine',
      baseUrl: 'http://127.0.0.1:1/v1',
      model: 'm',
      key: 'MY_KEY',
      stepsMax: 5,
      prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 2 },
    },
  })
  expect(await agentFrom(found)).toMatchObject({ model: 'm', isInProcess: true })
  const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'pawl.yaml'), 'agents:\n  mine: { module: ./model.mjs }\n')
  const config = await loadConfig(join(folder, 'pawl.yaml'))
  expect(resolveAgent('mine', config).settings).toMatchObject({ module: join(folder, 'model.mjs') })
})

test.each([
  ['{ acp: "a | b" }', 'needs a shell'],
  ['{ acp: a, brief: stdin }', 'brief: an agent with `acp` does not have it'],
  ['{ acp: a, permissions: perhaps }', 'ask, allow or deny'],
  ['{ acp: a, permissions: { edit: maybe } }', 'ask, allow or deny'],
  ['{ base_url: nowhere, model: m }', 'an address such as'],
  ['{ base_url: "http://x/v1" }', '"model" is missing'],
  ['{ base_url: "http://x/v1", model: m, key: sk-123 }', 'Only names of variables'],
  ['{ module: ./m.mjs, model: m }', 'model: a model with `module` does not have it; the file that it names says which'],
  [
    '{ acp: a, permission_mode: edit }',
    "permission_mode: an agent with `acp` does not have it; name one of the agent's own modes",
  ],
  [
    '{ base_url: "http://x/v1", model: m, session: continue }',
    'session: a model with `base_url` does not have it; every piece of work',
  ],
  ['{ command: a, model: m }', 'model: with a command of your own it has no meaning: write it into the command'],
  ['{ command: a, permissions: allow }', 'it is for an agent with acp, module or base_url'],
])('ACP-32 %s is refused with the place', (yaml, message) => {
  expect(() => spec(yaml)).toThrow(new RegExp(`pawl\\.yaml:2:.*${message.replaceAll(/[.`*{}]/g, '\\$&')}`))
})
