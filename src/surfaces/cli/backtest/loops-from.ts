import { existsSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { factsOf, type ReplayableLoop } from '../../../evidence/backtest/recorded-loop.ts'
import { isUnreported, storedLoop } from '../../../evidence/backtest/stored-loop.ts'
import type { Event } from '../../../core/event.ts'
import { isDamage, PawlError } from '../../../core/pawl-error.ts'
import type { Store } from '../../../stores/store.ts'
import { oneLine } from '../../../present/layout.ts'
import type { Skipped } from '../../../present/backtest-lines.ts'

/**
 * The loops of a source, one at a time: a file or folder of recorded loops, or a project with a store, or that store itself. What was read
 * before from this or another source is not read again. A source without a single loop to use is a `recording.empty` error, a loop of an
 * unknown kind a `recording.unknown-kind` error, the transcript of an agent a `recording.transcript` error.
 */
export async function* loopsFrom(source: string, reading: SourceReading): AsyncGenerator<ReplayableLoop> {
  const storePath = storeAt(source)
  const { skipped } = reading
  const repeatedBefore = skipped.repeated + skipped.sourcesRepeated
  reading.firstProblem = undefined
  const unreportedBefore = skipped.unreported
  let count = 0
  for await (const loop of storePath === undefined ? recorded(source, reading) : stored(storePath, reading)) {
    count++
    yield loop
  }
  if (count > 0 || skipped.repeated + skipped.sourcesRepeated > repeatedBefore) return
  if (skipped.unreported > unreportedBefore) {
    const sentence = `There is no run in ${storePath} to try policies on: in the sessions that were imported no tests were seen, so nobody knows how they ended.`
    throw new PawlError('recording.empty', sentence, { value: source })
  }
  const problem = reading.firstProblem
  const why = problem === undefined ? 'it is empty' : `nothing in it could be used; first: ${oneLine(problem)}`
  const what =
    storePath === undefined ? `There is no recorded loop in ${source}` : `There is no run with an iteration in ${storePath}`
  throw new PawlError('recording.empty', `${what}: ${why}.`, { value: source })
}

/** The store that a source means: a file of that kind, or the one in a project's folder, or in its `.pawl`. */
function storeAt(source: string): string | undefined {
  const inFolder = [join(source, '.pawl', 'pawl.db'), join(source, 'pawl.db')].find((path) => existsSync(path))
  if (inFolder !== undefined) return inFolder
  return source.endsWith('.db') && statSync(source, { throwIfNoEntry: false })?.isFile() ? source : undefined
}

async function* recorded(source: string, reading: SourceReading): AsyncGenerator<ReplayableLoop> {
  const { recordingFiles } = await import('../../../evidence/recordings.ts')
  for (const path of recordingFiles(source)) {
    if (reading.isNewSource(realpathSync(path), path)) yield* recordedIn(path, reading)
  }
}

async function* recordedIn(path: string, reading: SourceReading): AsyncGenerator<ReplayableLoop> {
  const { recordingLines } = await import('../../../evidence/recordings.ts')
  let isFirst = true
  for await (const found of recordingLines(path)) {
    const place = `${path}:${found.line}`
    if (isFirst && found.status !== 'loop') await refuseTranscript(path)
    isFirst = false
    if (found.status === 'loop') {
      const { dataset, kind, config, model, agent, id, iterations, max_iterations: max } = found.loop
      if (reading.isNewLoop([dataset, kind, config, model, agent, id].join('\n'), `the loop "${id}" of ${dataset}`, place)) {
        if (iterations.length > (max ?? Infinity)) reading.beyondMaximum++
        yield factsOf(found.loop)
      }
    } else if (found.status === 'unknown-kind') {
      throw new PawlError('recording.unknown-kind', `${place}: ${oneLine(found.problem)}.`, { value: path })
    } else reading.skip(found.status === 'gap' ? 'gaps' : 'malformed', `${place}: ${found.problem}`)
  }
}

/** A named transcript means its session; every line of it would be reported as malformed. */
async function refuseTranscript(path: string): Promise<void> {
  const { agentOfTranscript, TRANSCRIPT_AGENTS, UNREADABLE_AGENTS } = await import('../../../evidence/import-transcript.ts')
  const name = await agentOfTranscript(path, TRANSCRIPT_AGENTS)
  const unreadable = UNREADABLE_AGENTS.find((each) => each.name === name)
  if (unreadable)
    throw new PawlError(
      'recording.transcript',
      `${path} is a transcript of ${unreadable.title}, not recorded loops, and those cannot be imported.`,
      { value: path },
    )
  const agent = TRANSCRIPT_AGENTS.find((each) => each.name === name)
  if (!agent) return
  const sentence = `${path} is a transcript of ${agent.title}, not recorded loops: read it in with \`pawl import ${agent.name} ${path}\`, then try policies on it with \`pawl backtest .pawl\`.`
  throw new PawlError('recording.transcript', sentence, { value: path })
}

async function* stored(storePath: string, reading: SourceReading): AsyncGenerator<ReplayableLoop> {
  if (!reading.isNewSource(realpathSync(storePath), storePath)) return
  const { openStoreFile } = await import('../../../registry/open-store.ts')
  const store = openStoreFile(resolve(storePath))
  try {
    for (const { run } of await store.runs()) {
      const events = await journalOf(store, run, reading)
      const loop = events && storedLoop(events)
      if (events && !loop) reading.skip(isUnreported(events) ? 'unreported' : 'withoutIterations')
      // Two projects may have runs of the same name; those that also began in the same millisecond are copies.
      const key = `${run}\n${events?.[0]?.at}`
      if (loop && reading.isNewLoop(key, `the run ${run}`, storePath)) yield loop
    }
  } finally {
    await store.close()
  }
}

async function journalOf(store: Store, run: string, reading: SourceReading): Promise<readonly Event[] | undefined> {
  try {
    return await store.read(run)
  } catch (error) {
    if (!isDamage(error)) throw error
    reading.skip('damaged', `run ${run} is damaged: pawl verify ${run}`)
    return undefined
  }
}

/** How many problems are named one by one. */
const PROBLEMS_KEPT_MAX = 20

/** The reading of several sources: what could not be used, and what was read already. */
export class SourceReading {
  readonly skipped: Skipped = {
    malformed: 0,
    gaps: 0,
    repeated: 0,
    sourcesRepeated: 0,
    damaged: 0,
    withoutIterations: 0,
    unreported: 0,
    problems: [],
  }
  /** Recorded loops with more iterations than their own maximum allows. They are used. */
  beyondMaximum = 0
  /** The first problem of the source that is read now, also where more were met before than are kept. */
  firstProblem: string | undefined
  readonly #paths = new Map<string, string>()
  readonly #loops = new Map<string, string>()

  /** Counts something that could not be used, and says where. */
  skip(what: Exclude<keyof Skipped, 'problems'>, problem?: string): void {
    this.skipped[what]++
    this.firstProblem ??= problem
    if (problem !== undefined && this.skipped.problems.length < PROBLEMS_KEPT_MAX) this.skipped.problems.push(problem)
  }

  /** Whether this file or store is read for the first time. `realPath` is the same whatever it is called. */
  isNewSource(realPath: string, name: string): boolean {
    const before = this.#paths.get(realPath)
    if (before === undefined) this.#paths.set(realPath, name)
    else this.skip('sourcesRepeated', `${name} was named before${before === name ? '' : `, as ${before}`}: it counts once`)
    return before === undefined
  }

  /** Whether this loop is read for the first time. `name` is what people call it, `place` where it is. */
  isNewLoop(key: string, name: string, place: string): boolean {
    const before = this.#loops.get(key)
    if (before === undefined) this.#loops.set(key, place)
    else this.skip('repeated', `${place}: ${name} was read before from ${before}; it counts once`)
    return before === undefined
  }
}
