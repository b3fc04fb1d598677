import type { Json } from './json.ts'
import type { State } from './state.ts'
import type { Suspicion, SuspicionKind } from './suspicion.ts'
import type { Trip } from './trip.ts'
import { shortened } from './wording.ts'

/** What an agent is told to put back, line by line, because of what it edited in them. */
export function disputedLines(state: State, disputes: readonly Trip[]): string {
  const start = state.current.ended?.verdict.passed
    ? 'The checks pass only because of what you changed in them. Put this back, and reach the goal without it:'
    : 'You changed what your work is checked by. Put this back, and reach the goal without it:'
  const found = disputes.flatMap((trip) => linesOf(trip, state))
  const lines = found.length > 0 ? found : disputes.map((trip) => trip.message)
  const more = lines.length > LINES_MAX ? [`- and ${lines.length - LINES_MAX} more like these`] : []
  return [start, ...lines.slice(0, LINES_MAX).map((line) => `- ${line}`), ...more].join('\n')
}

const LINES_MAX = 10

/** The guard says which edits it means; what it does not watch need not be put back. */
function linesOf({ evidence: { measures } }: Trip, { current }: State): readonly string[] {
  const { suspicions, vanished, skipped, counts } = measures
  const edits = Array.isArray(suspicions) ? (suspicions as unknown as readonly Suspicion[]) : []
  const lines = [
    ...edits.map(lineOf),
    ...namesIn(vanished).map((id) => `the test "${id}" does not run any more`),
    ...namesIn(skipped).map((id) => `the test "${id}" is skipped now`),
    ...namesIn(counts),
  ]
  return lines.length > 0 ? lines : (current.observed?.suspicions ?? []).map(lineOf)
}

function namesIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map((name) => shortened(String(name), 120)) : []
}

function lineOf({ kind, file, line, text }: Suspicion): string {
  return `${file}${line === undefined ? '' : `:${line}`} (${WORDS[kind]}): ${shortened(text, 160)}`
}

const WORDS: Readonly<Record<SuspicionKind, string>> = {
  deleted: 'a test was deleted',
  skipped: 'a test is skipped',
  focused: 'only this test runs',
  emptied: 'a test checks nothing any more',
  weakened: 'a check was weakened',
  protected: 'the file must not be changed',
  state: 'this belongs to Pawl',
}
