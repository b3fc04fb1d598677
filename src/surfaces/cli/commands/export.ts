import { resolve } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { counted } from '../../../core/wording.ts'
import type { StoredEvent } from '../../../core/stored-event.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { runReport } from '../views/run-report.ts'
import { runView, type RunView } from '../views/run-view.ts'
import { withKnownRun } from './existing-store.ts'
import { writeNewFile } from './write-new-file.ts'

export type ExportFormat = 'jsonl' | 'json' | 'markdown'

export interface ExportOptions {
  /** A file to write instead of standard output. */
  readonly out?: string
  /** Default `jsonl`: the sealed events one per line, exactly as stored, so that anyone can verify them. */
  readonly format?: string
  /** Write over a file that is there. */
  readonly force?: boolean
}

/** Hands a run out whole: its events, its events with the view of them, or a report to read. */
export async function exportRun(
  context: CliContext,
  run: string,
  { out, format = 'jsonl', force = false }: ExportOptions = {},
): Promise<number> {
  const { terminal, isJson } = context
  requireFormat(format)
  if (isJson && out === undefined && format === 'markdown') {
    throw new PawlError('usage.format', 'Markdown is not JSON: leave --json out, or write it to a file with --out.')
  }
  const { events, view } = await withKnownRun(context, run, async (known, store) => ({
    events: await store.readStored(run),
    view: runView(known),
  }))
  if (out === undefined) {
    for (const line of linesOf(format, events, view)) print(context, line)
    return EXIT.done
  }
  const path = resolve(out)
  await writeNewFile(path, linesOf(format, events, view), force)
  if (isJson) terminal.json({ run, path, format, events: events.length })
  else terminal.say(`${counted(events.length, 'event')} of run ${run} are in ${path} (${format}).`)
  return EXIT.done
}

function requireFormat(format: string): asserts format is ExportFormat {
  if (format === 'jsonl' || format === 'json' || format === 'markdown') return
  throw new PawlError('usage.format', `"${format}" is not a format of export; there are jsonl, json and markdown.`, {
    value: format,
  })
}

/** Line by line, so that a long run need not fit into one text. */
function* linesOf(format: ExportFormat, events: readonly StoredEvent[], view: RunView): Generator<string> {
  if (format === 'jsonl') for (const event of events) yield JSON.stringify(event)
  else if (format === 'json') yield JSON.stringify({ run: view.run, events, view })
  else yield* runReport(view).trimEnd().split('\n')
}

/** With `--json` only `terminal.json` reaches standard output. */
function print({ terminal, isJson }: CliContext, line: string): void {
  if (isJson) terminal.json(JSON.parse(line))
  else terminal.say(line)
}
