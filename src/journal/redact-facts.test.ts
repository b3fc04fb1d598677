import { expect, test } from 'vitest'
import type { Fact } from '../core/event.ts'
import type { RunConfig } from '../core/run-config.ts'
import { keepSecretsOf } from '../secrets/known-values.ts'
import { redactFact, redactFacts, requireKeptWhole } from './redact-facts.ts'

const VALUE = 'shop-word-1'
const TOKEN = ['ghp', '_', 'q7RwT2ySx9ZbK4mNc8VdJ1fHg5LpA3eUo6Yi'].join('')

const CONFIG: RunConfig = {
  loop: { name: 'task', v: 1, settings: { goal: 'fix it' } },
  guards: [],
  agent: { name: 'command', v: 1, settings: { command: ['agent'] } },
  checks: [{ name: 'command', v: 1, settings: { name: 'tests', command: ['npm', 'test'] } }],
  workspace: { name: 'git', v: 1, settings: { path: '/project' } },
}

function started(config: RunConfig): Fact<'run.started'> {
  return { type: 'run.started', at: 1, by: { role: 'runner' }, data: { config } }
}

const [CHECK] = CONFIG.checks

function withCheck(settings: Readonly<Record<string, string | readonly string[]>>): RunConfig {
  return { ...CONFIG, checks: [{ ...(CHECK as typeof CONFIG.agent), settings: { ...CHECK?.settings, ...settings } }] }
}

function withVariables(variables: Readonly<Record<string, string>>): RunConfig {
  return { ...CONFIG, agent: { ...CONFIG.agent, settings: { command: ['agent'], variables } } }
}

const REFUSED: Readonly<Record<string, RunConfig>> = {
  'checks[0].command': withCheck({ name: `check ${VALUE}`, command: ['check', VALUE] }),
  'checks[0].name': withCheck({ name: `check ${VALUE}` }),
  'checks[0].paths[0]': withCheck({ paths: [`out/${VALUE}/*`] }),
  'agent.command': { ...CONFIG, agent: { ...CONFIG.agent, settings: { command: `agent ${VALUE}`, shell: true } } },
  'workspace.path': { ...CONFIG, workspace: { ...CONFIG.workspace, settings: { path: `/home/${VALUE}` } } },
  'protect[0]': { ...CONFIG, protect: [`${VALUE}/**`] },
  'roles (a name in it)': { ...CONFIG, roles: { [VALUE]: CONFIG.agent } },
}

test.each(Object.entries(REFUSED))(
  'SECRET-36 a run is refused at its start where %s holds the value of a variable',
  async (place, config) => {
    keepSecretsOf({ SHOP_KEY: VALUE })
    const refusal = await redactFact(started(config)).then(undefined, (error: unknown) => error)
    expect(refusal).toMatchObject({
      code: 'run.secret-in-config',
      message: expect.stringContaining(`${place} holds the value of SHOP_KEY`),
    })
    expect(refusal).toMatchObject({ message: expect.stringContaining('env -u SHOP_KEY pawl') })
    expect(String((refusal as Error).message)).not.toContain(VALUE)
    // No store takes it either, from any writer; and if the value becomes a secret later, nobody continues it.
    await expect(redactFacts([started(config)])).rejects.toMatchObject({ code: 'run.secret-in-config' })
    await expect(requireKeptWhole(config)).rejects.toMatchObject({ code: 'run.secret-in-config' })
  },
)

test('SECRET-36 so it is where a command holds what looks like a secret, and in a changed configuration', async () => {
  const config = withCheck({ command: ['curl', '-H', `Authorization: Bearer ${TOKEN}`] })
  const fact: Fact = { type: 'run.reconfigured', at: 1, by: { role: 'runner' }, data: { config, message: 'Changed: checks.' } }
  const refusal = await redactFact(fact).then(undefined, (error: unknown) => error)
  expect(refusal).toMatchObject({
    message: expect.stringMatching(/checks\[0\]\.command holds what looks like a secret \(\w+\)/),
  })
  expect(String((refusal as Error).message)).not.toContain(TOKEN)
})

test('SECRET-36 the goal loses its secrets and is no reason to refuse, and neither is what an imported run was made of', async () => {
  keepSecretsOf({ SHOP_KEY: VALUE })
  const goal = { ...CONFIG, loop: { ...CONFIG.loop, settings: { goal: `use ${VALUE}` } } }
  expect((await redactFact(started(goal))).data.config.loop.settings['goal']).toBe('use [redacted: SHOP_KEY]')
  const imported = {
    ...CONFIG,
    loop: { ...CONFIG.loop, name: 'imported' },
    workspace: { ...CONFIG.workspace, settings: { path: `/${VALUE}` } },
  }
  expect((await redactFact(started(imported))).data.config.workspace.settings['path']).toBe('/[redacted: SHOP_KEY]')
})

test('SECRET-36 nobody continues where a secret was taken out of a command or of a variable; the program that has the variable does', async () => {
  const given = withVariables({ SHOP_TOKEN: TOKEN })
  const { config } = (await redactFact(started(given))).data
  expect(JSON.stringify(config)).not.toContain(TOKEN)
  await expect(requireKeptWhole(config)).rejects.toThrow(/agent\.variables\.SHOP_TOKEN holds "\[redacted: \w+\]"/)
  await expect(requireKeptWhole(given)).resolves.toBeUndefined()
  await expect(requireKeptWhole(withCheck({ command: ['check', '[redacted: KEY]'] }))).rejects.toThrow('checks[0].command holds')
})
