import { byteWords } from '../../../core/wording.ts'
import { ago, type Column, fitted, tableOf } from '../../../present/layout.ts'
import type { Store } from '../../../stores/store.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { snapshotPlaces } from '../run-space.ts'
import { withExistingStore } from '../stored-run.ts'

/** What one run takes, in bytes. */
interface Row {
  readonly run: string
  readonly updatedAt: number
  readonly events: number
  readonly journalBytes: number
  readonly textBytes: number
  /** Snapshots that only this run holds; `null` if git can't tell. */
  readonly snapshotBytes: number | null
  readonly worktreeBytes: number
  readonly totalBytes: number
}

/** What the runs of the project take on disk, the largest first. */
export async function du(context: CliContext): Promise<number> {
  const { terminal, isJson } = context
  const found = await withExistingStore(context, (store) => measured(context, store))
  if (isJson) {
    terminal.json(found ?? { runs: [], sharedTextBytes: 0, unusedTextBytes: 0, storeBytes: 0, snapshotBytes: 0 })
    return EXIT.done
  }
  if (!found || found.runs.length === 0) {
    terminal.say('No runs yet.')
    return EXIT.done
  }
  for (const line of tableOf([columnsFor(terminal.isLive ? terminal.columns - OTHERS_WIDTH : Infinity)], found.runs, terminal))
    terminal.say(line)
  const shared =
    found.snapshotBytes === null
      ? undefined
      : found.snapshotBytes - found.runs.reduce((sum, row) => sum + (row.snapshotBytes ?? 0), 0)
  const rest = [
    ...(found.sharedTextBytes > 0 ? [`${byteWords(found.sharedTextBytes)} of texts`] : []),
    ...(shared !== undefined && shared > 0 ? [`${byteWords(shared)} of snapshots`] : []),
  ]
  if (rest.length > 0) terminal.say(terminal.paint('dim', `Shared by several runs: ${rest.join(', ')}`))
  const worktrees = found.runs.reduce((sum, row) => sum + row.worktreeBytes, 0)
  const snapshots = found.snapshotBytes === null ? '?' : byteWords(found.snapshotBytes)
  terminal.say(`Journal file ${byteWords(found.storeBytes)}, snapshots ${snapshots}, worktrees ${byteWords(worktrees)}`)
  terminal.say('Remove old runs: pawl prune --older-than 30d')
  return EXIT.done
}

/** What the other columns take at most. */
const OTHERS_WIDTH = 58

const columnsFor = (nameWidth: number): readonly Column<Row>[] => [
  { title: 'run', cell: ({ run }) => (nameWidth === Infinity ? run : fitted(run, Math.max(10, nameWidth))) },
  { title: 'last event', cell: ({ updatedAt }) => ago(updatedAt, Date.now()) },
  { title: 'journal', cell: ({ journalBytes }) => byteWords(journalBytes), side: 'right' },
  { title: 'texts', cell: ({ textBytes }) => byteWords(textBytes), side: 'right' },
  { title: 'snapshots', cell: ({ snapshotBytes }) => (snapshotBytes === null ? '?' : byteWords(snapshotBytes)), side: 'right' },
  { title: 'worktree', cell: ({ worktreeBytes }) => (worktreeBytes === 0 ? '' : byteWords(worktreeBytes)), side: 'right' },
]

async function measured(context: CliContext, store: Store) {
  const { runs: sizes, sharedTextBytes, unusedTextBytes, fileBytes } = await store.sizes()
  const byRun = new Map(sizes.map((size) => [size.run, size]))
  const entries = new Map((await store.runs()).map((entry) => [entry.run, entry]))
  const rows: Row[] = []
  let all: number | null = 0
  for (const { space, runs } of await snapshotPlaces(context, store, [...entries.keys()])) {
    // A folder that is gone has no snapshots any more.
    const bytesOf = async (which: readonly string[]): Promise<number | null> =>
      (await space.bytesOf(which).catch(() => undefined)) ?? null
    const together = await bytesOf(runs)
    all = together === null || all === null ? null : all + together
    for (const run of runs) {
      const { events = 0, eventBytes: journalBytes = 0, textBytes = 0 } = byRun.get(run) ?? {}
      const [snapshotBytes, worktreeBytes] = [await bytesOf([run]), await space.worktreeBytes(run)]
      const totalBytes = journalBytes + textBytes + (snapshotBytes ?? 0) + worktreeBytes
      const { updatedAt = 0 } = entries.get(run) ?? {}
      rows.push({ run, updatedAt, events, journalBytes, textBytes, snapshotBytes, worktreeBytes, totalBytes })
    }
  }
  const runs = rows.toSorted((one, other) => other.totalBytes - one.totalBytes)
  return { runs, sharedTextBytes, unusedTextBytes, storeBytes: fileBytes, snapshotBytes: all }
}
