import { setTimeout as sleep } from 'node:timers/promises'
import { outcomeOf } from '../../../core/outcome.ts'
import type { State } from '../../../core/state.ts'
import { knownState } from '../../../engine/person-facts.ts'
import type { Store } from '../../../stores/store.ts'
import { activityPath, activityReader } from '../../../process/activity.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { closingReport } from '../drive-run.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { liveProgress } from '../live-progress.ts'
import { requireStore } from '../stored-run.ts'

/**
 * Shows a run that another process drives, as that process would: what happened since it began, and what its agent does now. Ends when
 * the run is stopped, with the run's exit code. Ctrl-C only ends the watching.
 */
export async function attach(context: CliContext, run: string): Promise<number> {
  requireStore(context, run)
  return withStore(context, async (store) => {
    const state = await knownState(store, run)
    if (await isDriven(store, run)) await follow(context, store, run, state)
    else if (!context.isJson) context.terminal.say(`No process is driving ${run}.`)
    await closingReport(context, store, run)
    return exitCodeOf(outcomeOf(await knownState(store, run)))
  })
}

async function isDriven(store: Store, run: string): Promise<boolean> {
  return (await store.holder(run)) !== undefined
}

async function follow({ terminal, isJson, project }: CliContext, store: Store, run: string, { config }: State): Promise<void> {
  const events = await store.read(run)
  const begun = events.findLastIndex(({ type }) => type === 'iteration.started')
  const view = liveProgress(terminal, events.slice(0, Math.max(0, begun)), run, config)
  const take = (event: (typeof events)[number]): void => (isJson ? terminal.json(event) : view.onEvent(event))
  const activity = activityReader(activityPath(project, run))
  const interrupt = (): void => {
    view.close()
    terminal.say(`${run} continues.`)
    terminal.say(`  Watch  pawl attach ${run}`)
    process.exit(EXIT.done)
  }
  process.once('SIGINT', interrupt)
  try {
    let seq = events.at(Math.max(0, begun) - 1)?.seq ?? 0
    if (begun <= 0) seq = 0
    for (;;) {
      // Asked first: what it wrote before it let go is read after that.
      const isOpen = await isDriven(store, run)
      for (const event of await store.read(run, seq)) {
        take(event)
        ;({ seq } = event)
      }
      if (!isJson) for (const line of activity()) view.onActivity(line)
      if (!isOpen) return
      await sleep(POLL_MS)
    }
  } finally {
    process.off('SIGINT', interrupt)
    view.close()
  }
}

const POLL_MS = 250
