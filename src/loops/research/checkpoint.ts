import { liveFindings } from './progress.ts'
import type { Finding } from './finding.ts'
import { coverageNow, type Gap } from './gap.ts'
import { recordedSettings } from '../../core/recorded-settings.ts'
import type { State } from '../../core/state.ts'
import { researchOf } from './progress.ts'
import { wholeResearchSettings } from './settings.ts'

/** A checkpoint in the shape of the iteration engine's own files, field for field. */
export interface SeedCheckpoint {
  readonly session_id: string
  readonly iteration: number
  /** ISO 8601, UTC. */
  readonly timestamp: string
  readonly findings: readonly SeedFinding[]
  readonly coverage: number
  readonly files_analyzed: readonly string[]
  readonly unresolved_conflicts: number
  readonly convergence_status: SeedConvergenceStatus
  readonly gaps_identified: readonly SeedGap[]
}

export type SeedConvergenceStatus = 'not_converged' | 'full_convergence' | 'partial_convergence'

export interface SeedFinding {
  readonly id: string
  readonly description: string
  readonly confidence: number
  /** `file:line`. */
  readonly citations: readonly string[]
  readonly source_agents: readonly string[]
  readonly iteration_discovered: number
}

export interface SeedGap {
  readonly type: string
  readonly finding_id?: string
  readonly reason: string
}

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
