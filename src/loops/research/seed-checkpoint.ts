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
