import { describe, expect, it } from 'vitest'
import { confidenceOf } from './confidence.ts'
import { DEFAULT_RESEARCH_RULES } from './rules.ts'
import type { Citation, FindingSource, JudgeWord } from './finding.ts'

const rule = DEFAULT_RESEARCH_RULES.confidence

function cited(agent: string, status: Citation['status'], snippet = 'return token(user)'): Citation {
  return { file: 'a.ts', line: 1, snippet, status, agent, iteration: 1 }
}

function from(agent: string, more: Partial<FindingSource> = {}): FindingSource {
  return { agent, iteration: 1, ...more }
}

interface Row {
  readonly citations?: readonly Citation[]
  readonly sources?: readonly FindingSource[]
  readonly isInConflict?: boolean
  readonly iteration?: number
  /** What a judge said; default: nobody judged it. */
  readonly verdict?: JudgeWord
}

function weigh({ citations = [], sources = [from('a')], isInConflict = false, iteration = 1, verdict }: Row) {
  const judgements = verdict ? [{ verdict, by: 'agent', reason: 'read', iteration: 1 } as const] : []
  const finding = { citations, sources, iterationConfirmed: 1, ...(judgements.length === 0 ? {} : { judgements }) }
  return confidenceOf(finding, { rule, iteration, isInConflict })
}

const direct = { evidence: 'direct' } as const

describe('confidence', () => {
  it.each<[rule: string, row: Row, confidence: number]>([
    [
      'RES-11 direct evidence that somebody else judged is 0.90',
      { citations: [cited('a', 'exact')], sources: [from('a', direct)], verdict: 'supports' },
      0.9,
    ],
    [
      'RES-120 what nobody but its author has judged is a claim, at most 0.75 however direct',
      { citations: [cited('a', 'exact'), cited('b', 'exact')], sources: [from('a', direct), from('b', direct)] },
      0.75,
    ],
    [
      'RES-120 what a judge says is not in the lines is 0.30',
      { citations: [cited('a', 'exact')], sources: [from('a', direct)], verdict: 'unrelated' },
      0.3,
    ],
    [
      'RES-120 inferred from the lines, and confirmed by a judge, is 0.85',
      { citations: [cited('a', 'exact')], sources: [from('a', { evidence: 'inferred' })], verdict: 'supports' },
      0.85,
    ],
    ['RES-11 supporting evidence is 0.75', { citations: [cited('a', 'exact')] }, 0.75],
    ['RES-11 inference is 0.50', {}, 0.5],
    ['RES-11 a single agent with inferred structure is 0.60', { citations: [cited('a', 'unverified')] }, 0.6],
    ['RES-11 a weak citation is 0.65', { citations: [cited('a', 'exact', '')] }, 0.65],
    [
      'RES-11 what is only inferred from what is there is weak too',
      { citations: [cited('a', 'exact')], sources: [from('a', { evidence: 'inferred' })] },
      0.65,
    ],
    [
      'RES-11 a weak citation rises when a second agent confirms with a strong one, as far as a claim can',
      { citations: [cited('a', 'exact', ''), cited('b', 'exact')], sources: [from('a'), from('b')] },
      0.75,
    ],
    [
      'RES-11 several independent sources add 0.10',
      {
        citations: [cited('a', 'exact'), cited('b', 'exact')],
        sources: [from('a', direct), from('b', direct)],
        verdict: 'supports',
      },
      1,
    ],
    ['RES-11 the same agent twice is one source', { citations: [cited('a', 'exact'), cited('a', 'exact')] }, 0.75],
    ['RES-11 two agents without evidence are no evidence', { sources: [from('a'), from('b')] }, 0.5],
    [
      'RES-11 two agents in conflict are 0.55',
      { citations: [cited('a', 'exact')], sources: [from('a', direct)], isInConflict: true },
      0.55,
    ],
    [
      'RES-12 a drifted citation is evidence',
      { citations: [cited('a', 'drifted')], sources: [from('a', direct)], verdict: 'supports' },
      0.9,
    ],
    [
      'RES-12 refuted citations take away',
      { citations: [cited('a', 'exact'), cited('a', 'refuted')], sources: [from('a', direct)], verdict: 'supports' },
      0.8,
    ],
    ['RES-12 with every citation refuted little is left', { citations: [cited('a', 'refuted'), cited('a', 'refuted')] }, 0.3],
    [
      'RES-13 what an agent claims can lower it',
      { citations: [cited('a', 'exact')], sources: [from('a', { ...direct, stated: 0.7 })] },
      0.7,
    ],
    ['RES-13 what an agent claims can never raise it', { sources: [from('a', { stated: 1 })] }, 0.5],
    ['RES-14 without evidence it grows older', { iteration: 5 }, 0.47],
    ['RES-14 what stands in the code does not', { citations: [cited('a', 'exact')], iteration: 5 }, 0.75],
  ])('%s', (_rule, row, confidence) => {
    const weighed = weigh(row)
    expect(weighed.confidence).toBe(confidence)
    const sum = weighed.confidenceParts.reduce((total, { value }) => total + value, 0)
    expect(sum).toBeCloseTo(confidence, 6)
  })
})
