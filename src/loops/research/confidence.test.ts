import { describe, expect, it } from 'vitest'
import { confidenceOf } from './confidence.ts'
import { DEFAULT_RESEARCH_RULES } from './rules.ts'
import type { Citation, Finding, FindingSource } from './finding.ts'

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
}

function weigh({ citations = [], sources = [from('a')], isInConflict = false, iteration = 1 }: Row) {
  const finding: Pick<Finding, 'citations' | 'sources' | 'iterationConfirmed'> = { citations, sources, iterationConfirmed: 1 }
  return confidenceOf(finding, { rule, iteration, isInConflict })
}

const direct = { evidence: 'direct' } as const

describe('confidence', () => {
  it.each<[rule: string, row: Row, confidence: number]>([
    ['RES-11 direct evidence is 0.90', { citations: [cited('a', 'exact')], sources: [from('a', direct)] }, 0.9],
    ['RES-11 supporting evidence is 0.75', { citations: [cited('a', 'exact')] }, 0.75],
    ['RES-11 inference is 0.50', {}, 0.5],
    ['RES-11 a single agent with inferred structure is 0.60', { citations: [cited('a', 'unverified')] }, 0.6],
    ['RES-11 a weak citation is 0.65', { citations: [cited('a', 'exact', '')] }, 0.65],
    [
      'RES-11 what is only inferred from what stands there is weak too',
      { citations: [cited('a', 'exact')], sources: [from('a', { evidence: 'inferred' })] },
      0.65,
    ],
    [
      'RES-11 a weak citation rises to 0.85 when a second agent confirms with a strong one',
      { citations: [cited('a', 'exact', ''), cited('b', 'exact')], sources: [from('a'), from('b')] },
      0.85,
    ],
    [
      'RES-11 several independent sources add 0.10',
      { citations: [cited('a', 'exact'), cited('b', 'exact')], sources: [from('a', direct), from('b', direct)] },
      1,
    ],
    ['RES-11 the same agent twice is one source', { citations: [cited('a', 'exact'), cited('a', 'exact')] }, 0.75],
    ['RES-11 two agents without evidence are no evidence', { sources: [from('a'), from('b')] }, 0.5],
    [
      'RES-11 two agents in conflict are 0.55',
      { citations: [cited('a', 'exact')], sources: [from('a', direct)], isInConflict: true },
      0.55,
    ],
    ['RES-12 a drifted citation is evidence', { citations: [cited('a', 'drifted')], sources: [from('a', direct)] }, 0.9],
    [
      'RES-12 refuted citations take away',
      { citations: [cited('a', 'exact'), cited('a', 'refuted')], sources: [from('a', direct)] },
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
