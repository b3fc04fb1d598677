import { hash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { storedLoop } from './backtest/stored-loop.ts'
import { oddsFromLessons, ownLesson, type OwnLesson } from './own-odds.ts'
import { type OwnOdds, ownOddsIn, withOwnOdds } from '../guards/odds/own-odds.ts'
import { SHIPPED_ODDS } from '../guards/odds/shipped-odds.ts'
import { isDamage } from '../core/pawl-error.ts'
import { type State, STATE_VERSION } from '../core/state.ts'
import type { RunEntry, Store } from '../stores/store.ts'
import type { RunConfig } from '../core/run-config.ts'

/** How many runs the odds may rest on, the newest. */
const RUNS_MAX = 500

/** How many journals are read at a time; the others are read the next times. */
const RUNS_READ_MAX = 50

/** A longer journal is not read: no loop that the odds were learned from was nearly as long. */
const EVENTS_MAX = 5000

/**
 * What the project's own runs taught about the odds. Only runs that are new or have grown are read; what each taught is kept in
 * `.pawl/odds.json`, which may be deleted at any time. Without runs nothing is known and nothing is written.
 */
export async function ownHistory(store: Store, storePath: string): Promise<OwnOdds> {
  const path = join(dirname(storePath), 'odds.json')
  const known = keptIn(path)
  const newest = (await store.runs()).toSorted((one, other) => other.startedAt - one.startedAt).slice(0, RUNS_MAX)
  const kept: Record<string, Kept> = {}
  let read = 0
  for (const entry of newest) {
    const before = Object.hasOwn(known, entry.run) ? known[entry.run] : undefined
    const isSame = before?.seq === entry.seq
    if (!isSame && read < RUNS_READ_MAX) kept[entry.run] = { seq: entry.seq, lesson: await lessonIn(store, entry) }
    else if (before) kept[entry.run] = before
    if (!isSame) read++
  }
  if (read > 0) keep(path, kept)
  return oddsFromLessons(Object.values(kept).flatMap(({ lesson }) => lesson ?? []))
}

/** What a run taught when its journal had so many events. */
interface Kept {
  readonly seq: number
  readonly lesson: OwnLesson | null
}

async function lessonIn(store: Store, { run, seq }: RunEntry): Promise<OwnLesson | null> {
  if (seq > EVENTS_MAX) return null
  try {
    const loop = storedLoop(await store.read(run))
    return (loop && ownLesson(loop)) ?? null
  } catch (error) {
    // A damaged journal teaches nothing; `pawl verify` is there to tell of it.
    if (!isDamage(error)) throw error
    return null
  }
}

/** What was taught depends on the shipped odds and on how journals are folded: with others it is learned again. */
function learnedWith(): string {
  return `${STATE_VERSION}-${hash('sha256', JSON.stringify(SHIPPED_ODDS)).slice(0, 16)}`
}

/** What was kept; nothing where the file is missing, of another version or no longer what was written. */
function keptIn(path: string): Readonly<Record<string, Kept>> {
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const { learnedWith: version, runs } = found as { readonly learnedWith?: unknown; readonly runs?: Record<string, Kept> }
    return version === learnedWith() && Object.values(runs ?? {}).every(isKept) ? (runs ?? {}) : {}
  } catch {
    // It can all be read again from the journals.
    return {}
  }
}

function isKept({ seq, lesson }: Kept): boolean {
  const isWhole = lesson === null || lesson.moments.every(({ chance }) => chance > 0 && chance < 1)
  return Number.isInteger(seq) && isWhole
}

function keep(path: string, runs: Readonly<Record<string, Kept>>): void {
  const beside = `${path}.${process.pid}.new`
  try {
    writeFileSync(beside, `${JSON.stringify({ learnedWith: learnedWith(), runs })}\n`, { mode: 0o600 })
    renameSync(beside, path)
  } catch {
    // Where it cannot be kept, the next command reads those journals again: it costs time and nothing else.
  }
}

/**
 * The configuration of a run with what the project's runs before it taught about the odds. It is part of the run from its beginning on: a
 * run that is known keeps what it began with, so that continuing it changes nothing.
 */
export async function withHistory(
  config: RunConfig,
  known: State | undefined,
  store: Store,
  storePath: string,
): Promise<RunConfig> {
  const own = known ? ownOddsIn(known.given.guards) : await ownHistory(store, storePath)
  return { ...config, guards: withOwnOdds(config.guards, own) }
}
