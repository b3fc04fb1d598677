import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'

/** The recordings files that a path names: itself, or those in the folder, in the order of their names. A folder without any is an error. */
export function recordingFiles(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) {
    const sentence = `There is no file or folder ${path}: name files of recorded loops (.jsonl or .jsonl.gz), a folder of them, or a folder with a .pawl store.`
    throw new PawlError('recording.missing', sentence, { value: path })
  }
  if (!found.isDirectory()) return [path]
  const files = readdirSync(path)
    .filter((name) => RECORDING.test(name))
    .toSorted()
  if (files.length > 0) return files.map((name) => join(path, name))
  const sentence = `There are no recorded loops in ${path}: files of them end in .jsonl or .jsonl.gz, and a project's own runs are in .pawl/pawl.db.`
  throw new PawlError('recording.none', sentence, { value: path })
}

const RECORDING = /\.jsonl(?:\.gz)?$/
