import { isOver } from '../../../core/outcome.ts'
import { type RunStatus } from '../../../core/state.ts'
import { builtInFolds } from '../../../loops/evolve.ts'
import { isDamage, PawlError } from '../../../core/pawl-error.ts'
import type { RunEntry, Store } from '../../../stores/store.ts'
import { loadState } from '../../../engine/session.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { damagedRow, runRow, type RunRow, runTable } from '../../../present/run-table.ts'
import { statusWord } from '../../../present/run-lines.ts'
import { holderOf, withExistingStore } from '../stored-run.ts'

export interface LsOptions {
  /** Every run, not only the 20 touched last. */
  readonly all?: boolean
  /** Only runs with this status. */
  readonly status?: string
}

/** Lists the project's runs, the one touched last first. */
export async function ls(context: CliContext, { all = false, status }: LsOptions = {}): Promise<number> {
  const { terminal, isJson } = context
  if (status !== undefined) checkStatus(status)
  const found = (await withExistingStore(context, (store) => list(store, status, all ? Infinity : ROWS_MAX))) ?? {
    rows: [],
    count: 0,
  }
  if (isJson) terminal.json(found.rows)
  else if (found.rows.length > 0) {
    for (const line of runTable(found.rows, terminal, Date.now())) terminal.say(line)
    if (found.count > found.rows.length)
      terminal.say(terminal.paint('dim', `${found.count - found.rows.length} more: pawl ls --all`))
  } else if (status !== undefined) terminal.say(`No run is ${status}.`)
  else terminal.say('No runs yet. Start one: pawl task "what should be true in the end" --agent claude --check "npm test"')
  return EXIT.done
}

const ROWS_MAX = 20
const STATUSES: readonly (RunStatus | 'idle' | 'queued' | 'bound' | 'imported' | 'damaged')[] = [
  'running',
  'idle',
  'queued',
  'bound',
  'waiting',
  'escalated',
  'paused',
  'completed',
  'stopped',
  'aborted',
  'imported',
  'damaged',
]

function checkStatus(status: string): void {
  if (STATUSES.some((each) => each === status)) return
  throw new PawlError('usage.status', `"${status}" is not a status; there are ${STATUSES.join(', ')}.`, { value: status })
}

async function list(
  store: Store,
  status: string | undefined,
  rowsMax: number,
): Promise<{ readonly rows: readonly RunRow[]; readonly count: number }> {
  const queued = new Set((await store.queue.list()).map(({ run }) => run))
  const entries = (await store.runs()).toSorted((one, other) => other.updatedAt - one.updatedAt)
  if (status === undefined) {
    return {
      rows: await Promise.all(entries.slice(0, rowsMax).map((entry) => rowOf(store, entry, queued))),
      count: entries.length,
    }
  }
  const rows: RunRow[] = []
  for (const entry of entries) {
    const row = await rowOf(store, entry, queued)
    const word = row.status === 'damaged' ? row.status : statusWord(row.status, row.isHeld, row.bound !== undefined, row.isQueued)
    if ((row.isImported ? 'imported' : word) === status) rows.push(row)
  }
  return { rows: rows.slice(0, rowsMax), count: rows.length }
}

/** A journal that cannot be folded becomes a row that says so. */
async function rowOf(store: Store, { run, startedAt, updatedAt }: RunEntry, queued: ReadonlySet<string>): Promise<RunRow> {
  try {
    const state = await loadState(store, run, builtInFolds)
    if (!state) return damagedRow(run, 'Its journal is empty.', startedAt, updatedAt)
    return runRow(state, !isOver(state) && (await holderOf(store, run)) !== undefined, updatedAt, queued.has(run))
  } catch (error) {
    if (!isDamage(error)) throw error
    return damagedRow(run, error.message, startedAt, updatedAt)
  }
}
