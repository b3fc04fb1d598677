import { DEFAULT_ROLES } from './default-roles.ts'
import { DEFAULT_SPECIALISTS } from './default-specialists.ts'
import type { ResearchRules } from './research-rules.ts'

/** Words that say how much is asked for. */
const WIDE = ['entire', 'whole', 'across', 'comprehensive', 'everything', 'end to end', 'architecture', 'system-wide', 'all of']
const NARROW = ['where is', 'which file', 'what handles', 'this function', 'single', 'specific', 'only']

/** The one default configuration: the seed's numbers, with the rulings where it left a hole. */
export const DEFAULT_RESEARCH_RULES: ResearchRules = {
  iterationsMin: 1,
  agentsMax: 3,
  emptyIterationsMax: 2,
  gapAttemptsMax: 2,
  gapsPerAgentMax: 5,
  strategy: 'auto',
  criteria: {
    coverage: { enabled: true, threshold: 0.7 },
    confidence: { enabled: true, threshold: 0.8 },
    conflicts: { enabled: true, threshold: 2 },
    questions: { enabled: true, threshold: 1 },
  },
  early: { enabled: true, coverageMin: 0.85, confidenceMin: 0.9 },
  partial: { enabled: true, criteriaShareMin: 0.75, needsCriticalQuestions: true },
  gaps: {
    coverage_gap: { enabled: true, priority: 'auto', threshold: 0.7 },
    confidence_gap: { enabled: true, priority: 'auto', threshold: 0.8, individualThreshold: 0.65 },
    conflicting_findings: { enabled: true, priority: 'auto' },
    missing_context: { enabled: true, priority: 'auto' },
    unanswered_critical_questions: { enabled: true, priority: 'auto' },
    pattern_uncertainty: { enabled: true, priority: 'auto', threshold: 0.7 },
    security_concern: {
      enabled: true,
      priority: 'auto',
      threshold: 0.8,
      keywords: ['authentication', 'authorization', 'encryption', 'password', 'token', 'credential'],
    },
    performance_concern: {
      enabled: true,
      priority: 'auto',
      threshold: 0.8,
      keywords: ['slow', 'bottleneck', 'optimization', 'performance', 'latency'],
    },
  },
  specialists: DEFAULT_SPECIALISTS,
  roles: DEFAULT_ROLES,
  strategies: {
    narrow: { roles: ['explore', 'citation'], iterationsMax: 2, filesMax: 5, words: NARROW, relevantFilesMax: 5 },
    broad: { roles: ['explore', 'citation', 'pattern'], iterationsMax: 3, filesMax: 15, words: [], relevantFilesMax: 15 },
    comprehensive: {
      roles: ['explore', 'citation', 'pattern', 'security', 'performance'],
      iterationsMax: 4,
      filesMax: 40,
      words: WIDE,
      relevantFilesMax: 500,
    },
  },
  confidence: {
    direct: 0.9,
    supporting: 0.75,
    weak: 0.65,
    structure: 0.6,
    inference: 0.5,
    refuted: 0.3,
    independentBonus: 0.1,
    conflictMax: 0.55,
    refutedPenalty: 0.1,
    refutedPenaltyMax: 0.3,
    agePenalty: 0.01,
    ageIterationsFree: 1,
    agePenaltyMax: 0.05,
    snippetLengthMin: 6,
  },
  conflicts: { judge: false, nominationSimilarityMin: 0.4, sameSimilarityMin: 0.8 },
  questionsBy: 'rules',
  coverageBy: 'verified',
  answerConfidenceMin: 0.65,
}
