import { hostname } from 'node:os'
import { basename } from 'node:path'
import { EVENT_VERSION } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { configFacts } from '../../engine/opening-facts.ts'
import type { Parts } from '../../engine/parts.ts'
import { withSession } from '../../engine/session.ts'
import { type Project, repositoryTop } from '../../settings/find-project.ts'
import { loadConfig } from '../../settings/load-config.ts'
import type { QueueSettings } from '../../settings/queue-settings.ts'
import type { QueuedRun } from '../../stores/store.ts'
import type { CliContext } from './cli-context.ts'
import { EXIT } from './exit-codes.ts'

/** The flags that put a run into the queue. */
export interface QueueFlags {
  readonly queue?: boolean
  readonly priority?: string
  readonly labels?: string
}

/** Records a run with its configuration and the files it begins with, and leaves it to a worker. */
export async function queueRun(context: CliContext, parts: Parts, run: string, flags: QueueFlags): Promise<number> {
  const { terminal, isJson, project } = context
  const { queue = {} } = (await loadConfig(project.configPath)) ?? {}
  const entry = entryOf(project, parts, run, { ...queue, ...givenSettings(flags) })
  await withSession(parts, run, async (session) => {
    const facts = await configFacts(parts, run, session.state())
    if (facts.some(({ type }) => type === 'run.reconfigured'))
      throw new PawlError('usage.queue', `Run ${run} has other settings. Change them first: pawl resume ${run}, without --queue.`)
    // First the files: a run in the queue can be driven.
    await parts.workspace.keepStart?.(run)
    await session.record(() => facts)
    await parts.store.queue.put(entry)
  })
  const { remote } = parts.config.workspace.settings
  if (isJson) terminal.json({ run, status: 'queued', labels: entry.labels, priority: entry.priority })
  else {
    terminal.say(`${terminal.paint('bold', run)} is in the queue`)
    terminal.say(`  Drive  pawl worker${remote === undefined ? ', in this project' : ', on any machine that reaches the store'}`)
    terminal.say(`  Watch  pawl attach ${run}`)
    terminal.say(`  End    pawl abort ${run}`)
  }
  return EXIT.done
}

/** What the flags say, over pawl.yaml. */
function givenSettings({ priority, labels }: QueueFlags): QueueSettings {
  if (priority !== undefined && !(priority.trim() !== '' && Number.isFinite(Number(priority))))
    throw new PawlError('usage.number', `--priority takes a number, not "${priority}".`, { value: priority })
  return {
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...(labels === undefined ? {} : { labels: labelList(labels) }),
  }
}

/** `linux,gpu` as a list. */
export function labelList(words: string): readonly string[] {
  return words
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function entryOf({ root }: Project, { config, clock }: Parts, run: string, settings: QueueSettings): QueuedRun {
  const { labels = [], priority = 0, repositoryRunsMax } = settings
  const { remote } = config.workspace.settings
  const isAnywhere = typeof remote === 'string'
  return {
    run,
    project: basename(root),
    repository: isAnywhere ? remote : `${hostname()}:${repositoryTop(root) ?? root}`,
    ...(repositoryRunsMax === undefined ? folderLimit(config.workspace.name) : { repositoryRunsMax }),
    labels: isAnywhere ? labels : [...labels, projectLabel(root)],
    priority,
    dueAt: clock.now(),
    eventVersion: EVENT_VERSION,
  }
}

/** Runs in a plain folder share it. */
function folderLimit(workspace: string): Pick<QueuedRun, 'repositoryRunsMax'> {
  return workspace === 'git' ? {} : { repositoryRunsMax: 1 }
}

/** Without a remote, only a worker of this project on this machine has the files. */
export function projectLabel(root: string): string {
  return `in:${hostname()}:${root}`
}
