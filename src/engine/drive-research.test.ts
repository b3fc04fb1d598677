import { describe, expect, it } from 'vitest'
import { memoizedDefinition } from '../core/definition.ts'
import type { Event, EventType } from '../core/event.ts'
import { builtInFolds, evolve } from '../loops/evolve.ts'
import { budget, guardFrom } from '../guards/index.ts'
import type { AgentAnswer } from '../loops/research/answer.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { markdownReport, researchResult, type ResearchSettings } from '../loops/research/index.ts'
import { researchLoop } from '../loops/research/loop.ts'
import type { Agent, WorkRequest, WorkResult } from '../agents/agent.ts'
import type { SealedEvent } from '../stores/store.ts'
import { type Files, memoryCodebase, memoryWorkspace } from '../testing/memory-parts.ts'
import type { JudgeWord } from '../loops/research/finding.ts'
import { type AskedStatement, asksForJudgements, honestly, judged } from '../../test/support/research-judge.ts'
import { found } from '../../test/support/research-play.ts'
import { drive } from './drive.ts'
import { loadState } from './session.ts'
import type { Parts } from './parts.ts'
import { systemClock } from '../process/clock.ts'

const FILES = {
  'src/login.ts': 'import { token } from "./token.ts"\nexport function login(user) {\n  return token(user)\n}',
  'src/token.ts': 'export function token(user) {\n  return sign(user, login.secret)\n}',
  'README.md': 'Unrelated words.',
}

const WHOLE: Partial<AgentAnswer> = {
  findings: [
    found('Login asks for a token', ['src/login.ts:3:return token(user)'], { answers: ['question-1'], impact: 'critical' }),
    found('The token is signed', ['src/token.ts:2:return sign(user'], { answers: ['question-1'] }),
  ],
  questions: [{ id: 'question-1', status: 'answered' }],
}

const NONE = { name: 'given', v: 1, settings: {} }
const CONFIG = { agent: NONE, checks: [], workspace: NONE }

type Say = (request: WorkRequest, files: Files) => WorkResult | Partial<AgentAnswer> | string | Promise<WorkResult>

interface WhenOptions {
  readonly settings?: Partial<ResearchSettings>
  readonly more?: Partial<Parts>
  /** What the judge says of a statement. Default: what its lines show. */
  readonly judge?: (statement: AskedStatement) => JudgeWord
}

/** Runs research in this process with agents that say this, and a judge. */
async function when(say: Say, { settings = {}, more = {}, judge = honestly }: WhenOptions = {}) {
  const workspace = memoryWorkspace(FILES)
  const codebase = memoryCodebase(workspace.files)
  const asked: WorkRequest[] = []
  const agent: Agent = {
    spec: { name: 'scripted', v: 1, settings: {} },
    isInProcess: true,
    work: async (request, context) => {
      await context.started()
      asked.push(request)
      const said =
        request.role === 'deep:judge' && asksForJudgements(request.brief)
          ? judged(request.brief, judge)
          : await say(request, workspace.files)
      if (typeof said === 'object' && 'status' in said) return said
      const text = typeof said === 'string' ? said : `I looked at it.\n${JSON.stringify({ findings: [], ...said })}\n`
      return { status: 'finished', output: { text, bytesCut: 0 } }
    },
  }
  const loop = researchLoop({ goal: 'How does login work?', strategy: 'broad', ...settings })
  const store = memoryStore()
  const parts: Parts = {
    definition: memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) }),
    config: { loop: loop.spec, guards: [], agent: agent.spec, checks: [], workspace: workspace.spec },
    agent,
    checks: [],
    workspace,
    codebase,
    store,
    clock: systemClock,
    processes: { self: () => ({ pid: 1, startedAt: '1', host: 'test' }), end: async () => 'gone' },
    ...more,
  }
  const outcome = await drive(parts, 'look')
  const events = await store.read('look')
  const state = await loadState(store, 'look', builtInFolds)
  if (!state) throw new Error('There is no state.')
  return { outcome, events, state, asked, codebase, workspace, result: researchResult(state), store, parts }
}

function eventsOf<Type extends EventType>(events: readonly SealedEvent[], type: Type): readonly Event<Type>[] {
  return events.filter((event) => event.type === type) as unknown as readonly Event<Type>[]
}

describe('the runner performs research', () => {
  it('RES-40 three agents work at once, their answers are read, verified and integrated, and it converges', async () => {
    let atWork = 0
    let most = 0
    const { outcome, result, asked } = await when(async ({ role }) => {
      most = Math.max(most, ++atWork)
      await new Promise((resolve) => setTimeout(resolve, 20))
      atWork--
      return { status: 'finished', model: `model of ${role}`, output: { text: JSON.stringify(WHOLE), bytesCut: 0 } }
    })
    expect(outcome).toMatchObject({ status: 'completed' })
    expect(most).toBe(3)
    expect(asked.map(({ role }) => role)).toEqual(['fast:explore', 'fast:citation', 'fast:pattern', 'deep:judge'])
    expect(result).toMatchObject({ status: 'FULL', confidence: 1, coverage: { coverage: 1 }, unmet: [] })
    expect(result.findings[0]?.sourceAgents).toEqual(['explore', 'citation', 'pattern'])
    expect(result.metrics).toMatchObject({ iterations: 1, agents: 3, findings: 2, citations: 6, files: 2 })
  })

  it('RES-70 two roles that one driver and model plays are one source: they confirm each other without a bonus', async () => {
    const { result } = await when(() => WHOLE)
    const [first] = result.findings
    expect(first?.sourceAgents).toEqual(['explore', 'citation', 'pattern'])
    expect(first?.citations.map(({ player }) => player)).toEqual(['scripted', 'scripted', 'scripted'])
    expect(first?.confidenceParts).toMatchObject([{ part: 'evidence', value: 0.9 }])
  })

  it('RES-73 a quoted line with a secret is hidden before it is read: the answer still counts, and the citation is not verified, never refuted', async () => {
    const secret = `ghp_${'16C7e42F292c6912E7710c838347Ae178B4a'}`
    const hidden = found('The token of GitHub is in the code', [`src/token.ts:1:const key = "${secret}"`])
    const { result, events } = await when(({ role }) =>
      role === 'fast:explore'
        ? `Here it is:\n${JSON.stringify({ ...WHOLE, findings: [...(WHOLE.findings ?? []), hidden] }, null, 2)}`
        : {},
    )
    expect(JSON.stringify(events)).not.toContain(secret)
    const finding = result.findings.find(({ description }) => description.includes('GitHub'))
    expect(finding?.citations).toMatchObject([{ status: 'unverified', snippet: expect.stringContaining('[redacted') }])
    expect(eventsOf(events, 'citation.refuted')).toEqual([])
    expect(markdownReport(result)).toContain('**not verified: a secret in it was hidden**')
    expect(result.findings).toHaveLength(3)
  })

  it('RES-41 a bad answer is sent back once with the errors, and the second counts', async () => {
    const { result, asked } = await when(({ brief, role }) => {
      if (role !== 'fast:explore') return {}
      return brief.includes('could not be used') ? WHOLE : '{"findings": [{"description": 7, "impact": "huge", "citations": []}]}'
    })
    const again = asked.filter(({ role }) => role === 'fast:explore')
    expect(again).toHaveLength(2)
    expect(again[1]?.brief).toContain('findings[0].description must be a text, not 7')
    expect(again[1]?.brief).toContain('findings[0].impact must be one of critical, important, informational, not "huge"')
    expect(result.status).toBe('FULL')
  })

  it('RES-42 bad twice is that agent’s failure: the others continue, and the check of convergence says so', async () => {
    const { result, events, asked } = await when(
      ({ role, iteration }) => {
        if (iteration === 1)
          return role === 'fast:explore' ? 'all done' : role === 'fast:citation' ? { ...WHOLE, questions: [] } : {}
        return 'still no JSON'
      },
      {
        settings: {
          criteria: { coverage: { threshold: 1 } },
          iterationsMax: 2,
          goal: 'How does login work, and why is it slow?',
        },
      },
    )
    expect(asked.filter(({ role, iteration }) => role === 'fast:explore' && iteration === 1)).toHaveLength(2)
    expect(eventsOf(events, 'convergence.measured')[0]?.data.agentFailures).toEqual(['explore'])
    expect(result.findings).toHaveLength(2)
    expect(eventsOf(events, 'gap.unresolved')[0]?.data).toMatchObject({ reason: 'unresolved - agent failure' })
    expect(result.gaps.some(({ status }) => status === 'unresolved - agent failure')).toBe(true)
  })

  it('RES-43 an agent that fails or times out is out for the iteration, and the others continue', async () => {
    const { result, events } = await when(({ role }) => {
      if (role === 'fast:explore') return { status: 'timed-out', fault: 'agent', message: 'No answer within 10 min.' }
      return role === 'fast:citation' ? WHOLE : { status: 'failed', fault: 'agent', message: 'It crashed.' }
    })
    expect(result.status).toBe('FULL')
    expect(eventsOf(events, 'convergence.measured')[0]?.data.agentFailures).toEqual(['explore', 'pattern'])
    expect(result.contributions.find(({ agent }) => agent === 'explore')).toMatchObject({ runs: 1, failures: 1, findings: 0 })
  })

  it('RES-44 what agents change is saved, put back and said, and what they wrote themselves proves nothing', async () => {
    const { result, events, workspace, state } = await when(
      ({ role, iteration }, files) => {
        if (role !== 'fast:explore' || iteration > 1) return {}
        files.set('src/proof.ts', 'export const proof = true')
        files.set('src/login.ts', 'gone')
        return { findings: [found('Proof of login exists', ['src/proof.ts:1:export const proof'])] }
      },
      { settings: { iterationsMax: 1 } },
    )
    expect(Object.fromEntries(workspace.files)).toEqual(FILES)
    expect(eventsOf(events, 'workspace.restored')[0]?.data.savedAs).toBeDefined()
    expect(result.timesPutBack).toBe(1)
    expect(result.findings[0]?.citations[0]).toMatchObject({ status: 'refuted', note: 'there is no such file' })
    expect(state.tree).toEqual(state.slices?.research?.clean)
  })
})

describe('limits and people', () => {
  it('RES-64 a budget that is used up stops it with a question, and what was found stays', async () => {
    const guards = [budget({ costUsdMax: 0.01 })]
    const loop = researchLoop({ goal: 'How does login work?', strategy: 'broad' })
    const { outcome, result } = await when(
      () => ({
        status: 'finished',
        costUsd: 1,
        output: { text: JSON.stringify({ findings: [{ ...WHOLE.findings?.[0], answers: [] }] }), bytesCut: 0 },
      }),
      {
        more: {
          definition: memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec, guards) }),
          config: { ...CONFIG, loop: loop.spec, guards: guards.map(({ spec }) => spec) },
        },
      },
    )
    expect(outcome).toMatchObject({
      status: 'stopped',
      question: { options: [{ choice: 'continue' }, { choice: 'accept' }, { choice: 'abort' }] },
    })
    expect(result).toMatchObject({ status: 'PARTIAL', findings: [{ id: 'finding-001' }] })
  })

  it('RES-65 one agent that meets a provider’s limit is waited for, and the others are not asked again', async () => {
    let limits = 0
    const { result, asked } = await when(({ role }) => {
      if (role !== 'fast:pattern') return WHOLE
      if (limits++ > 0) return {}
      return { status: 'failed', fault: 'provider-limit', message: 'Too many requests.', retryAt: Date.now() + 30 }
    })
    expect(result.status).toBe('FULL')
    expect(asked.map(({ role }) => role).toSorted()).toEqual([
      'deep:judge',
      'fast:citation',
      'fast:explore',
      'fast:pattern',
      'fast:pattern',
    ])
  })

  it('RES-66 what a person changes is theirs, and citations of those files are verified again', async () => {
    const { state } = await when(() => WHOLE)
    const by = { role: 'person' } as const
    const files = [{ path: 'src/login.ts', change: 'modified' } as const]
    const data = { key: '1/person/9', tree: 'theirs', snapshot: 'theirs', files, filesChanged: 1, insertions: 1, deletions: 0 }
    const edited = evolve(state, { seq: state.seq + 1, run: state.run, v: 1, at: state.at, type: 'workspace.observed', by, data })
    expect(edited.slices?.research?.clean).toEqual({ tree: 'theirs', snapshot: 'theirs' })
    const statuses = edited.slices?.research?.findings.map(({ citations }) => [...new Set(citations.map(({ status }) => status))])
    expect(statuses).toEqual([['unverified'], ['exact']])
  })
})

describe('hostile output', () => {
  it('RES-45 ten megabytes, broken JSON and cut-off JSON are refused and never end the loop', async () => {
    const noise = 'all done, converged, EXIT FULL\n'.repeat(350_000)
    const { result, outcome } = await when(
      ({ role, iteration, brief }) => {
        if (role === 'fast:explore') return iteration === 1 && !brief.includes('could not be used') ? noise : 'done'
        return role === 'fast:citation' ? '{"findings": [' : '{"decision": "EXIT", "status": "FULL", "findings": "all"}'
      },
      { settings: { iterationsMax: 2 } },
    )
    expect(outcome).toMatchObject({ status: 'stopped' })
    expect(result).toMatchObject({ status: 'PARTIAL', findings: [] })
    expect(result.metrics).toMatchObject({ iterations: 2 })
    expect(result.metrics.agentsFailed).toBe(result.metrics.agents)
  })

  it('RES-46 paths that lead outside are refuted without looking', async () => {
    const outside = ['/etc/passwd', '../secret.ts', 'src/../../secret.ts', 'C:\\secret.ts', '..\\secret.ts', 'src/\0.ts']
    const citations = outside.map((file) => ({ file, line: 1, snippet: 'root' }))
    const { codebase, result } = await when(
      ({ iteration }) => (iteration === 1 ? { findings: [{ ...found('A secret'), citations }] } : {}),
      { settings: { iterationsMax: 1 } },
    )
    expect(codebase.asked).toEqual([])
    expect(new Set(result.findings[0]?.citations.map(({ status }) => status))).toEqual(new Set(['refuted']))
    expect(result.findings[0]?.confidence).toBe(0.3)
  })

  it('RES-47 without a codebase, or with one that breaks, a person is asked', async () => {
    const codebase = {
      ...memoryCodebase(new Map()),
      estimate: () => Promise.reject(new Error('The disk is gone.')),
    }
    const { outcome } = await when(() => WHOLE, { more: { codebase } })
    expect(outcome).toMatchObject({ status: 'escalated' })
    expect(outcome).toHaveProperty('message', expect.stringContaining('The codebase could not be read: The disk is gone.'))
  })
})

/** Whoever is asked for the questions says this. */
function withQuestions(text: string): Say {
  return ({ role }) => (role === 'deep:questions' ? text : WHOLE)
}

const twoLifetimes: Say = ({ role }) => {
  if (role === 'deep:judge')
    return JSON.stringify({ verdicts: [{ pair: 'pair-001', verdict: 'contradiction', reason: 'Two lifetimes.' }] })
  if (role === 'fast:explore') return WHOLE
  return { findings: [lifetime(role === 'fast:citation' ? 30 : 60)] }
}

function ofTokens({ lines }: AskedStatement): JudgeWord {
  return /user|token/.test(lines) ? 'supports' : 'unrelated'
}

function lifetime(minutes: number) {
  return found(`The login token expires after ${minutes} minutes`, ['src/token.ts:2:sign(user'])
}

describe('agents for questions and pairs', () => {
  it('RES-48 an agent reads the questions out of the prompt if configured, and rules do if it cannot', async () => {
    const questions = [{ text: 'Where does the login begin?', kind: 'location', critical: true }]
    const read = await when(withQuestions(JSON.stringify({ questions })), { settings: { questionsBy: 'agent' } })
    expect(read.result.questions).toMatchObject([{ id: 'question-1', kind: 'location', status: 'answered' }])
    const unread = await when(withQuestions('I cannot.'), { settings: { questionsBy: 'agent' } })
    expect(unread.result.questions).toMatchObject([{ text: 'How does login work?', kind: 'architecture' }])
  })

  it('RES-49 a judge decides pairs that similarity nominates; without one they need review and do not count', async () => {
    const without = await when(twoLifetimes, { settings: { iterationsMax: 1 }, judge: ofTokens })
    expect(without.result).toMatchObject({ needsReview: [{ id: 'pair-001' }], conflicts: [] })
    const decided = await when(twoLifetimes, { settings: { iterationsMax: 1, conflicts: { judge: true } }, judge: ofTokens })
    expect(decided.result).toMatchObject({ needsReview: [], conflicts: [{ basis: 'judge', topic: 'Two lifetimes.' }] })
    expect(decided.asked.findLast(({ role }) => role === 'deep:judge')?.brief).toContain('pair-001')
    expect(decided.result.findings.map(({ confidence }) => confidence)).toContain(0.55)
  })

  it('RES-50 roles are played by the agent of their name, else by the one of their model class', async () => {
    const played: string[] = []
    const named = (name: string): Agent => ({
      spec: { name, v: 1, settings: {} },
      work: async ({ role, brief }, context) => {
        await context.started()
        played.push(`${name} plays ${role}`)
        const text = role === 'deep:judge' ? judged(brief, honestly) : JSON.stringify(WHOLE)
        return { status: 'finished', output: { text, bytesCut: 0 } }
      },
    })
    const roles = { fast: named('quick'), citation: named('clerk') }
    const loop = researchLoop({ goal: 'How does login work?', strategy: 'narrow' })
    const workspace = memoryWorkspace(FILES)
    const specs = Object.fromEntries(Object.entries(roles).map(([role, { spec }]) => [role, spec]))
    const agent = named('nobody')
    await drive(
      {
        definition: memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) }),
        config: { loop: loop.spec, guards: [], agent: agent.spec, checks: [], workspace: workspace.spec, roles: specs },
        agent,
        roles,
        checks: [],
        workspace,
        codebase: memoryCodebase(workspace.files),
        store: memoryStore(),
        clock: systemClock,
        processes: { self: () => ({ pid: 1, startedAt: '1', host: 'test' }), end: async () => 'gone' },
      },
      'roles',
    )
    expect(played).toEqual(['quick plays fast:explore', 'clerk plays fast:citation', 'nobody plays deep:judge'])
  })
})
