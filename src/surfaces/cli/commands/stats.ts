import type { Compared, Proposal } from '../../../evidence/proposals.ts'
import { runRecord, type RunRecord } from '../../../evidence/run-record.ts'
import { statistics, type Statistics } from '../../../evidence/statistics.ts'
import { evolveAll } from '../../../loops/evolve.ts'
import type { OwnOdds } from '../../../guards/odds/own-odds.ts'
import { isDamage, PawlError } from '../../../core/pawl-error.ts'
import { type Spent, spentTogether, totalsSoFar } from '../../../core/spending.ts'
import type { Totals } from '../../../core/state.ts'
import { type ResearchResult, researchStatistics, type ResearchStatistics } from '../../../loops/research/index.ts'
import type { Store } from '../../../stores/store.ts'
import type { CliContext } from '../cli-context.ts'
import { comparedWithFile } from '../tune-proposals.ts'
import { EXIT } from '../exit-codes.ts'
import { requireGuardName } from '../guard-name.ts'
import { ownHistory } from '../../../evidence/own-history.ts'
import { resultIn } from '../../../evidence/research-results.ts'
import { ceilingsOf } from '../../../settings/ceilings.ts'
import { sinceInstant } from '../time-flags.ts'
import { statsLines, type UsedCeiling } from '../../../present/stats-lines.ts'
import { withExistingStore } from '../stored-run.ts'

export interface StatsOptions {
  /** Only runs that began since. */
  readonly since?: string
  /** Only what this guard did. */
  readonly guard?: string
}

/** What `pawl stats --json` prints. */
export interface StatsDocument extends Omit<Statistics, 'proposals'>, Omit<Spent, 'activeMs'> {
  /** At work, iterations that did not end included. */
  readonly durationMs: number
  /** Each says whether `pawl.yaml` says so already. */
  readonly proposals: readonly Compared<Proposal>[]
  readonly since: number | null
  readonly guard: string | null
  /** Runs whose journal cannot be read: they are not counted. */
  readonly damaged: readonly string[]
  /** How many of your own loops support the odds of the next run, by kind, and how far they move them. */
  readonly ownOdds: OwnOdds
  /** How much of the ceilings over all runs is used; absent if there is none. */
  readonly ceilings?: readonly UsedCeiling[]
  /** What runs of research say together; absent if there is none. */
  readonly research?: ResearchStatistics
}

/** Which guards trip, how often they were wrong, what early stops saved, and which settings the recorded runs speak for. */
export async function stats(context: CliContext, { since, guard }: StatsOptions = {}): Promise<number> {
  const { terminal, isJson } = context
  const from = since === undefined ? undefined : sinceInstant(since, Date.now())
  const found = await withExistingStore(context, async (store) => ({
    ...(await records(store, from)),
    ownOdds: await ownHistory(store, context.project.storePath),
  }))
  const { read = [], totals = [], damaged = [], researched = [], ownOdds = {} } = found ?? {}
  if (guard !== undefined) requireGuard(read, guard)
  const looked = { since: from ?? null, guard: guard ?? null, damaged }
  const counted = statistics(read, guard)
  const proposals = await comparedWithFile(context, counted.proposals)
  const { activeMs: durationMs, ...spent } = spentTogether(totals)
  const document: StatsDocument = {
    ...looked,
    ...counted,
    ...spent,
    durationMs,
    proposals,
    ownOdds,
    ...(await ceilingsNow(context.project.storePath)),
    ...researchOf(researched),
  }
  if (isJson) terminal.json(document)
  else for (const line of statsLines(document, terminal)) terminal.say(line)
  return EXIT.done
}

async function ceilingsNow(storePath: string): Promise<Pick<StatsDocument, 'ceilings'>> {
  const ceilings = await ceilingsOf(storePath)()
  if (ceilings.length === 0) return {}
  const { ceilingUses } = await import('../../../registry/ceilings.ts')
  return { ceilings: ceilingUses(ceilings) }
}

function researchOf(results: readonly ResearchResult[]): Pick<StatsDocument, 'research'> {
  return results.length === 0 ? {} : { research: researchStatistics(results) }
}

interface Records {
  readonly read: readonly RunRecord[]
  readonly totals: readonly Totals[]
  readonly researched: readonly ResearchResult[]
  readonly damaged: readonly string[]
}

/** One journal at a time, and of each only a few numbers are kept; of research, what it came to. */
async function records(store: Store, from = 0): Promise<Records> {
  const read: RunRecord[] = []
  const totals: Totals[] = []
  const researched: ResearchResult[] = []
  const damaged: string[] = []
  for (const { run, startedAt } of await store.runs()) {
    if (startedAt < from) continue
    const { record, result, spent } = (await recordOf(store, run)) ?? {}
    if (record) read.push(record)
    else damaged.push(run)
    if (spent) totals.push(spent)
    if (result) researched.push(result)
  }
  return { read, totals, researched, damaged }
}

async function recordOf(
  store: Store,
  run: string,
): Promise<{ readonly record?: RunRecord; readonly result?: ResearchResult; readonly spent?: Totals } | undefined> {
  try {
    const events = await store.read(run)
    const record = runRecord(events)
    const result = resultIn(events)
    const state = evolveAll(undefined, events)
    return { ...(record ? { record } : {}), ...(result ? { result } : {}), ...(state ? { spent: totalsSoFar(state) } : {}) }
  } catch (error) {
    if (!isDamage(error)) throw error
    return undefined
  }
}

function requireGuard(read: readonly RunRecord[], guard: string): void {
  const names = [...new Set(read.flatMap(({ guards }) => guards.map((each) => each.guard)))].toSorted()
  requireGuardName(guard, names)
  if (names.length === 0 || names.includes(guard)) return
  const sentence = `No run has the guard "${guard}"; there are ${names.join(', ')}.`
  throw new PawlError('usage.unknown-guard', sentence, { value: guard })
}
