import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Event, Fact } from '../../src/core/event.ts'
import type { RunConfig } from '../../src/core/run-config.ts'
import { maxIterations, sameFailure } from '../../src/guards/index.ts'
import { machineProcesses } from '../../src/process/processes.ts'
import type { Store } from '../../src/stores/store.ts'
import { configOf, type IterationGiven, journalOf } from '../../src/testing/state-builder.ts'

const GOLDEN = join(import.meta.dirname, '..', 'golden')

/** Writes a journal into a store, as the process that drove it would have. */
export async function putRun(store: Store, run: string, events: readonly (Event | Fact)[]): Promise<void> {
  const claimed = await store.claim(run, machineProcesses.self())
  if (claimed.status !== 'claimed') throw new Error(`${run} is held.`)
  const facts = events.map(({ type, at, by, data, because }) => ({
    type,
    at,
    by,
    data,
    ...(because === undefined ? {} : { because }),
  })) as readonly Fact[]
  for (let done = 0; done < facts.length; done += 1000) {
    await store.append(run, facts.slice(done, done + 1000), { claim: claimed.claim, expectedSeq: done })
  }
  await store.release(claimed.claim)
}

/** Every golden journal as a run of its own: all four loops, questions, stops and proofs. Returns their names. */
export async function putGoldenRuns(store: Store, now: number): Promise<readonly string[]> {
  const files = readdirSync(GOLDEN).filter((name) => name.endsWith('.jsonl'))
  const runs: string[] = []
  for (const [index, file] of files.entries()) {
    const events = readFileSync(join(GOLDEN, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Event)
    const run = file.replace('.jsonl', '').slice(0, 60).replace(/-+$/, '')
    const last = events.at(-1)?.at ?? 0
    // Golden journals count time from 1; here the last one ended a while ago.
    const shift = now - last - index * 3_600_000
    await putRun(
      store,
      run,
      events.map((event) => ({ ...event, at: event.at + shift })),
    )
    runs.push(run)
  }
  return runs
}

/** A run of many iterations whose failing tests go down and up. */
export function longJournal(iterations: number, now: number): readonly Event[] {
  const given = Array.from({ length: iterations }, (_, index): IterationGiven => ({
    failures: names(1 + Math.round(20 * Math.abs(Math.sin(index / 40)))),
    tests: 400,
    costUsd: 0.01 + (index % 7) / 100,
    tokens: 12_000 + index,
    durationMs: 20_000 + (index % 9) * 4000,
    said: `Attempt ${index + 1}: changed the parser and ran the tests again.`,
  }))
  return moved(journalOf(given, config('Make every test of the parser pass', iterations + 5)), now)
}

/** A run with many tests, of which one in twenty fails in each iteration, another one each time. */
export function gridJournal(tests: number, iterations: number, now: number): readonly Event[] {
  const given = Array.from({ length: iterations }, (_, iteration): IterationGiven => {
    const outcomes = Array.from({ length: tests }, (_test, index) => ({
      id: `suite ${index % 100} > does the thing number ${index}`,
      outcome: (index + iteration) % 20 === 0 ? ('failed' as const) : ('passed' as const),
    }))
    const failing = outcomes.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)
    return { outcomes, failures: failing.slice(0, 50), tests }
  })
  return moved(journalOf(given, config('Keep ten thousand tests green', iterations + 1)), now)
}

/** A short run, one of many. */
export function shortJournal(index: number, now: number): readonly Event[] {
  const iterations = 1 + (index % 5)
  const given = Array.from({ length: iterations }, (_, at): IterationGiven => ({
    failures: names((index % 4) + iterations - at - 1),
    tests: 40,
    costUsd: (index % 30) / 100,
    durationMs: 30_000,
  }))
  const goal = `${GOALS[index % GOALS.length]} (${index})`
  return moved(journalOf(given, config(goal, 6)), now - index * 600_000)
}

const GOALS = [
  'All tests pass',
  'Fix the login that returns a string',
  'Upgrade the router without breaking links',
  'Make the importer read files of 2 GB',
  'Remove the last use of the old client',
]

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `parser > reads form ${index}`)
}

function config(goal: string, iterationsMax: number): RunConfig {
  const base = configOf([maxIterations(iterationsMax).spec, sameFailure().spec])
  return {
    ...base,
    loop: { name: 'task', v: 1, settings: { goal } },
    agent: { name: 'claude', v: 1, settings: { model: 'opus' } },
  }
}

/** Journals of the builder begin at a made-up time: here they end now. */
function moved(events: readonly Event[], now: number): readonly Event[] {
  const shift = now - (events.at(-1)?.at ?? 0)
  return events.map((event) => ({ ...event, at: event.at + shift }))
}
