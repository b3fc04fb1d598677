export { researchLoop } from './loop.ts'
export type { AgentAnswer, AnswerFinding } from './answer.ts'
export type { AgentAssignment } from './progress.ts'
export type { ModelClass } from './rules.ts'
export { confidenceOf } from './confidence.ts'
export type { Conflict, Nomination } from './progress.ts'
export type { Convergence, IterationMetrics } from './progress.ts'
export { DEFAULT_RESEARCH_RULES } from './rules.ts'
export type { Citation, Claim, Finding } from './finding.ts'
export { type Gap } from './progress.ts'
export { GAP_KINDS, type GapKind } from './rules.ts'
export { readAgentAnswer, type ReadAnswer } from './answer.ts'
export type { ResearchQuestion } from './progress.ts'
export type { ResearchRules } from './rules.ts'
export type { SeedCheckpoint } from './seed-checkpoint.ts'
export { checkpointOf } from './result.ts'
export { type CrossReference, crossReferences } from './finding.ts'
export { extractQuestions } from './questions.ts'
export { configText, type ConfigTrouble, readConfig, type ReadConfig } from './config-file.ts'
export { convergenceChart, textChart } from './charts.ts'
export { markdownReport } from './report.ts'
export { roleTitle } from './words.ts'
export { type AgentToSpawn, leadAnswer, type LeadAnswer, type RefusedAnswer } from './lead.ts'
export { handedIn, LEAD, leadConfig, type LeadHandIn } from './lead.ts'
export {
  type AgentContribution,
  convergenceRate,
  type CumulativeMetrics,
  type PartialQuality,
  researchResult,
  type ResearchResult,
} from './result.ts'
export { researchStatistics, type ResearchStatistics, type ThresholdProposal } from './result.ts'
export { requirePlayers } from './settings.ts'
export { type ResearchOverrides, type ResearchSettings, wholeResearchSettings } from './settings.ts'
