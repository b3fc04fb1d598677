import type { SeedCheckpoint, SeedConvergenceStatus, SeedFinding, SeedGap } from './seed-checkpoint.ts'
import { type Gap, liveFindings, researchOf } from './progress.ts'
import type { Finding } from './finding.ts'
import { coverageNow } from './gap.ts'
import { recordedSettings } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { wholeResearchSettings } from './settings.ts'

/** A checkpoint of the last iteration that ended, in the seed's shape. What the shape has no place for stays in the journal. */
export function checkpointOf(state: State): SeedCheckpoint {
  const research = researchOf(state)
  const settings = wholeResearchSettings(recordedSettings(state.config.loop.settings))
  const last = research.convergences.at(-1)
  const analysed = [...new Set([...research.namedFiles, ...research.verifiedFiles])]
  return {
    session_id: state.run,
    iteration: last?.iteration ?? research.iterationsBefore ?? 0,
    timestamp: new Date(state.at).toISOString().replace('.000Z', 'Z'),
    findings: liveFindings(research).map(findingOf),
    coverage: last?.coverage ?? research.checkpointCoverage ?? coverageNow(research, settings).coverage,
    files_analyzed: analysed,
    unresolved_conflicts: last?.unresolvedConflicts ?? research.checkpointConflicts ?? 0,
    convergence_status: STATUS[last?.status ?? 'not_converged'],
    gaps_identified: research.gaps.map(gapOf),
  }
}

const STATUS: Readonly<Record<'not_converged' | 'FULL' | 'PARTIAL', SeedConvergenceStatus>> = {
  not_converged: 'not_converged',
  FULL: 'full_convergence',
  PARTIAL: 'partial_convergence',
}

function findingOf({ id, description, confidence, citations, sourceAgents, iterationDiscovered }: Finding): SeedFinding {
  const places = citations.filter(({ status }) => status !== 'refuted').map(({ file, line }) => `${file}:${line}`)
  return {
    id,
    description,
    confidence,
    citations: [...new Set(places)],
    source_agents: sourceAgents,
    iteration_discovered: iterationDiscovered,
  }
}

function gapOf({ kind, finding, reason }: Gap): SeedGap {
  return { type: kind, ...(finding === undefined ? {} : { finding_id: finding }), reason }
}
