import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { factsOf, type ReplayableLoop } from '../src/evidence/backtest/recorded-loop.ts'
import { recordingFiles, recordingLines } from '../src/evidence/recordings.ts'

/** Where the recorded loops lie when nobody says so: beside the repository. */
export const RECORDED_LOOPS = join(import.meta.dirname, '..', '..', 'shared', 'data', 'loops')

/** What to do if they aren't. */
export function missingLoops(folder: string): string | undefined {
  if (hasLoops(folder)) return undefined
  const below = join(folder, 'loops')
  const fix = hasLoops(below) ? `Did you mean ${below}?` : 'Name the folder with their .jsonl or .jsonl.gz files as the argument.'
  return `There are no recorded loops in ${folder}, and they are not part of this repository. ${fix}`
}

function hasLoops(folder: string): boolean {
  const entry = statSync(folder, { throwIfNoEntry: false })
  const names = entry?.isDirectory() ? readdirSync(folder) : [folder]
  return entry !== undefined && names.some((name) => /\.jsonl(\.gz)?$/.test(name))
}

/** All loops of a folder, one at a time. A line that cannot be used is an error here: figures must rest on all of them. */
export async function* recordedLoops(folder: string): AsyncGenerator<ReplayableLoop> {
  for (const file of recordingFiles(folder)) {
    for await (const reading of recordingLines(file)) {
      if (reading.status !== 'loop') throw new Error(`${reading.file}:${reading.line}: ${reading.problem}`)
      yield factsOf(reading.loop)
    }
  }
}
