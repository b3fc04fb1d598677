import { describe, expect, it } from 'vitest'
import type { JudgeWord } from './finding.ts'
import { found, playResearch, type ResearchGame } from '../../../test/support/research-play.ts'

const FILES = {
  'src/login.ts': '// Copyright 2026\nexport function login(user) {\n  return token(user)\n}',
  'src/token.ts': '// Copyright 2026\nexport function token(user) {\n  return sign(user)\n}',
  'src/other.ts': '// Copyright 2026\nexport const other = 1',
}

const RIGHT = [
  found('login asks for a token', ['src/login.ts:3:return token(user)'], { answers: ['question-1'] }),
  found('the token is signed', ['src/token.ts:3:return sign(user)'], { answers: ['question-1'] }),
]
const LIES = Object.keys(FILES).map((file) =>
  found(`Logging in is done by ${file}`, [`${file}:1:// Copyright 2026`], { answers: ['question-1'], impact: 'critical' }),
)
const ANSWERED = [{ id: 'question-1', status: 'answered' as const }]

function when(game: Partial<ResearchGame>) {
  const played = playResearch({
    files: FILES,
    settings: { strategy: 'narrow' },
    tell: (role) => (role === 'explore' ? { findings: RIGHT, questions: ANSWERED } : {}),
    ...game,
  })
  const [question] = played.state.slices?.research?.questions ?? []
  return { ...played, question, last: played.eventsOf('convergence.measured').at(-1)?.data }
}

describe('nobody certifies themselves', () => {
  it('RES-120 an answer over two files that a judge supports ends FULL in the first iteration, after three calls', () => {
    const { last, briefs, question } = when({})
    expect(last).toMatchObject({ status: 'FULL', iteration: 1, coverage: 1, confidence: 0.9 })
    expect(briefs).toHaveLength(3)
    expect(question).toMatchObject({ status: 'answered', findings: ['finding-001', 'finding-002'] })
  })

  it('RES-120 lines that are there and show nothing end PARTIAL: the statements are refuted, and no answer', () => {
    const lines: JudgeWord = 'unrelated'
    const { last, state, question } = when({ tell: () => ({ findings: LIES, questions: ANSWERED }), judge: () => lines })
    expect(last).toMatchObject({ status: 'PARTIAL', coverage: 0, confidence: 0, questionsAnswered: 0 })
    expect(question).toMatchObject({ status: 'not', findings: [], missing: 'lines that show it: those that were cited do not' })
    expect(state.slices?.research?.findings.every(({ confidence }) => confidence === 0.3)).toBe(true)
  })

  it('RES-120 without a judge the answer is claimed, below the threshold, and FULL is impossible', () => {
    const { last, question } = when({ config: { agent: { name: 'lead', v: 1, settings: {} } } })
    expect(last).toMatchObject({ status: 'PARTIAL', confidence: 0.75, questionsAnswered: 0 })
    expect(question).toMatchObject({ status: 'claimed', missing: 'somebody other than its author to judge the answer' })
    const low = when({
      config: { agent: { name: 'lead', v: 1, settings: {} } },
      settings: { criteria: { confidence: { threshold: 0.6 } } },
    })
    expect(low.last?.confidence).toBeLessThan(0.6)
  })

  it('RES-120 guessed places that their own finder calls no answer are none; an agent that found nothing takes nothing back', () => {
    const config = { agent: { name: 'lead', v: 1, settings: {} } }
    const not = [{ id: 'question-1', status: 'not' as const, missing: 'a reader' }]
    const guesses = RIGHT.map((each) => ({ ...each, evidence: 'inferred' as const }))
    const places = when({ config, tell: () => ({ findings: guesses, questions: not }) })
    expect(places.question).toMatchObject({ status: 'not', missing: 'a reader', findings: ['finding-001', 'finding-002'] })
    const other = when({
      config,
      tell: (role) => (role === 'explore' ? { findings: RIGHT, questions: ANSWERED } : { findings: [], questions: not }),
    })
    expect(other.question?.status).toBe('claimed')
  })

  it('RES-121 a judge that supports the decoy is discarded, and everything that it said', () => {
    const { last, question, eventsOf } = when({ judge: () => 'supports', isDecoySupported: true })
    expect(eventsOf('judge.discarded').length).toBeGreaterThan(0)
    expect(eventsOf('finding.judged')).toEqual([])
    expect(question?.status).toBe('claimed')
    expect(last?.status).toBe('PARTIAL')
  })

  it('RES-121 a judge that supports others and says nothing of the decoy is discarded too', () => {
    const { last, question, eventsOf } = when({ judge: () => 'supports', isDecoySkipped: true })
    expect(eventsOf('judge.discarded').length).toBeGreaterThan(0)
    expect([question?.status, last?.status]).toEqual(['claimed', 'PARTIAL'])
    const unsure = when({ judge: () => 'unrelated', isDecoySkipped: true })
    expect(unsure.eventsOf('judge.discarded')).toEqual([])
  })

  it('RES-121 the judge sees question, statement and lines, not who said it, and a right agent beside a liar still ends FULL', () => {
    const { last, briefs, question } = when({
      tell: (role) => ({ findings: role === 'explore' ? RIGHT : LIES, questions: ANSWERED }),
      judge: (statement) => (statement.startsWith('Logging') ? 'unrelated' : 'supports'),
    })
    expect(last).toMatchObject({ status: 'FULL', confidence: 0.9 })
    expect(question?.findings).toEqual(['finding-001', 'finding-002'])
    const brief = briefs.find((each) => each.includes('# The statements')) ?? ''
    expect(brief).toContain('Question: How does the login work?\nStatement: login asks for a token\nLines of src/login.ts:3')
    expect(brief).not.toMatch(/explore|citation|confidence/)
    expect(brief.match(/^## s\d+$/gm)).toHaveLength(6)
  })

  it('RES-124 a judge may ask for other lines once, and then decides', () => {
    const { last, eventsOf, briefs } = when({ judge: () => 'supports', wantsMore: true })
    expect(eventsOf('evidence.read').map(({ data }) => data.key)).toEqual(['1/evidence/0', '1/evidence/1'])
    expect(briefs.filter((brief) => brief.includes('# The statements'))).toHaveLength(2)
    expect(last?.status).toBe('FULL')
  })

  it('RES-126 a finding beside the questions that nobody judged makes the average neither better nor worse', () => {
    const aside = found('There is another thing', [], { evidence: 'inferred' })
    const { last } = when({ tell: (role) => (role === 'explore' ? { findings: [...RIGHT, aside], questions: ANSWERED } : {}) })
    expect(last).toMatchObject({ status: 'FULL', confidence: 0.9 })
  })
})

describe('coverage that suits the question', () => {
  it('RES-125 a question about a place needs the places, one about the whole the relevant files; nothing known is never 100%', () => {
    expect(when({}).last?.coverage).toBe(1)
    const wide = when({ settings: { strategy: 'narrow', goal: 'How does login work across the whole app?' } })
    expect(wide.last).toMatchObject({ status: 'PARTIAL', coverage: 0.6667 })
    const unknown = when({ relevant: [], tell: () => ({ findings: [found('Nothing is known')] }) })
    expect(unknown.last?.coverage).toBe(0)
  })

  it('RES-125 "what uses" is answered only in part while Pawl sees a use that nobody cites', () => {
    const needs = ['src/login.ts', 'src/token.ts', 'src/other.ts'].map(
      (file) => ({ question: 'question-1', kind: 'use', file, line: 3, why: 'uses `token`' }) as const,
    )
    const { question, last } = when({ needs, settings: { strategy: 'narrow', goal: 'What uses the token?' } })
    expect(question).toMatchObject({ status: 'partly', missing: 'src/other.ts:3 uses `token`' })
    expect(last).toMatchObject({ status: 'PARTIAL', coverage: 0.6667 })
  })
})

describe('what specialists may read', () => {
  it('RES-127 the files that a gap is about are never among those not to be read again', () => {
    const { briefs } = when({
      tell: (role, iteration) =>
        iteration === 1 ? { findings: RIGHT, questions: [{ id: 'question-1', status: 'partly', missing: 'the key' }] } : {},
    })
    const sent = briefs.find((brief) => brief.includes('(gap: unanswered_critical_questions)')) ?? ''
    expect(sent).toContain('Needed: the key')
    expect(sent).not.toContain('do NOT analyse them again')
    expect(sent).toMatch(/read them again as you need\n- src\/login\.ts\n- src\/token\.ts/)
  })

  it('RES-128 gaps that were deferred are tried while iterations remain, also if nothing new was found', () => {
    const unknowns = [
      'from the login to the token',
      'from the token to the key',
      'from the key to the store',
      'from the store to the log',
    ].map((area) => ({ indicator: 'data_flow_not_traced', area }) as const)
    const { eventsOf } = when({
      settings: { strategy: 'narrow', iterationsMax: 5 },
      tell: (_role, iteration) => (iteration === 1 ? { findings: [], unknowns } : {}),
    })
    const sent = eventsOf('specialist.assigned').map(({ data }) => data.description)
    expect(unknowns.filter(({ area }) => !sent.some((each) => each.includes(area)))).toEqual([])
  })

  it('RES-129 the modifier of a missing context names both ends of the flow', () => {
    const area = 'from the login to the token'
    const { briefs } = when({
      tell: (_role, iteration) =>
        iteration === 1 ? { findings: [], unknowns: [{ indicator: 'data_flow_not_traced', area }] } : {},
    })
    const sent = briefs.find((brief) => brief.includes('(gap: missing_context)'))
    expect(sent).toContain(
      'Trace how the login integrates with the token. Map the complete flow from the login to the token with file:line references.',
    )
  })
})
