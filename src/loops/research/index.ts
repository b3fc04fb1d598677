import type { JsonObject } from '../../core/json.ts'
import type { Loop } from '../../core/loop.ts'
import { researchConclusions } from './conclusions.ts'
import { decideResearch } from './decide-research.ts'
import { researchEffects } from './research-effects.ts'
import { type ResearchSettings, wholeResearchSettings } from './research-settings.ts'
import { researchVerdict } from './research-verdict.ts'

export type { AgentAnswer, AnswerFinding } from '../../core/research/agent-answer.ts'
export type { AgentAssignment, ModelClass } from '../../core/research/assignment.ts'
export { confidenceOf } from '../../core/research/confidence.ts'
export type { Conflict, Nomination } from '../../core/research/conflict.ts'
export type { Convergence, IterationMetrics } from '../../core/research/convergence.ts'
export { DEFAULT_RESEARCH_RULES } from '../../core/research/default-rules.ts'
export type { Citation, Claim, Finding } from '../../core/research/finding.ts'
export { GAP_KINDS, type Gap, type GapKind } from '../../core/research/gap.ts'
export { readAgentAnswer, type ReadAnswer } from '../../core/research/read-agent-answer.ts'
export type { ResearchQuestion } from '../../core/research/research-question.ts'
export type { ResearchRules } from '../../core/research/research-rules.ts'
export type { SeedCheckpoint } from '../../core/research/seed-checkpoint.ts'
export { checkpointOf } from './checkpoint-of.ts'
export { type CrossReference, crossReferences } from './cross-references.ts'
export { extractQuestions } from './extract-questions.ts'
export { configText } from './config/config-text.ts'
export { type ConfigTrouble, readConfig, type ReadConfig } from './config/read-config.ts'
export { convergenceChart } from './report/convergence-chart.ts'
export { markdownReport } from './report/markdown-report.ts'
export { textChart } from './report/text-chart.ts'
export { roleTitle } from './role-title.ts'
export { type AgentToSpawn, leadAnswer, type LeadAnswer, type RefusedAnswer } from './lead-answer.ts'
export { handedIn, LEAD, leadConfig, type LeadHandIn } from './lead-hand-in.ts'
export {
  type AgentContribution,
  convergenceRate,
  type CumulativeMetrics,
  type PartialQuality,
  researchResult,
  type ResearchResult,
} from './research-result.ts'
export { researchStatistics, type ResearchStatistics, type ThresholdProposal } from './research-statistics.ts'
export { requirePlayers } from './require-players.ts'
export { type ResearchOverrides, type ResearchSettings, wholeResearchSettings } from './research-settings.ts'

/**
 * Research on a codebase, iteration by iteration, until what was found converges: gaps are found, specialists are sent for them, every citation is verified, and
 * the end is `FULL` or `PARTIAL` for reasons in numbers.
 *
 * @part research
 */
export function researchLoop(settings: ResearchSettings): Loop {
  const whole = wholeResearchSettings(settings)
  return {
    spec: { name: 'research', v: 1, settings: whole as unknown as JsonObject },
    concludes: (state) => researchConclusions(whole, state),
    effects: (state) => researchEffects(whole, state),
    verdict: researchVerdict,
    decide: (state, trips) => decideResearch(whole, state, trips),
  }
}
