import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Agent, WorkResult } from '../agents/agent.ts'
import { partSpec } from '../core/run-config.ts'
import { leasePorts } from './ports.ts'
import { providerAccount, underProviderLimits } from './provider-limits.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-limits-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const LIMIT: WorkResult = { status: 'failed', fault: 'provider-limit', message: '429' }
const DONE: WorkResult = { status: 'finished' }

/** An agent that works as the function says, and how often it was called. */
function scripted(work: (report: (tokens: number) => void) => Promise<WorkResult> | WorkResult, name = 'claude') {
  const calls: string[] = []
  const agent: Agent = {
    spec: partSpec(name, {}),
    work: async ({ run }, { report }) => {
      calls.push(run)
      return work((tokens) => report?.({ used: { tokens }, messages: 1, actions: [], actionsCut: 0, words: '' }))
    },
  }
  const limited = underProviderLimits(agent, folder)
  const started: string[] = []
  const call = (run: string): Promise<WorkResult> =>
    limited.work(
      { run, iteration: 1, role: 'coder', brief: '', cwd: folder },
      { signal: new AbortController().signal, started: async () => void started.push(run), progress: () => undefined },
    )
  return { calls, started, call }
}

test('LIMIT-30 a limit that one run meets pauses the calls of the others to the same account, and of no other', async () => {
  const until = Date.now() + 60_000
  const claude = scripted(() => ({ ...LIMIT, retryAt: until }) as WorkResult)
  expect(await claude.call('one')).toMatchObject({ message: '429' })
  expect(await claude.call('two')).toMatchObject({
    fault: 'provider-limit',
    isShared: true,
    retryAt: until,
    message: expect.stringContaining('which run one met'),
  })
  expect(claude.calls).toEqual(['one'])
  // The wait is in the journal of the run that waits: its work was started and failed.
  expect(claude.started).toEqual(['two'])
  const codex = scripted(() => DONE, 'codex')
  expect(await codex.call('three')).toBe(DONE)
})

test('LIMIT-31 when a limit should be over, one run tries and the others wait until it has an answer', async () => {
  const limit = scripted(() => ({ ...LIMIT, retryAt: Date.now() - 1 }) as WorkResult)
  await limit.call('one')
  const trying = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const ends = Promise.withResolvers<void>()
  const agent = scripted(async (report) => {
    trying.resolve()
    await answered.promise
    report(10)
    await ends.promise
    return DONE
  })
  const probe = agent.call('two')
  await trying.promise
  expect(await agent.call('three')).toMatchObject({ isShared: true, message: expect.stringContaining('run two tries') })
  answered.resolve()
  // The first tokens are an answer: nobody waits until the work is done.
  const other = scripted(() => DONE)
  await expect.poll(() => other.call('three')).toBe(DONE)
  ends.resolve()
  expect(await probe).toBe(DONE)
})

test('LIMIT-32 a try that meets the limit again pauses everybody again, and one that fails otherwise lets the next one try', async () => {
  const results: WorkResult[] = [
    { ...LIMIT, retryAt: Date.now() - 1 } as WorkResult,
    { status: 'failed', fault: 'environment', message: 'no network' },
    { ...LIMIT, retryAt: Date.now() + 60_000 } as WorkResult,
  ]
  const agent = scripted(() => results.shift() ?? DONE)
  await agent.call('one')
  expect(await agent.call('two')).toMatchObject({ message: 'no network' })
  expect(await agent.call('three')).toMatchObject({ message: '429' })
  expect(await agent.call('four')).toMatchObject({ isShared: true })
  expect(agent.calls).toEqual(['one', 'two', 'three'])
})

test('LIMIT-33 an account is the agent with its keys, addresses and login folders; only a hash is kept', () => {
  const spec = partSpec('claude', {})
  const one = providerAccount(spec, { ANTHROPIC_API_KEY: 'dummy-one', PATH: '/bin' })
  expect(one).not.toContain('dummy-one')
  expect(providerAccount(spec, { ANTHROPIC_API_KEY: 'dummy-one', PATH: '/usr/bin' })).toBe(one)
  expect(providerAccount(spec, { ANTHROPIC_API_KEY: 'dummy-two' })).not.toBe(one)
  expect(providerAccount(partSpec('codex', {}), { ANTHROPIC_API_KEY: 'dummy-one' })).not.toBe(one)
})

test('PAR-2 leased port ranges never overlap, and are free again once released', async () => {
  const leases = await Promise.all(['a', 'b', 'c'].map((run) => leasePorts(run, folder)))
  const firsts = leases.map(({ first }) => first)
  expect(new Set(firsts).size).toBe(3)
  for (const { first, last, variables } of leases) {
    expect(last - first).toBe(19)
    expect(variables).toEqual({ PAWL_PORT_FIRST: String(first), PAWL_PORT_LAST: String(last) })
  }
  for (const { release } of leases) release()
  expect(Math.min(...firsts)).toBe((await leasePorts('d', folder)).first)
})
