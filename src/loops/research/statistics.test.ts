import { describe, expect, it } from 'vitest'
import { DEFAULT_RESEARCH_RULES } from './rules.ts'
import type { Effectiveness } from './settings.ts'
import { found, playResearch } from '../../../test/support/research-play.ts'
import { addedUp, closingRate, selectAgents } from './select-agents.ts'
import { markdownReport } from './report.ts'
import { researchResult, type ResearchResult, researchStatistics } from './result.ts'

const FILES = { 'login.ts': 'const a = login()', 'token.ts': 'const b = token()', 'other.ts': 'const c = other()' }

/** A run of one iteration that cites one of three files and answers its question, or does not. */
function ended(isAnswered: boolean): ResearchResult {
  const finding = found('Login begins here', ['login.ts:1:const a = login()'], { answers: ['question-1'] })
  const questions = [{ id: 'question-1', status: isAnswered ? 'answered' : 'partly' }] as const
  const { state } = playResearch({
    files: FILES,
    settings: { goal: 'Where in the entire app is the login?', iterationsMax: 1 },
    tell: (role) => (role === 'explore' ? { findings: [finding], questions } : {}),
  })
  return researchResult(state)
}

describe('what research comes to', () => {
  it('RES-76 a partial result is a good one with three criteria of four and the critical questions; the report says so', () => {
    const good = ended(true)
    expect(good.status).toBe('PARTIAL')
    expect(good.partial).toMatchObject({ isGood: true, criteriaMet: 3, criteria: 4 })
    expect(markdownReport(good)).toContain('A good partial result: 3 of 4 criteria hold')
    expect(ended(false).partial).toMatchObject({ isGood: false })
  })

  it('RES-75 runs together give the rate of convergence, what specialists closed, and a threshold that is missed again and again', () => {
    const five = researchStatistics(Array.from({ length: 5 }, () => ended(true)))
    expect(five).toMatchObject({ runs: 5, over: 5, full: 0, convergenceRate: 0 })
    expect(five.proposals).toEqual([
      { kind: 'location', criterion: 'coverage', threshold: 0.7, proposed: 0.3, missed: 5, over: 5 },
    ])
    expect(researchStatistics([ended(true)]).proposals).toEqual([])
    expect(researchStatistics([])).toEqual({ runs: 0, over: 0, full: 0, effectiveness: [], proposals: [] })
  })
})

describe('who is sent where two could be', () => {
  const gap = {
    id: 'gap-001',
    topic: 'question-1',
    kind: 'unanswered_critical_questions',
    priority: 1,
    reason: 'not answered',
    area: 'Is the password encryption strong?',
    seq: 1,
    iterationFound: 1,
    attempts: 0,
    failures: 0,
    status: 'open',
  } as const
  const sent = (effectiveness: readonly Effectiveness[]): string | undefined =>
    selectAgents({
      prompt: gap.area,
      rules: DEFAULT_RESEARCH_RULES,
      research: { gaps: [gap], findings: [] },
      iterationsRemaining: 2,
      effectiveness,
    }).assignments[0]?.role

  it('RES-74 what past runs say orders the choice; a few cases say nothing', () => {
    const failed = (tried: number): Effectiveness => ({ kind: gap.kind, role: 'security', tried, closed: 0 })
    expect(sent([])).toBe('security')
    expect(sent([failed(2)])).toBe('security')
    expect(sent([failed(3)])).toBe('explore')
    const sum = addedUp([[failed(2)], [failed(1), { ...failed(3), closed: 3 }]])
    expect(sum).toEqual([{ kind: gap.kind, role: 'security', tried: 6, closed: 3 }])
    expect(closingRate(sum, gap.kind, 'security')).toBe(0.5)
  })
})
