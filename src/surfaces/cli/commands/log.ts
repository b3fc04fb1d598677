import { PawlError } from '../../../core/pawl-error.ts'
import type { SealedEvent } from '../../../ports/store.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { eventLine } from '../views/event-line.ts'
import type { Screen } from '../views/screen.ts'
import { withKnownRun } from './existing-store.ts'

export interface LogOptions {
  /** Go on printing what is new until the run is completed, stopped or aborted. */
  readonly follow?: boolean
  /** Only events after this seq. */
  readonly after?: number
  /** Only events of this type (`check.failed`) or group (`check`). */
  readonly type?: string
  /** Ends following: Ctrl-C. */
  readonly signal?: AbortSignal
}

/** A run's journal, one line an event; with `--json` the sealed events as they are. */
export async function log(context: CliContext, run: string, options: LogOptions = {}): Promise<number> {
  const { follow = false, after = 0, type, signal } = options
  if (!Number.isInteger(after) || after < 0) throw new PawlError('usage.after', '--after takes the seq of an event: a whole number from 0.', { value: after })
  const print = printer(context, follow)
  const wanted = (event: SealedEvent): boolean => event.seq > after && isOfType(event, type)
  return withKnownRun(context, run, async (events, store) => {
    for (const event of events) if (wanted(event)) print(event)
    if (!follow || events.findLast(isTurn)?.type.startsWith('run.')) return EXIT.done
    const end = new AbortController()
    const until = signal ? AbortSignal.any([signal, end.signal]) : end.signal
    for await (const batch of store.watch(run, events.length, until)) {
      for (const event of batch) if (wanted(event)) print(event)
      if (batch.findLast(isTurn)?.type.startsWith('run.')) end.abort()
    }
    return EXIT.done
  })
}

/** Cut at the width of the screen for people; whole where another program reads, or where lines scroll by once. */
function printer({ terminal, isJson }: CliContext, isWhole: boolean): (event: SealedEvent) => void {
  if (isJson) return (event) => terminal.json(event)
  const screen: Screen = { paint: terminal.paint, columns: terminal.isLive && !isWhole ? terminal.columns : Infinity }
  return (event) => terminal.say(eventLine(event, screen))
}

function isOfType({ type }: SealedEvent, wanted: string | undefined): boolean {
  return wanted === undefined || type === wanted || type.startsWith(`${wanted}.`)
}

/** What ends a run, or takes it up again after it had stopped. */
function isTurn({ type }: SealedEvent): boolean {
  return type === 'run.completed' || type === 'run.stopped' || type === 'run.aborted' || type === 'escalation.answered' || type === 'guard.waived' || type === 'iteration.started'
}
