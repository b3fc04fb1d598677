import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PawlError } from '../../../core/pawl-error.ts'
import type { ProcessIdentity } from '../../../core/event-data.ts'
import type { Store } from '../../../stores/store.ts'
import { isProcessAlive } from '../../../process/process-identity.ts'
import { withStore, type CliContext } from '../cli-context.ts'
import type { Examined } from './examined.ts'

/** Whether the store can be read and written, whether its file is whole, and which runs were left behind. Makes no store. */
export async function examineStore(context: CliContext): Promise<readonly Examined[]> {
  const { storePath, root } = context.project
  // An empty file is what is left when a first run is killed at once; opening it would write tables into it.
  if (!existsSync(storePath) || statSync(storePath).size === 0) return [noStore(root, storePath)]
  try {
    return await withStore(context, async (store) => {
      const runs = (await store.runs()).map(({ run }) => run)
      const damage = damageOf(storePath)
      return [
        damage ?? {
          topic: 'store',
          status: 'ok',
          message: `${storePath}: ${runs.length} run${runs.length === 1 ? '' : 's'}, whole`,
        },
        ...(await leftBehind(store, runs)),
      ]
    })
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return [
      { topic: 'store', status: 'problem', message: error.message, fix: `see to ${storePath}, then run \`pawl doctor\` again` },
    ]
  }
}

function noStore(root: string, storePath: string): Examined {
  const folder = [dirname(storePath), root].find((each) => existsSync(each)) ?? root
  try {
    accessSync(folder, constants.W_OK)
    return { topic: 'store', status: 'absent', message: 'none yet; the first run makes one' }
  } catch (error) {
    const message = `none yet, and the first run cannot make one in ${folder} (${(error as Error).message})`
    return { topic: 'store', status: 'problem', message, fix: 'give this user the right to write there' }
  }
}

/** What SQLite itself finds wrong with its file. */
function damageOf(path: string): Examined | undefined {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 })
  try {
    const found = database
      .prepare('PRAGMA quick_check(5)')
      .all()
      .map((row) => String(row['quick_check']))
    if (found.length === 1 && found[0] === 'ok') return undefined
    return damaged(path, found.join('\n'))
  } catch (error) {
    return damaged(path, (error as Error).message)
  } finally {
    database.close()
  }
}

function damaged(path: string, what: string): Examined {
  const fix = `move ${path} and its -wal file away, or bring back a copy of both; \`pawl verify\` tells which runs are whole`
  return { topic: 'store', status: 'problem', message: `${path} is damaged: ${what}`, fix }
}

const RUNS_NAMED_MAX = 5

/** Runs whose driver is dead. They wait for somebody to go on with them. */
async function leftBehind(store: Store, runs: readonly string[]): Promise<readonly Examined[]> {
  const dead: { run: string; holder: ProcessIdentity }[] = []
  for (const run of runs) {
    const holder = await store.holder(run, 'last')
    if (holder !== undefined && isProcessAlive(holder) === false) dead.push({ run, holder })
  }
  const named = dead.slice(0, RUNS_NAMED_MAX).map(({ run, holder }): Examined => {
    const message = `its process ${holder.pid} is gone; nothing is lost`
    return { topic: `run ${run}`, status: 'warning', message, fix: `\`pawl resume ${run}\` goes on with it` }
  })
  const more = dead.length - named.length
  if (more === 0) return named
  return [
    ...named,
    { topic: 'runs', status: 'warning', message: `the processes of ${more} more are gone`, fix: '`pawl ls` lists them' },
  ]
}
