import type { JsonObject } from '../../core/json.ts'
import type { Loop } from '../../core/loop.ts'
import { researchConclusions } from './conclusions.ts'
import { decideResearch } from './decide-research.ts'
import { researchFold } from './fold.ts'
import { researchEffects } from './research-effects.ts'
import { type ResearchSettings, wholeResearchSettings } from './research-settings.ts'
import { researchVerdict } from './research-verdict.ts'

export type { AgentAnswer, AnswerFinding } from './agent-answer.ts'
export type { AgentAssignment, ModelClass } from './assignment.ts'
export { confidenceOf } from './confidence.ts'
export type { Conflict, Nomination } from './conflict.ts'
export type { Convergence, IterationMetrics } from './convergence.ts'
export { DEFAULT_RESEARCH_RULES } from './default-rules.ts'
export type { Citation, Claim, Finding } from './finding.ts'
export { GAP_KINDS, type Gap, type GapKind } from './gap.ts'
export { readAgentAnswer, type ReadAnswer } from './read-agent-answer.ts'
export type { ResearchQuestion } from './research-question.ts'
export type { ResearchRules } from './research-rules.ts'
export type { SeedCheckpoint } from './seed-checkpoint.ts'
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
    fold: researchFold,
    performers: () => import('./perform.ts').then(({ researchPerformers }) => researchPerformers),
    decide: (state, trips) => decideResearch(whole, state, trips),
  }
}
