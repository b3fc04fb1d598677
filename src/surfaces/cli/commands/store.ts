import { PawlError } from '../../../core/pawl-error.ts'
import { counted } from '../../../core/wording.ts'
import { copyRuns, type CopiedRun } from '../../../engine/copy-runs.ts'
import type { Store } from '../../../stores/store.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'

export interface StoreFlags {
  readonly run?: readonly string[]
}

/** Copies runs from one store to another: `pawl store copy FROM TO`. */
export async function store(
  { terminal, isJson }: CliContext,
  { run: wanted }: StoreFlags,
  [action, from = '', to = '']: readonly string[],
): Promise<number> {
  if (action !== 'copy')
    throw new PawlError('usage.store', `There is no \`pawl store ${action}\`: write pawl store copy FROM TO.`, { value: action })
  if (from === to) throw new PawlError('usage.store', 'FROM and TO are the same store: name two different ones.')
  const { openStoreAt } = await import('../../../registry/open-store.ts')
  const source = openStoreAt(from, false)
  try {
    // Before the other file is made: a mistake in FROM leaves nothing behind.
    const runs = await runsToCopy(source, wanted)
    const target = openStoreAt(to, true)
    try {
      const all: CopiedRun[] = []
      for await (const each of copyRuns(source, target, runs)) {
        all.push(each)
        if (!isJson) terminal.say(lineOf(each))
      }
      if (isJson) terminal.json({ runs: all })
      else terminal.say(summaryOf(all))
      if (all.some(({ status }) => status === 'differs')) return EXIT.error
      return all.some(({ status }) => status === 'held') ? EXIT.held : EXIT.done
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function runsToCopy(source: Store, wanted: readonly string[] | undefined): Promise<readonly string[]> {
  const known = (await source.runs()).map(({ run }) => run)
  const unknown = wanted?.find((run) => !known.includes(run))
  if (unknown !== undefined)
    throw new PawlError('run.unknown', `There is no run "${unknown}" in FROM: leave --run out to copy all.`, { value: unknown })
  return wanted ?? known.toSorted()
}

function lineOf(each: CopiedRun): string {
  switch (each.status) {
    case 'copied':
      return `✓ ${each.run}  ${counted(each.events, 'event')}, ${counted(each.texts, 'text')}`
    case 'there':
      return `  ${each.run}  is there already`
    case 'differs':
      return `✗ ${each.run}  another run has this name there; remove one of them with pawl rm`
    case 'held':
      return `✗ ${each.run}  process ${each.holder.pid} on ${each.holder.host} drives it; copy it when it has stopped`
  }
}

function summaryOf(all: readonly CopiedRun[]): string {
  const count = (status: CopiedRun['status']): number => all.filter((each) => each.status === status).length
  const left = count('held') + count('differs')
  return `${counted(count('copied'), 'run')} copied, every hash chain verified${left > 0 ? `; ${counted(left, 'run')} left out` : ''}`
}
