import { type Dirent, globSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import type { TranscriptAgent } from './transcript-reader.ts'

/**
 * The transcripts that a path names: a file itself, those in a folder and below by the names that the agent gives them, or what a glob
 * finds; in order, each once. Nothing found is a `transcript.none` error, and a path that is not there a `transcript.missing` one.
 */
export function transcriptFiles({ title, fileName, files, place }: TranscriptAgent, path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  const named = found?.isDirectory() ? below(path, fileName) : found ? [path] : globbed(path, fileName)
  if (named.length > 0) return [...new Set(named.map((file) => resolve(file)))].toSorted()
  const sentence = found
    ? `There are no transcripts of ${title} in ${path}: their files are called ${files}.`
    : `There is no file or folder ${path}: ${title} keeps its transcripts in ${place}.`
  throw new PawlError(found ? 'transcript.none' : 'transcript.missing', sentence, { value: path })
}

function globbed(pattern: string, fileName: RegExp): readonly string[] {
  if (!/[*?[{]/.test(pattern)) return []
  return globSync(pattern).flatMap((path) => (statSync(path).isDirectory() ? below(path, fileName) : [path]))
}

function below(folder: string, fileName: RegExp): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry: Dirent) => entry.isFile() && fileName.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}
