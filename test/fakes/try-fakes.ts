import { onTestFailed } from 'vitest'
import { attempt } from './attempt.ts'
import { type Fake, FAKES } from './fakes.ts'
import { HOOK_FAKES, RALPH_FAKES } from './promise-fakes.ts'
import { MCP_FAKES } from './mcp-fakes.ts'
import { REVIEW_FAKES } from './review-fakes.ts'

const TABLES = {
  'a pass is not believed': FAKES,
  'an item of a review is not believed': REVIEW_FAKES,
  'a promise to Ralph is not believed': RALPH_FAKES,
  'a promise to a hook is not believed': HOOK_FAKES,
  'a pass over MCP is not believed': MCP_FAKES,
}

/** In so many files at the same time: each is a run of its own, which mostly waits for processes. */
const FILES = 3

/** A fake with its name among the tests. */
export type TriedFake = readonly [name: string, fake: Fake, isTask: boolean]

/** The fakes of one of the files, by its number from 0. */
export function fakesOf(file: number): readonly TriedFake[] {
  const all = Object.entries(TABLES).flatMap(([table, kinds]) =>
    Object.entries(kinds).flatMap(([name, fakes]) =>
      fakes.map((fake): TriedFake => [`FAKE ${table}: ${name} > ${fake[0]} (${fake[1].check})`, fake, kinds === FAKES]),
    ),
  )
  return all.filter((_, index) => index % FILES === file)
}

/** Whether a fake was believed. One whose check fails anyway says nothing about the proof; elsewhere a reviewer or a floor may come first. */
export async function tryFake([, [, project, work, { believed: _why, ...options } = {}], isTask]: TriedFake) {
  const outcome = await attempt(project, work, options)
  onTestFailed(() => console.error(outcome.message))
  return { isTried: outcome.hasPassed || !isTask, isBelieved: outcome.status === 'completed' }
}
