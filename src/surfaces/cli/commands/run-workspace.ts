import { resolve } from 'node:path'
import type { SealedEvent } from '../../../stores/store.ts'
import type { Workspace } from '../../../workspaces/workspace.ts'
import type { RunConfig } from '../../../core/run-config.ts'
import type { CliContext } from '../cli-context.ts'
import { workspaceFrom } from '../../../registry/parts-from.ts'

/** The workspace a run was last given. A relative path counts from the project's folder, wherever the command was typed. */
export function runWorkspace({ project }: CliContext, events: readonly SealedEvent[]): Promise<Workspace> {
  const spec = lastConfig(events).workspace
  const { path } = spec.settings
  return workspaceFrom(
    typeof path === 'string' ? { ...spec, settings: { ...spec.settings, path: resolve(project.root, path) } } : spec,
  )
}

/** The configuration a run was last given. */
export function lastConfig(events: readonly SealedEvent[]): RunConfig {
  const event = events.findLast((each) => each.type === 'run.started' || each.type === 'run.reconfigured')
  return (event as SealedEvent & { readonly data: { readonly config: RunConfig } }).data.config
}
