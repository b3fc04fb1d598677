import { describe, expect, it } from 'vitest'
import { type GapKind, DEFAULT_RESEARCH_RULES as RULES } from './rules.ts'
import type { Finding } from './finding.ts'
import { analyseGaps } from './gap.ts'
import { type Gap, initialResearch, type ResearchProgress } from './progress.ts'
import { chooseStrategy, selectAgents } from './select-agents.ts'
import { wholeResearchSettings } from './settings.ts'

function finding(id: string, confidence: number, more: Partial<Finding> = {}): Finding {
  const citations = [{ file: 'a.ts', line: 1, snippet: 'some words', status: 'exact', agent: 'explore', iteration: 1 } as const]
  return {
    id,
    description: `What ${id} says`,
    confidence,
    confidenceParts: [{ part: 'evidence', value: confidence, why: 'given' }],
    citations,
    sourceAgents: ['explore'],
    sources: [{ agent: 'explore', iteration: 1 }],
    iterationDiscovered: 1,
    iterationConfirmed: 1,
    impact: 'informational',
    category: 'architecture',
    ...more,
  }
}

function relevant(count: number, analysed: number): Partial<ResearchProgress> {
  const files = Array.from({ length: count }, (_, index) => ({ path: `f${index}.ts`, score: 1, reasons: [] }))
  return { estimate: { seq: 1, files, filesTotal: count }, verifiedFiles: files.slice(0, analysed).map(({ path }) => path) }
}

function gapsIn(research: Partial<ResearchProgress>, prompt = 'How does it work?') {
  const found = analyseGaps({ prompt, rules: RULES, research: { ...initialResearch, ...research } })
  return found.map(({ kind, priority, confidenceReason }) =>
    [kind, priority, ...(confidenceReason ? [confidenceReason] : [])].join(' '),
  )
}

const question = { id: 'question-1', text: 'How?', kind: 'architecture', isCritical: true, status: 'not', findings: [] } as const

describe('gap analysis', () => {
  it.each<[rule: string, research: Partial<ResearchProgress>, gaps: readonly string[], prompt?: string]>([
    ['RES-31 coverage below 0.50 is priority 1', relevant(10, 4), ['coverage_gap 1']],
    ['RES-31 coverage from 0.50 to 0.70 is priority 2', relevant(10, 5), ['coverage_gap 2']],
    ['RES-31 coverage of 0.70 is no gap', relevant(10, 7), []],
    [
      'RES-32 a low average makes every low finding a gap with its reason, those on critical findings first',
      {
        findings: [
          finding('a', 0.6),
          finding('b', 0.79, { impact: 'critical' }),
          finding('c', 0.9),
          finding('d', 0.5, { category: 'design pattern' }),
        ],
      },
      [
        'confidence_gap 2 missing_evidence',
        'confidence_gap 3 unclear_pattern',
        'confidence_gap 3 missing_evidence',
        'pattern_uncertainty 3',
      ],
    ],
    [
      'RES-32 with a good average only findings below their own threshold are gaps',
      {
        findings: [finding('a', 0.64), finding('b', 0.7), ...Array.from({ length: 8 }, (_, index) => finding(`x${index}`, 0.95))],
      },
      ['confidence_gap 3 missing_evidence'],
    ],
    [
      'RES-33 an open conflict is a gap of priority 2, and the finding in it is low because of it',
      {
        findings: [finding('a', 0.55), finding('b', 0.9)],
        conflicts: [
          {
            id: 'conflict-001',
            topic: 't',
            sides: [
              { finding: 'a', value: 'x' },
              { finding: 'b', value: 'y' },
            ],
            basis: 'claims',
            iterationRaised: 1,
          },
        ],
      },
      ['conflicting_findings 2', 'confidence_gap 3 conflict'],
    ],
    [
      'RES-34 what an agent says it does not know is missing context of priority 2',
      {
        answers: [
          {
            index: 0,
            agent: 'explore',
            work: '1/explore/0',
            citations: [],
            answer: {
              findings: [],
              files: [],
              questions: [],
              resolutions: [],
              uncertainties: [],
              unknowns: [{ indicator: 'data_flow_not_traced', area: 'token validation' }],
            },
          },
        ],
      },
      ['missing_context 2'],
    ],
    [
      'RES-35 a critical question without an answer is priority 1',
      { questions: [question] },
      ['unanswered_critical_questions 1'],
    ],
    ['RES-35 one that is not critical is no gap', { questions: [{ ...question, isCritical: false }] }, []],
    [
      'RES-36 a pattern with fewer than three examples is a gap of priority 3',
      { findings: [finding('a', 0.95, { category: 'pattern' })] },
      ['pattern_uncertainty 3'],
    ],
    [
      'RES-37 a question about passwords calls for the security specialist',
      {},
      ['security_concern 1'],
      'How are passwords kept?',
    ],
    [
      'RES-37 until it has shown something',
      { findings: [finding('a', 0.95, { sourceAgents: ['security'] })] },
      [],
      'How are passwords kept?',
    ],
    [
      'RES-38 a question about latency calls for the performance specialist',
      {},
      ['performance_concern 3'],
      'Where does the latency come from?',
    ],
    [
      'RES-38 a low critical finding about performance is priority 2',
      {
        findings: [
          finding('a', 0.7, { category: 'performance', impact: 'critical' }),
          ...Array.from({ length: 9 }, (_, index) => finding(`x${index}`, 0.95)),
        ],
      },
      ['performance_concern 2'],
    ],
  ])('%s', (_rule, research, gaps, prompt) => {
    expect(gapsIn(research, prompt)).toEqual(gaps)
  })

  it('RES-39 a kind can be switched off, and its priority set', () => {
    const rules = wholeResearchSettings({
      goal: 'x',
      gaps: { coverage_gap: { priority: 3 }, security_concern: { enabled: false } },
    })
    const research = { ...initialResearch, ...relevant(10, 0) }
    expect(analyseGaps({ prompt: 'password', rules, research }).map(({ kind, priority }) => [kind, priority])).toEqual([
      ['coverage_gap', 3],
    ])
  })
})

let lastSeq = 0

function gap(id: string, kind: GapKind, priority: 1 | 2 | 3, more: Partial<Gap> = {}): Gap {
  const seq = ++lastSeq
  return {
    id,
    topic: id,
    kind,
    priority,
    reason: 'r',
    area: id,
    seq,
    iterationFound: 1,
    attempts: 0,
    failures: 0,
    status: 'open',
    ...more,
  }
}

function select(gaps: readonly Gap[], iterationsRemaining = 3, prompt = 'How does it work?', rules = RULES) {
  const { assignments, deferred } = selectAgents({
    prompt,
    rules,
    research: { ...initialResearch, gaps },
    iterationsRemaining,
  })
  return {
    sent: assignments.map(({ role, model, gaps: covered }) => `${role} ${model} ${covered.join('+')}`),
    deferred: deferred.map(({ gap: id }) => id),
    reasons: deferred.map(({ reason }) => reason),
  }
}

describe('agent selection', () => {
  it.each<[kind: GapKind, more: Partial<Gap>, sent: string]>([
    ['coverage_gap', {}, 'explore fast'],
    ['confidence_gap', { confidenceReason: 'missing_evidence' }, 'citation fast'],
    ['confidence_gap', { confidenceReason: 'unclear_pattern' }, 'pattern fast'],
    ['confidence_gap', { confidenceReason: 'conflict' }, 'verification deep'],
    ['conflicting_findings', {}, 'verification deep'],
    ['missing_context', {}, 'explore fast'],
    ['unanswered_critical_questions', { area: 'Where is it?' }, 'explore fast'],
    ['unanswered_critical_questions', { area: 'Is it possible to add OAuth?' }, 'security deep'],
    ['pattern_uncertainty', {}, 'pattern fast'],
    ['security_concern', {}, 'security deep'],
    ['performance_concern', {}, 'performance deep'],
  ])('RES-53 %s %o', (kind, more, sent) => {
    expect(select([gap('g', kind, 2, more)]).sent).toEqual([`${sent} g`])
  })

  it('RES-54 at most three agents, by priority, then by nearness to the question; the others are deferred', () => {
    const gaps = [
      gap('far', 'conflicting_findings', 2),
      gap('near', 'conflicting_findings', 2, { area: 'the cookie of the session' }),
      gap('coverage', 'coverage_gap', 1),
      gap('security', 'security_concern', 1),
      gap('pattern', 'pattern_uncertainty', 3, { finding: 'finding-001' }),
    ]
    expect(select(gaps, 2, 'What about the session cookie?')).toMatchObject({
      sent: ['explore fast coverage', 'security deep security', 'verification deep near'],
      deferred: ['far', 'pattern'],
    })
  })

  it('RES-55 with one iteration left priority 1 is meant, and what it leaves free is filled downward', () => {
    const gaps = [gap('two', 'conflicting_findings', 2), gap('one', 'coverage_gap', 1), gap('three', 'performance_concern', 3)]
    expect(select(gaps, 1).sent).toEqual(['explore fast one', 'verification deep two', 'performance deep three'])
    const more = [...gaps, gap('other', 'security_concern', 1), gap('third', 'security_concern', 1)]
    expect(select(more, 1)).toMatchObject({
      deferred: ['two', 'three'],
      reasons: ['priority 2 waits while 1 iterations remain', 'priority 3 waits while 1 iterations remain'],
    })
  })

  it('RES-56 one gap, one agent, unless more are allowed; a gap that was tried in vain twice is not actionable', () => {
    const low = Array.from({ length: 7 }, (_, index) =>
      gap(`g${index}`, 'confidence_gap', 3, { finding: `f${index}`, confidenceReason: 'missing_evidence' }),
    )
    expect(select(low).sent).toEqual(['citation fast g0', 'citation fast g1', 'citation fast g2'])
    const shared = select(low, 3, 'How does it work?', { ...RULES, gapsPerAgentMax: 5 })
    expect(shared.sent).toEqual(['citation fast g0+g1+g2+g3+g4', 'citation fast g5+g6'])
    expect(select([gap('g', 'coverage_gap', 1, { attempts: 2 })])).toMatchObject({ sent: [], deferred: [] })
  })
})

function filesOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({ path: `f${index}`, score: 1, reasons: [] }))
}

describe('strategy', () => {
  it.each<[rule: string, prompt: string, count: number, strategy: string, roles: string]>([
    ['RES-57 words choose: narrow', 'Where is the parser?', 40, 'narrow', 'explore citation'],
    [
      'RES-57 words choose: comprehensive',
      'How does login work across the entire app?',
      2,
      'comprehensive',
      'explore citation pattern',
    ],
    ['RES-57 else the number of files: narrow', 'Explain login', 5, 'narrow', 'explore citation'],
    ['RES-57 else the number of files: broad', 'Explain login', 15, 'broad', 'explore citation pattern'],
    ['RES-57 else the number of files: comprehensive', 'Explain login', 16, 'comprehensive', 'explore citation pattern'],
    ['RES-57 keywords bring their specialist first', 'Explain authorization', 16, 'comprehensive', 'explore citation security'],
  ])('%s', (_rule, prompt, count, strategy, roles) => {
    const chosen = chooseStrategy(prompt, filesOf(count), RULES)
    expect([chosen.strategy, chosen.roles.join(' ')]).toEqual([strategy, roles])
  })

  it('RES-58 wrong settings are refused at construction', () => {
    expect(() => wholeResearchSettings({ goal: ' ' })).toThrow(/goal must be a question/)
    expect(() => wholeResearchSettings({ goal: 'x', criteria: { coverage: { threshold: 70 } } })).toThrow(
      /criteria\.coverage\.threshold must be a number from 0 to 1/,
    )
    expect(() => wholeResearchSettings({ goal: 'x', specialists: { coverage_gap: { role: 'nobody' } } })).toThrow(/role "nobody"/)
    expect(() => wholeResearchSettings({ goal: 'x', cohort: ['a/b'] })).toThrow(/cannot be called "a\/b"/)
  })
})
