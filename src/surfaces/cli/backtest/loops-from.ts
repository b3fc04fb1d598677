import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { factsOf } from '../../../core/backtest/facts-of.ts'
import type { ReplayableLoop } from '../../../core/backtest/replayable-loop.ts'
import { storedLoop } from '../../../core/backtest/stored-loop.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { Store } from '../../../ports/store.ts'

/** What could not be used of the sources. Changed while they are read. */
export interface Skipped {
  /** Lines that are no loop. */
  malformed: number
  /** Loops whose iterations are not numbered one by one. */
  gaps: number
  /** Runs whose journal cannot be read. */
  damaged: number
  /** Runs that did no iteration. */
  withoutIterations: number
  /** The first of them, each with its place; at most `PROBLEMS_KEPT_MAX`. */
  readonly problems: string[]
}

/** How many problems are named one by one. */
const PROBLEMS_KEPT_MAX = 20

/** Nothing was skipped yet. */
export function nothingSkipped(): Skipped {
  return { malformed: 0, gaps: 0, damaged: 0, withoutIterations: 0, problems: [] }
}

/**
 * The loops of a source, one at a time: a file or folder of recorded loops, or a project with a store, or that store itself. A source
 * without a single loop to use is a `recording.empty` error, a loop of an unknown kind a `recording.unknown-kind` error.
 */
export async function* loopsFrom(source: string, skipped: Skipped): AsyncGenerator<ReplayableLoop> {
  const storePath = storeAt(source)
  let count = 0
  for await (const loop of storePath === undefined ? recorded(source, skipped) : stored(storePath, skipped)) {
    count++
    yield loop
  }
  if (count > 0) return
  const why = skipped.problems.length === 0 ? 'it is empty' : `nothing in it could be used; first: ${skipped.problems[0]}`
  const what =
    storePath === undefined ? `There is no recorded loop in ${source}` : `There is no run with an iteration in ${storePath}`
  throw new PawlError('recording.empty', `${what}: ${why}.`, { value: source })
}

/** The store that a source means: a file of that kind, or the one in a project's folder. */
function storeAt(source: string): string | undefined {
  const inFolder = join(source, '.pawl', 'pawl.db')
  if (existsSync(inFolder)) return inFolder
  return source.endsWith('.db') && statSync(source, { throwIfNoEntry: false })?.isFile() ? source : undefined
}

async function* recorded(source: string, skipped: Skipped): AsyncGenerator<ReplayableLoop> {
  const { recordingFiles, recordingLines } = await import('../compose.ts')
  for (const path of recordingFiles(source)) {
    for await (const reading of recordingLines(path)) {
      if (reading.status === 'loop') {
        yield factsOf(reading.loop)
        continue
      }
      const place = `${reading.file}:${reading.line}: ${reading.problem}`
      if (reading.status === 'unknown-kind') throw new PawlError('recording.unknown-kind', `${place}.`, { value: path })
      if (reading.status === 'gap') skipped.gaps++
      else skipped.malformed++
      note(skipped, place)
    }
  }
}

async function* stored(storePath: string, skipped: Skipped): AsyncGenerator<ReplayableLoop> {
  const { openStore } = await import('../compose.ts')
  const root = dirname(dirname(resolve(storePath)))
  const store = openStore({ root, configPath: join(root, 'pawl.yaml'), storePath: resolve(storePath) })
  try {
    for (const { run } of await store.runs()) {
      const loop = await loopOf(store, run, skipped)
      if (loop) yield loop
    }
  } finally {
    await store.close()
  }
}

async function loopOf(store: Store, run: string, skipped: Skipped): Promise<ReplayableLoop | undefined> {
  try {
    const loop = storedLoop(await store.read(run))
    if (!loop) skipped.withoutIterations++
    return loop
  } catch (error) {
    if (!(error instanceof PawlError) || !/^(journal|store\.corrupt)/.test(error.code)) throw error
    skipped.damaged++
    note(skipped, `run ${run} is damaged: pawl verify ${run}`)
    return undefined
  }
}

function note({ problems }: Skipped, problem: string): void {
  if (problems.length < PROBLEMS_KEPT_MAX) problems.push(problem)
}
