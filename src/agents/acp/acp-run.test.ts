import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/process-support.ts'
import { COMPILE_CACHE } from '../../../test/support/programs.ts'
import { fileExistence } from '../../checks/file-existence.ts'
import { maxIterations } from '../../guards/index.ts'
import { taskLoop } from '../../loops/task/index.ts'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import { createLoop } from '../../surfaces/library/create-loop.ts'
import { modelServer, sinceUser } from '../../testing/model-server/index.ts'
import { leakedIn, oddKeys } from '../../../test/support/planted-secrets.ts'
import { plantedSecrets } from '../../testing/planted-secrets.ts'
import { folderWorkspace } from '../../workspaces/folder-workspace.ts'
import type { Agent } from '../agent.ts'
import { aiSdkAgent, modelAgent } from '../ai-sdk/ai-sdk-agent.ts'
import { commandAgent } from '../command-agent.ts'
import { acpAgent, type AcpAgentOptions } from './acp-agent.ts'

const FIXTURE = join(import.meta.dirname, '../../../test/fixtures/agents/acp-agent.ts')

/** A project in which the work is done once `marker.txt` is there. */
async function project(agent: (folder: string) => Agent) {
  const folder = temporaryFolder()
  const cwd = join(folder, 'project')
  const kept = join(folder, 'store')
  mkdirSync(cwd)
  mkdirSync(kept)
  writeFileSync(join(cwd, 'a.txt'), 'a\n')
  const store = sqliteStore({ path: join(kept, 'pawl.db') })
  const loop = createLoop({
    loop: taskLoop({ goal: 'There is a marker.' }),
    guards: [maxIterations(1)],
    agent: agent(folder),
    checks: [fileExistence({ name: 'marker', paths: ['marker.txt'] })],
    workspace: folderWorkspace({ path: cwd, store: join(folder, 'snapshots') }),
    store,
  })
  return { loop, cwd, kept, store, folder, [Symbol.asyncDispose]: () => store.close() }
}

const asking =
  (options: Partial<AcpAgentOptions> = {}, variables: Readonly<Record<string, string>> = {}) =>
  (folder: string): Agent =>
    acpAgent({
      command: [process.execPath, FIXTURE],
      name: 'scripted',
      timeoutMs: 60_000,
      variables: { ACP_SCRIPT: 'ask', ACP_SESSIONS: join(folder, 'sessions'), ...COMPILE_CACHE, ...variables },
      ...options,
    } as AcpAgentOptions)

test('ASK-17 a real agent asks, a person answers hours later, and the agent continues in its session with leave', async () => {
  await using stage = await project(asking())
  const { loop, cwd } = stage
  const first = await loop.run('mark')
  expect(first).toMatchObject({ status: 'escalated', message: 'The agent asks: touch marker' })
  expect(existsSync(join(cwd, 'before.txt'))).toBe(true)
  expect(existsSync(join(cwd, 'marker.txt'))).toBe(false)
  await loop.answer('mark', { choice: '1', note: 'go ahead' })
  expect(await loop.run('mark')).toMatchObject({ status: 'completed', iterations: 1 })
  const events = await loop.events('mark')
  const asked = events.find((event) => event.type === 'work.asked')
  const finished = events.find((event) => event.type === 'work.finished')
  expect(asked?.data.session).toMatch(/^session-/)
  // What the turn used that was called off for the question is counted too.
  expect(asked?.data.tokens).toBe(111)
  expect(finished?.data).toMatchObject({
    session: asked?.data.session,
    summary: expect.stringMatching(/I was told: go\. Brief:[\s\S]*- touch marker: Allow once \(go ahead\)/),
  })
  expect(events.find((event) => event.type === 'work.answered')?.data).toMatchObject({ how: 'earlier', option: 'go' })
})

test('ASK-18 the policy of an unattended run answers at once, and its answers are facts', async () => {
  await using stage = await project(asking({ permissions: { execute: 'allow' } }))
  expect(await stage.loop.run('mark')).toMatchObject({ status: 'completed' })
  const events = await stage.loop.events('mark')
  expect(events.find((event) => event.type === 'work.answered')).toMatchObject({
    by: { role: 'runner' },
    data: { how: 'policy', option: 'go', ask: { kind: 'execute', title: 'touch marker' } },
  })
})

test('ACP-26 no secret that an agent prints, asks about or hands to a tool is kept', async () => {
  const planted = plantedSecrets()
  const secretsIn = (folder: string): string => {
    const file = join(folder, 'secrets.txt')
    writeFileSync(file, planted.map(({ text }) => `${text}\n`).join('\n'))
    return file
  }
  for (const permissions of ['allow', 'ask'] as const) {
    await using stage = await project((folder) =>
      asking({ permissions }, { ACP_SCRIPT: 'secrets', ACP_SECRETS: secretsIn(folder) })(folder),
    )
    await stage.loop.run('leaky')
    expect((await stage.loop.events('leaky')).map(({ type }) => type)).toContain(
      permissions === 'ask' ? 'work.asked' : 'work.answered',
    )
    expect(leaks(stage.kept, planted)).toEqual([])
  }
})

test('SDK-12 no secret that a model says, reads or searches for is kept', async () => {
  const planted = plantedSecrets()
  const text = planted.map((each) => each.text).join('\n\n')
  await using server = await modelServer({
    reply: (turn) => {
      const made = sinceUser(turn).flatMap(({ calls }) => calls).length
      if (made === 0) return { say: text, call: { name: 'search_files', input: { text } } }
      if (made === 1) return { call: { name: 'read_file', input: { path: 'keys.txt' } } }
      return { say: text }
    },
  })
  const model = createOpenAICompatible({ name: 's', baseURL: `${server.url}/v1` })('leaky')
  await using stage = await project(() => aiSdkAgent({ model }))
  writeFileSync(join(stage.cwd, 'keys.txt'), text)
  await stage.loop.run('leaky')
  expect((await stage.loop.events('leaky')).map(({ type }) => type)).toContain('work.finished')
  expect(leaks(stage.kept, planted)).toEqual([])
})

test('SECRET-27 no key that Pawl hands to an ACP agent, a program or a model reaches the store or is shown, whatever it looks like', async () => {
  for (const key of oddKeys()) {
    vi.stubEnv('ODD_KEY', key.secret)
    vi.stubEnv('ODD', key.secret)
    await using server = await modelServer({ reply: () => ({ say: `I use ${key.secret}.` }) })
    const agents: Readonly<Record<string, (folder: string) => Agent>> = {
      acp: asking({ permissions: 'allow', environment: ['ODD_KEY'] }, { ACP_SCRIPT: 'secrets' }),
      // The name of this variable says nothing; that it is the key says all.
      model: () => modelAgent({ baseUrl: `${server.url}/v1`, model: 'leaky', key: 'ODD' }),
      program: () =>
        commandAgent({
          command: 'printf "%s\\n" "$ODD_KEY"; echo "$ODD_KEY" >&2; exit 1',
          shell: true,
          environment: ['ODD_KEY'],
        }),
    }
    for (const agent of Object.values(agents)) {
      await using stage = await project(agent)
      const progress: string[] = []
      await stage.loop.run('leaky', { onProgress: ({ line }) => progress.push(line) })
      const types = (await stage.loop.events('leaky')).map(({ type }) => type)
      expect(types.some((type) => type === 'work.finished' || type === 'work.failed')).toBe(true)
      const all = readdirSync(stage.kept).map((name) => readFileSync(join(stage.kept, name), 'latin1'))
      expect(leakedIn([...all, ...progress].join('\n'), [key])).toEqual([])
      expect(all.join('')).toMatch(/\[redacted: ODD(?:_KEY)?\]/)
    }
    vi.unstubAllEnvs()
  }
})

/** The names of the secrets that are in any file of the folder. */
function leaks(folder: string, planted: ReturnType<typeof plantedSecrets>): readonly string[] {
  const all = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  return planted.filter(({ secret }) => all.some((text) => text.includes(secret))).map(({ name }) => name)
}
