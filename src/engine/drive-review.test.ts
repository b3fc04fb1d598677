import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { maxIterations } from '../guards/index.ts'
import { agentReview } from '../checks/agent-review.ts'
import { personReview } from '../checks/person-review.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Agent } from '../agents/agent.ts'
import type { Check, CheckResult } from '../checks/check.ts'
import { createLoop } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'

function agentThat(work: Agent['work']): Agent {
  return {
    spec: { name: 'custom', v: 1, settings: {} },
    work: async (request, context) => (await context.started(), work(request, context)),
  }
}

function checkThat(run: () => CheckResult): Check {
  return { name: 'tests', spec: { name: 'custom', v: 1, settings: { name: 'tests' } }, run: async () => run() }
}

const goal = { goal: 'g', baseline: false }

describe('a reviewer in a run', () => {
  it('RUN-140 that changes files has them saved and put back: what was judged is what stays', async () => {
    const workspace = memoryWorkspace({ a: '0' })
    const reviewer = agentThat(async () => {
      workspace.files.set('a', 'spoilt by the reviewer')
      return { status: 'finished', output: { text: '{"verdict":"approve","summary":"ok"}', bytesCut: 0 } }
    })
    const loop = createLoop({
      loop: taskLoop(goal),
      guards: [maxIterations(2)],
      agent: agentThat(async () => (workspace.files.set('a', 'right'), { status: 'finished' })),
      checks: [checkThat(() => ({ status: 'passed' })), agentReview({ agent: reviewer })],
      workspace,
      store: memoryStore(),
    })
    expect(await loop.run('r')).toMatchObject({ status: 'completed' })
    expect(workspace.files.get('a')).toBe('right')
    const restored = (await loop.events('r')).filter((event) => event.type === 'workspace.restored')
    expect(restored).toMatchObject([{ data: { savedAs: expect.any(String) } }])
  })

  it('RUN-141 is shown the patch since the work began, over all iterations', async () => {
    const workspace = memoryWorkspace({ a: '0' })
    const asked: string[] = []
    const reviewer = agentThat(async ({ brief }) => {
      asked.push(brief)
      const verdict = asked.length === 1 ? 'reject' : 'approve'
      return {
        status: 'finished',
        output: { text: JSON.stringify({ verdict, summary: 'Say b too' }), bytesCut: 0 },
        costUsd: 0.25,
      }
    })
    const loop = createLoop({
      loop: taskLoop(goal),
      guards: [maxIterations(3)],
      agent: agentThat(async ({ iteration }) => {
        workspace.files.set(iteration === 1 ? 'first.txt' : 'second.txt', 'new')
        return { status: 'finished' }
      }),
      checks: [checkThat(() => ({ status: 'passed' })), agentReview({ agent: reviewer })],
      workspace,
      store: memoryStore(),
    })
    expect(await loop.run('r')).toMatchObject({ status: 'completed', iterations: 2, costUsd: 0.5 })
    expect(asked[1]).toContain('first.txt')
    expect(asked[1]).toContain('second.txt')
    expect(asked[1]).toContain('Say b too')
  })

  it('RUN-142 that is a person can answer days later, from another process, and the run continues', async () => {
    const workspace = memoryWorkspace({ a: '0' })
    const loop = createLoop({
      loop: taskLoop(goal),
      guards: [maxIterations(1)],
      agent: agentThat(async () => (workspace.files.set('a', 'right'), { status: 'finished' })),
      checks: [checkThat(() => ({ status: 'passed' })), personReview()],
      workspace,
      store: memoryStore(),
    })
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', message: expect.stringContaining('Waiting for a review') })
    await loop.answer('r', { choice: 'approve' })
    expect(await loop.run('r')).toMatchObject({ status: 'completed' })
  })
})

describe('a brief', () => {
  it('RUN-143 says where the whole output of a failed check can be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-texts-test-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const workspace = memoryWorkspace({ a: '0' })
    const briefs: string[] = []
    const output = { text: `${'noise\n'.repeat(500)}the cause`, bytesCut: 0 }
    const loop = createLoop({
      loop: taskLoop(goal),
      guards: [maxIterations(2)],
      agent: agentThat(async ({ brief, iteration }) => {
        briefs.push(brief)
        workspace.files.set('a', String(iteration))
        return { status: 'finished' }
      }),
      checks: [checkThat(() => ({ status: 'failed', output, failures: [{ id: 'x', message: 'm', kind: 'unknown' }] }))],
      workspace,
      store: memoryStore(),
      textsFolder: folder,
    })
    await loop.run('r')
    const path = /- tests: (.*)$/m.exec(briefs[1] ?? '')?.[1] ?? ''
    expect(await readFile(path, 'utf8')).toBe(output.text)
    expect(briefs[0]).not.toContain('whole output')
  })

  it('RUN-144 comes with what an agent left that could not work: it is the agent’s, not a person’s', async () => {
    const workspace = memoryWorkspace({ a: '0' })
    let tries = 0
    const loop = createLoop({
      loop: taskLoop(goal),
      guards: [maxIterations(2)],
      agent: agentThat(async () => {
        workspace.files.set('left', 'half done')
        if (tries++ === 0) return { status: 'failed', fault: 'environment', message: 'no network' }
        return { status: 'finished' }
      }),
      checks: [checkThat(() => ({ status: 'passed' }))],
      proof: { require: 'unproven' },
      workspace,
      store: memoryStore(),
    })
    expect(await loop.run('r')).toMatchObject({ status: 'escalated' })
    await loop.answer('r', { choice: 'continue' })
    expect(await loop.run('r')).toMatchObject({ status: 'completed' })
    const looks = (await loop.events('r')).filter((event) => event.type === 'workspace.observed')
    const changed = looks.filter((event) => event.type === 'workspace.observed' && event.data.filesChanged > 0)
    expect(changed).toMatchObject([{ by: { role: 'workspace' }, data: { key: '1/left/0' } }])
  })
})

describe('an agent that is not there', () => {
  it('RUN-145 is a problem for a person before any check is run, and is looked for again when they say it is fixed', async () => {
    const workspace = memoryWorkspace({ a: '0' })
    let isInstalled = false
    let checks = 0
    const trouble = { fault: 'config', message: 'helper was not found.', fix: 'Install helper.' } as const
    const agent = agentThat(async () => (workspace.files.set('a', 'right'), { status: 'finished' }))
    const loop = createLoop({
      loop: taskLoop({ goal: 'g' }),
      guards: [maxIterations(1)],
      agent: { ...agent, ready: async () => (isInstalled ? undefined : trouble) },
      checks: [
        checkThat(
          () => (checks++, { status: checks > 1 ? 'passed' : 'failed', failures: [{ id: 'a', message: 'm', kind: 'unknown' }] }),
        ),
      ],
      workspace,
      store: memoryStore(),
    })
    expect(await loop.run('r')).toMatchObject({
      status: 'escalated',
      question: { text: expect.stringContaining('Install helper.') },
    })
    expect(checks).toBe(0)
    isInstalled = true
    await loop.answer('r', { choice: 'continue' })
    expect(await loop.run('r')).toMatchObject({ status: 'completed' })
  })
})
