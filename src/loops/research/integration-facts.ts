import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import { type Finding, isVerified } from './finding.ts'
import { AGENT_FAILURE } from './gap.ts'
import type { PendingAnswer, ResearchProgress } from './research-progress.ts'
import type { State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'
import { integrate } from './integrate.ts'
import { researchIterationOf, researchOf } from './research-iteration.ts'
import type { WholeResearchSettings } from './research-settings.ts'
import { settleConflicts } from './settle-conflicts.ts'

/** Everything the agents of an iteration brought, as facts: findings, conflicts and how they end, and gaps whose agent failed. */
export function integrationFacts(settings: WholeResearchSettings, state: State): readonly Fact[] {
  const research = researchOf(state)
  const iteration = researchIterationOf(state)
  const { answers } = research
  const { recorded, merged, conflicts, nominations, skipped, dropped, notes } = integrate(research, answers, {
    iteration,
    rules: settings,
  })
  const settled = settleConflicts(research, answers, iteration)
  const all = answers.flatMap(({ citations }) => citations)
  const changed = new Set(merged.map(({ finding }) => finding.id))
  const before = research.findings.filter(({ id }) => changed.has(id))
  return [
    ...recorded.map((finding) => concluded(state, LOOP, 'finding.recorded', { iteration, finding })),
    ...merged.map(({ finding, agent }) => concluded(state, LOOP, 'finding.merged', { iteration, finding, agent })),
    ...conflicts.map((conflict) => concluded(state, LOOP, 'conflict.raised', { conflict })),
    ...nominations.map((nomination) => concluded(state, LOOP, 'conflict.nominated', { nomination })),
    ...settled.resolved.map((resolution) => concluded(state, LOOP, 'conflict.resolved', resolution)),
    ...unresolvedGaps(state, research, iteration),
    concluded(state, LOOP, 'findings.integrated', {
      iteration,
      recorded: recorded.length,
      merged: merged.length,
      skipped,
      dropped,
      citationsAdded: verifiedIn(recorded) + verifiedIn(merged.map(({ finding }) => finding)) - verifiedIn(before),
      citationsRefuted: all.filter(({ status }) => status === 'refuted').length,
      filesNew: newFiles(research, answers).size,
      notes: [...notes, ...settled.notes],
    }),
  ]
}

function verifiedIn(findings: readonly Finding[]): number {
  return findings.reduce((sum, { citations }) => sum + citations.filter(isVerified).length, 0)
}

/** The agent that was sent failed: its gaps stay open and say so, and the others go on. */
function unresolvedGaps(state: State, { assignments }: ResearchProgress, iteration: number): readonly Fact[] {
  return assignments.flatMap(({ status, gaps, role: agent, failure = '' }) =>
    status !== 'failed'
      ? []
      : gaps.map((gap) => {
          const message = shortened(failure, MESSAGE_LENGTH_MAX)
          return concluded(state, LOOP, 'gap.unresolved', { gap, iteration, reason: AGENT_FAILURE, agent, message })
        }),
  )
}

const MESSAGE_LENGTH_MAX = 300

/** Files that nobody had cited rightly before. */
function newFiles({ findings }: ResearchProgress, answers: readonly PendingAnswer[]): ReadonlySet<string> {
  const before = new Set(findings.flatMap(({ citations }) => citations.filter(isVerified).map(({ file }) => file)))
  const now = answers.flatMap(({ citations }) => citations.filter(isVerified).map(({ file }) => file))
  return new Set(now.filter((file) => !before.has(file)))
}
