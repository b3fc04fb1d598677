import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { provenanceOf } from '../../../loops/review/index.ts'
import { provenanceLines } from '../views/provenance-lines.ts'
import { runLines } from '../views/run-lines.ts'
import { runView, type RunView } from '../views/run-view.ts'
import { withKnownRun } from './existing-store.ts'
import { holderOf } from './holder-of.ts'

export interface ShowFlags {
  /** Who did what in a review, instead. */
  readonly provenance?: boolean
}

/** Everything a person wants to know of a run, on one screen. */
export async function show(context: CliContext, run: string, flags: ShowFlags = {}): Promise<number> {
  const { terminal, isJson } = context
  if (flags.provenance) return showProvenance(context, run)
  const view = await withKnownRun(context, run, async (events, store): Promise<RunView> => {
    const holder = await holderOf(store, run)
    return { ...runView(events), ...(holder ? { holder } : {}) }
  })
  if (isJson) terminal.json(view)
  else for (const line of runLines(view, terminal, Date.now())) terminal.say(line)
  return EXIT.done
}

async function showProvenance(context: CliContext, run: string): Promise<number> {
  const { terminal, isJson } = context
  const provenance = await withKnownRun(context, run, async (events) => provenanceOf(events))
  if (isJson) terminal.json({ run, ...provenance })
  else for (const line of provenanceLines(provenance, terminal)) terminal.say(line)
  return EXIT.done
}
