import type { Observation, Workspace } from '../../ports/workspace.ts'

/** An observation that also says what it could not take in. */
export interface NotedObservation extends Observation {
  /** One line for each thing that was left out: unreadable, vanished, a socket, a repository of its own. */
  readonly notes: readonly string[]
}

/** A workspace whose observations carry notes. */
export interface NotingWorkspace extends Workspace {
  observe(run: string, label: string, since?: string): Promise<NotedObservation>
}
