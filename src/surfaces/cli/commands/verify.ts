import type { CliContext } from '../cli-context.ts'
import { withStore } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { verificationLines } from '../../../present/verification-lines.ts'
import { requireEvents, requireStore, withExistingStore } from './existing-store.ts'
import { verifyRun, type Verification } from './verify-run.ts'

/** Says whether a run's journal, and every text it refers to, is what was written. Without a run: all of them. Exit 1 when not. */
export async function verify(context: CliContext, run?: string): Promise<number> {
  const { terminal, isJson } = context
  const results = run === undefined ? await verifyAll(context) : [await verifyOne(context, run)]
  if (isJson) terminal.json(run === undefined ? results : results[0])
  else if (results.length === 0) terminal.say('There are no runs to verify.')
  else for (const result of results) for (const line of verificationLines(result, terminal)) terminal.say(line)
  return results.every(({ ok }) => ok) ? EXIT.done : EXIT.error
}

async function verifyOne(context: CliContext, run: string): Promise<Verification> {
  requireStore(context, run)
  return withStore(context, (store) => verifyRun(store, run, async () => requireEvents(store, run, await store.readStored(run))))
}

async function verifyAll(context: CliContext): Promise<readonly Verification[]> {
  const results = await withExistingStore(context, async (store) => {
    const found: Verification[] = []
    for (const { run } of await store.runs()) found.push(await verifyRun(store, run, () => store.readStored(run)))
    return found
  })
  return results ?? []
}
