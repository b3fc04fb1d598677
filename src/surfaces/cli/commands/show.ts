import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { runLines } from '../views/run-lines.ts'
import { runView, type RunView } from '../views/run-view.ts'
import { withKnownRun } from './existing-store.ts'
import { holderOf } from './holder-of.ts'

/** Everything a person wants to know of a run, on one screen. */
export async function show(context: CliContext, run: string): Promise<number> {
  const { terminal, isJson } = context
  const view = await withKnownRun(context, run, async (events, store): Promise<RunView> => {
    const holder = await holderOf(store, run)
    return { ...runView(events), ...(holder ? { holder } : {}) }
  })
  if (isJson) terminal.json(view)
  else for (const line of runLines(view, terminal, Date.now())) terminal.say(line)
  return EXIT.done
}
