import { PawlError } from '../../../core/pawl-error.ts'
import type { State } from '../../../core/state.ts'
import type { Parts } from '../../../engine/parts.ts'
import { requireFolderFree } from '../../../engine/run-in-folder.ts'
import { work, type WorkerNews } from '../../../engine/worker.ts'
import { builtInFolds } from '../../../loops/evolve.ts'
import { systemClock } from '../../../process/clock.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { partsFrom } from '../../../registry/parts-from.ts'
import { activityPath, activityWriter } from '../../../process/activity.ts'
import { removeWorktree } from '../../../registry/workspace-tools.ts'
import { ceilingsOf } from '../../../settings/ceilings.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { onInterrupt } from '../drive-run.ts'
import { EXIT } from '../exit-codes.ts'
import { labelList, projectLabel } from '../queue-run.ts'

export interface WorkerFlags {
  readonly slots?: string
  readonly labels?: string
  readonly once?: boolean
}

/** Drives queued runs until somebody stops it. */
export async function worker(context: CliContext, flags: WorkerFlags): Promise<number> {
  const slots = Number(flags.slots ?? 1)
  if (!Number.isInteger(slots) || slots < 1)
    throw new PawlError('usage.number', `--slots takes a whole number from 1 on, not "${flags.slots}".`, { value: flags.slots })
  const { terminal, project, isJson } = context
  const { storePath } = project
  const labels = labelList(flags.labels ?? '')
  const interrupt = onInterrupt(() =>
    terminal.warn('Stopping: the work under way is ended, and its runs go back into the queue.'),
  )
  const activities = new Map<string, ReturnType<typeof activityWriter>>()
  try {
    return await withStore(context, async (store) => {
      /** Where runs work that other machines continue too. */
      const clones = new Map<string, string>()
      const removals: Promise<unknown>[] = []
      const partsOf = async (run: string, { given }: State): Promise<Parts> => {
        const parts = await partsFrom(given, { store, storePath, ceilings: ceilingsOf(storePath) })
        const { path, remote } = parts.workspace.spec.settings
        if (remote !== undefined && path !== given.workspace.settings['path']) clones.set(run, String(path))
        return parts
      }
      /** The remote has its snapshots, so the worktree isn't needed any more. */
      const tidyUp = (run: string): void => {
        const clone = clones.get(run)
        if (clone === undefined) return
        clones.delete(run)
        removals.push(removeWorktree(clone, run).catch((error: unknown) => terminal.warn(errorWords(error))))
      }
      terminal.say(terminal.paint('dim', `Worker with ${slots} ${slots === 1 ? 'slot' : 'slots'}${labelWords(labels)}`))
      await work(
        { store, processes: machineProcesses, clock: systemClock, folds: builtInFolds, partsOf },
        {
          slots,
          labels: [...labels, projectLabel(project.root)],
          ...(flags.once ? { isOnce: true } : {}),
          signal: interrupt.signal,
          onTakenUp: (run, { config }) => requireFolderFree(store, run, config),
          driving: (run) => {
            const activity = activityWriter(activityPath(project, run))
            activities.set(run, activity)
            return { onProgress: ({ line }) => activity.write(line) }
          },
          tell: (news) => {
            if (news.kind === 'left') activities.get(news.run)?.close()
            if (news.kind === 'left' && news.rest.kind === 'over') tidyUp(news.run)
            if (isJson) terminal.json(newsDocument(news))
            else terminal.say(`${clockTime(Date.now())}  ${newsWords(news)}`)
          },
        },
      )
      await Promise.all(removals)
      return EXIT.done
    })
  } finally {
    interrupt.dispose()
  }
}

function labelWords(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `, labels ${labels.join(', ')}`
}

function newsWords(news: WorkerNews): string {
  switch (news.kind) {
    case 'took':
      return `${news.entry.run}  ${news.isTakenOver ? 'continues where another worker stopped' : 'started'}`
    case 'refused':
      return `${news.entry.run}  stays in the queue: it needs a newer Pawl (events of version ${news.entry.eventVersion}). Update Pawl on this machine`
    case 'cut-off':
      return `Can't reach the queue, trying again: ${errorWords(news.error)}`
    case 'left':
      return `${news.run}  ${leftWords(news)}`
  }
}

function leftWords({ result, error, rest }: Extract<WorkerNews, { kind: 'left' }>): string {
  if (error !== undefined) return `goes back into the queue: ${errorWords(error)}`
  if (!result || result.status === 'held') return 'was taken over by another worker'
  if (rest.kind === 'waits') return `waits for an answer: pawl answer ${result.run}`
  if (rest.kind === 'due') return `${result.status}, goes back into the queue until ${clockTime(rest.at)}`
  return `${result.status}: ${result.message}`
}

function newsDocument(news: WorkerNews): object {
  if (news.kind === 'took') return { news: 'took', run: news.entry.run, isTakenOver: news.isTakenOver }
  if (news.kind === 'refused') return { news: 'refused', run: news.entry.run, eventVersion: news.entry.eventVersion }
  if (news.kind === 'cut-off') return { news: 'cut-off', message: errorWords(news.error) }
  const { run, result, error, rest } = news
  const outcome = result ? { status: result.status } : { message: errorWords(error) }
  return { news: 'left', run, ...outcome, ...(rest.kind === 'due' ? { dueAt: rest.at } : {}) }
}

function errorWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** "14:05:09", with the date if it isn't today. */
function clockTime(at: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return `${isToday ? '' : `${date.toISOString().slice(0, 10)} `}${date.toTimeString().slice(0, 8)}`
}
