import { builtInFolds } from '../loops/evolve.ts'
import { describe, expect, it } from 'vitest'
import type { AgentAsk } from '../core/agent-ask.ts'
import { memoizedDefinition } from '../core/definition.ts'
import type { Event, EventType } from '../core/event.ts'
import { guardFrom } from '../guards/index.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { researchLoop } from '../loops/research/loop.ts'
import type { Agent, WorkRequest, WorkResult } from '../agents/agent.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Store } from '../stores/store.ts'
import { type Files, memoryCodebase, memoryWorkspace } from '../testing/memory-parts.ts'
import { drive } from './drive.ts'
import { loadState } from './session.ts'
import type { Parts } from './parts.ts'
import { answerRun } from './person-facts.ts'
import { systemClock } from '../process/clock.ts'

const FILES = {
  'src/login.ts': 'import { token } from "./token.ts"\nexport function login(user) {\n  return token(user)\n}',
  'src/token.ts': 'export function token(user) {\n  return sign(user, login.secret)\n}',
}

interface Turn {
  readonly request: WorkRequest
  /** `explore`, `citation` or `pattern`: the three that work at once. */
  readonly role: string
  /** How often this role has worked, this time included. */
  readonly time: number
  readonly files: Files
  readonly context: EffectContext
}

type Work = (turn: Turn) => Promise<WorkResult>

/** Research with three agents at once, in one folder. */
function several(work: Work, more: Partial<Parts> = {}, isInProcess = true) {
  const workspace = memoryWorkspace(FILES)
  const times: Record<string, number> = {}
  const agent: Agent = {
    spec: { name: 'scripted', v: 1, settings: {} },
    ...(isInProcess ? { isInProcess } : {}),
    work: async (request, context) => {
      await context.started(isInProcess ? undefined : { pid: 4242, startedAt: '7', host: 'test' })
      const role = request.role.replace('fast:', '')
      times[role] = (times[role] ?? 0) + 1
      return work({ request, role, time: times[role], files: workspace.files, context })
    },
  }
  const loop = researchLoop({ goal: 'How does login work?', strategy: 'broad', iterationsMax: 1 })
  const store = memoryStore()
  const ended: unknown[] = []
  const parts: Parts = {
    definition: memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) }),
    config: { loop: loop.spec, guards: [], agent: agent.spec, checks: [], workspace: workspace.spec },
    agent,
    checks: [],
    workspace,
    codebase: memoryCodebase(workspace.files),
    store,
    clock: systemClock,
    processes: {
      self: () => ({ pid: 1, startedAt: '1', host: 'test' }),
      end: async (process) => (ended.push(process), 'ended'),
    },
    ...more,
  }
  return { parts, store, workspace, ended, times }
}

const DONE: WorkResult = { status: 'finished', output: { text: '{"findings": []}', bytesCut: 0 } }
const LIMIT: WorkResult = { status: 'failed', fault: 'provider-limit', message: 'used up' }
const NOT_LOGGED_IN: WorkResult = { status: 'failed', fault: 'config', message: 'not logged in' }

/** Until the time is over or the agent has to stop. */
function rest(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()))
  })
}

async function eventsOf<Type extends EventType>(store: Store, type: Type): Promise<readonly Event<Type>[]> {
  return (await store.read('look')).filter((event) => event.type === type) as unknown as readonly Event<Type>[]
}

function askOf(role: string): AgentAsk {
  const options = [
    { id: 'yes', label: 'Allow', kind: 'allow-once' },
    { id: 'no', label: 'No', kind: 'deny-once' },
  ] as const
  return { id: `of ${role}`, kind: 'execute', title: `Let me ${role}`, options }
}

/** Drives, and answers whatever is asked with its first option, a few times at most. */
async function answeredDrive(parts: Parts, store: Store): Promise<readonly string[]> {
  const texts: string[] = []
  for (let round = 0; round < 6; round++) {
    const outcome = await drive(parts, 'look')
    if (outcome.status !== 'escalated' || !outcome.question) break
    const { text, options } = outcome.question
    // The last question is that of the research itself, which found nothing.
    if (options[0]?.consequence.kind !== 'continue' || !/asks|logged in/.test(text)) break
    texts.push(text)
    await answerRun(store, systemClock, 'look', { choice: '1' })
  }
  return texts
}

describe('several agents ask', () => {
  it('ASK-30 each question is asked once, and each agent gets its own answer and its own session, with what that has used', async () => {
    const goneOn: unknown[] = []
    const { parts, store } = several(async ({ role, request, context }) => {
      if (role === 'pattern') return DONE
      const answer = await context.ask?.(askOf(role))
      if (answer) {
        goneOn.push([role, request.session, answer.option, request.lastSession])
        return DONE
      }
      // The second asks while the files of the first are looked at, or after its question is raised.
      if (role === 'citation') await rest(30)
      return {
        status: 'asked',
        ask: askOf(role),
        message: 'It asks.',
        session: `session of ${role}`,
        sessionUsed: { costUsd: 1.5 },
      }
    })
    const workspace = { ...parts.workspace, observe: slowed(parts.workspace.observe.bind(parts.workspace), 60) }
    const texts = await answeredDrive({ ...parts, workspace }, store)
    expect(texts).toEqual([expect.stringContaining('Let me explore'), expect.stringContaining('Let me citation')])
    expect(goneOn.toSorted()).toEqual([
      ['citation', 'session of citation', 'yes', { id: 'session of citation', used: { costUsd: 1.5 } }],
      ['explore', 'session of explore', 'yes', { id: 'session of explore', used: { costUsd: 1.5 } }],
    ])
  })

  it('ASK-31 a problem of one and a question of another are both told to a person, one after the other', async () => {
    const { parts, store, times } = several(async ({ role, time, context }) => {
      if (role === 'pattern') return DONE
      if (role === 'explore') return time === 1 ? NOT_LOGGED_IN : DONE
      if (await context.ask?.(askOf(role))) return DONE
      await rest(30)
      return { status: 'asked', ask: askOf(role), message: 'It asks.' }
    })
    const workspace = { ...parts.workspace, observe: slowed(parts.workspace.observe.bind(parts.workspace), 60) }
    const texts = await answeredDrive({ ...parts, workspace }, store)
    expect(texts).toHaveLength(2)
    expect(texts).toContainEqual(expect.stringContaining('not logged in'))
    expect(texts).toContainEqual(expect.stringContaining('Let me citation'))
    expect(times).toMatchObject({ explore: 2, citation: 2 })
  })
})

function slowed<Given extends readonly unknown[], Result>(act: (...given: Given) => Promise<Result>, ms: number) {
  return async (...given: Given): Promise<Result> => {
    const result = await act(...given)
    await rest(ms)
    return result
  }
}

describe('others are at work when a person is asked', () => {
  it('RUN-300 what an agent wrote before it was ended is put back before the run rests, and is never taken for a person’s', async () => {
    const { parts, store, workspace } = several(async ({ role, time, files, context: { signal } }) => {
      if (role === 'explore') return time === 1 ? (await rest(30), NOT_LOGGED_IN) : DONE
      await rest(time === 1 ? 5000 : 1, signal)
      if (!signal.aborted) return DONE
      files.set('half.txt', 'written while it was being ended')
      return { status: 'aborted' }
    })
    expect((await drive(parts, 'look')).status).toBe('escalated')
    expect([...workspace.files.keys()]).not.toContain('half.txt')
    workspace.files.set('mine.txt', 'written by a person while the question stood')
    await answeredDrive(parts, store)
    const looks = await eventsOf(store, 'workspace.observed')
    const byPerson = looks.filter(({ by }) => by.role === 'person').flatMap(({ data }) => data.files.map(({ path }) => path))
    expect(byPerson).toEqual(['mine.txt'])
    expect([...workspace.files.keys()]).toContain('mine.txt')
  })

  it('RUN-301 what an agent left that came to its end while the question was open is its own, not a person’s', async () => {
    const answered = Promise.withResolvers<{ choice: string }>()
    const person = { ask: async () => answered.promise }
    const { parts, store } = several(
      async ({ role, time, files }) => {
        if (role === 'explore') return time === 1 ? NOT_LOGGED_IN : DONE
        if (role === 'pattern') return DONE
        await rest(100)
        files.set('left.txt', 'an agent should not')
        setTimeout(() => answered.resolve({ choice: '1' }), 100)
        return DONE
      },
      { person },
    )
    const end = new AbortController()
    const driving = drive(parts, 'look', { signal: end.signal, onEvent: ({ type }) => type === 'iteration.ended' && end.abort() })
    await driving
    const looks = await eventsOf(store, 'workspace.observed')
    const seenIn = looks.filter(({ data }) => data.files.some(({ path }) => path === 'left.txt'))
    expect(seenIn.map(({ by }) => by.role)).toEqual(['workspace'])
  })

  it('RUN-302 a runner that dies while a question is open leaves nobody behind: the next one ends them and says so', async () => {
    const never = new Promise<never>(() => undefined)
    let isDead = false
    const person = { ask: async () => (isDead ? { choice: '1' } : never) }
    const { parts, store, ended } = several(
      async ({ role, time }) => {
        if (role === 'explore') return time === 1 ? NOT_LOGGED_IN : DONE
        return isDead ? DONE : never
      },
      { person },
      false,
    )
    void drive(parts, 'look')
    await expect.poll(async () => (await loadState(store, 'look', builtInFolds))?.status).toBe('escalated')
    const open = (await loadState(store, 'look', builtInFolds))?.current.effects.filter(({ status }) => status === 'open')
    expect(open).toHaveLength(2)
    isDead = true
    const copy = await copied(store)
    const end = new AbortController()
    await drive({ ...parts, store: copy }, 'look', {
      signal: end.signal,
      onEvent: ({ type }) => type === 'iteration.ended' && end.abort(),
    })
    expect(ended).toHaveLength(2)
    expect((await eventsOf(copy, 'work.abandoned')).map(({ data }) => data.key)).toEqual(open?.map(({ key }) => key))
    expect(await eventsOf(copy, 'run.paused')).toEqual([])
    expect((await loadState(copy, 'look', builtInFolds))?.current.effects.filter(({ status }) => status === 'open')).toEqual([])
  })
})

/** The journal as another process finds it, once its driver is dead. */
async function copied(store: Store): Promise<Store> {
  const fresh = memoryStore()
  const claimed = await fresh.claim('look', { pid: 9, startedAt: '9', host: 'test' })
  if (claimed.status === 'held') throw new Error('Nobody else is here.')
  const events = (await store.read('look')).map(({ hash: _sealed, ...event }) => event)
  await fresh.append('look', events as never, { claim: claimed.claim, expectedSeq: 0 })
  await fresh.release(claimed.claim)
  return fresh
}

describe('several agents at a limit', () => {
  it('RUN-303 the limit of one is waited out, also when another comes to its end meanwhile', async () => {
    const { parts, store, times } = several(async ({ role }) => {
      if (role === 'explore') return { ...LIMIT, retryAt: Date.now() + 3_600_000 }
      await rest(20)
      return DONE
    })
    const workspace = { ...parts.workspace, observe: slowed(parts.workspace.observe.bind(parts.workspace), 60) }
    const end = new AbortController()
    await drive({ ...parts, workspace }, 'look', {
      signal: end.signal,
      onEvent: ({ type }) => type === 'timer.set' && end.abort(),
    })
    expect(times).toEqual({ explore: 1, citation: 1, pattern: 1 })
    expect(await eventsOf(store, 'timer.set')).toHaveLength(1)
  })

  it('RUN-304 several that meet it together wait once', async () => {
    const { parts, store } = several(async () => LIMIT)
    const end = new AbortController()
    await drive(parts, 'look', { signal: end.signal, onEvent: ({ type }) => type === 'timer.set' && end.abort() })
    expect((await loadState(store, 'look', builtInFolds))?.current.limitWaits).toBe(1)
  })
})

describe('several agents that work within this process', () => {
  it('RUN-305 each start is recorded once', async () => {
    const { parts, store } = several(async () => DONE)
    // What is kept slowly gives one agent time to end before the next has said that it begins.
    let kept = 0
    const slow: Store = { ...store, putText: async (text) => (await rest(kept++ % 3 === 2 ? 30 : 0), store.putText(text)) }
    await drive({ ...parts, store: slow }, 'look')
    const keys = (await eventsOf(store, 'work.started')).map(({ data }) => data.key)
    expect(keys).toHaveLength(new Set(keys).size)
  })
})
