import { PawlError } from '../../../core/pawl-error.ts'
import type { State } from '../../../core/state.ts'
import type { SealedEvent, Store } from '../../../stores/store.ts'
import type { CliContext } from '../cli-context.ts'
import { activityPath, activityReader } from '../../../process/activity.ts'
import { EXIT } from '../exit-codes.ts'
import { fitted } from '../../../present/layout.ts'
import { eventLine } from '../../../present/log-lines.ts'
import { type RunFold, runFold } from '../../../present/run-fold.ts'
import { withKnownRun } from '../stored-run.ts'

export interface LogOptions {
  /** Continue printing what is new until the run is completed, stopped or aborted. */
  readonly follow?: boolean
  /** Only events after this seq. */
  readonly after?: number | string
  /** Only events of this type (`check.failed`) or group (`check`). */
  readonly type?: string
  /** Ends following: Ctrl-C. */
  readonly signal?: AbortSignal
}

/** A run's journal, one line an event; with `--json` the sealed events as they are. */
export async function log(context: CliContext, run: string, options: LogOptions = {}): Promise<number> {
  const { follow = false, type } = options
  const after = seqOf(options.after ?? 0)
  const isWanted = (event: SealedEvent): boolean => event.seq > after && isOfType(event, type)
  const print = printer(context)
  const seen = runFold()
  // Also of what is not wanted: what an event means may depend on those before it.
  const take = (event: SealedEvent): void => {
    seen.take(event)
    if (isWanted(event)) print(event, seen)
  }
  await withKnownRun(context, run, async (events, store) => {
    events.forEach(take)
    if (follow) {
      const activity = type === undefined && !context.isJson ? showActivity(context, run) : undefined
      try {
        await followRun(store, run, events.length, options.signal, take, () => isOver(seen.state))
      } finally {
        clearInterval(activity)
      }
    }
    if (!follow && !events.some(isWanted) && !context.isJson)
      context.terminal.warn(`Run ${run} has ${events.length} events, but none like that.`)
  })
  return EXIT.done
}

function seqOf(given: number | string): number {
  if (/^\d+$/.test(String(given))) return Number(given)
  throw new PawlError('usage.after', `--after takes the seq of an event, a whole number from 0, not "${given}".`, {
    value: given,
  })
}

async function followRun(
  store: Store,
  run: string,
  seq: number,
  signal: AbortSignal | undefined,
  take: (event: SealedEvent) => void,
  isEnded: () => boolean,
): Promise<void> {
  if (isEnded()) return
  const over = new AbortController()
  const until = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  for await (const events of store.watch(run, seq, until)) {
    events.forEach(take)
    if (isEnded()) over.abort()
  }
}

/** Between the events, what the agent does. */
function showActivity({ terminal, project }: CliContext, run: string): NodeJS.Timeout {
  const read = activityReader(activityPath(project, run))
  return setInterval(() => {
    for (const line of read())
      terminal.say(terminal.paint('dim', `    ${terminal.isLive ? fitted(line, terminal.columns - 4) : line}`))
  }, ACTIVITY_MS)
}

const ACTIVITY_MS = 250

/** Cut at the width of the screen for a person; whole where another program reads. */
function printer({ terminal, isJson }: CliContext): (event: SealedEvent, seen: RunFold) => void {
  if (isJson) return (event) => terminal.json(event)
  const screen = { paint: terminal.paint, columns: terminal.isLive ? terminal.columns : Infinity }
  return (event, seen) => terminal.say(eventLine(event, seen, screen))
}

function isOfType({ type }: SealedEvent, wanted: string | undefined): boolean {
  return wanted === undefined || type === wanted || type.startsWith(`${wanted}.`)
}

function isOver(state: State | undefined): boolean {
  return state?.status === 'completed' || state?.status === 'stopped' || state?.status === 'aborted'
}
