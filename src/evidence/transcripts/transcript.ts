import type { FileChange, Usage } from '../../core/event-data.ts'
import type { Instant } from '../../core/event.ts'
import { createReadStream, type Dirent, globSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { linesOf } from '../recordings.ts'
import { readFile, stat } from 'node:fs/promises'

/** Reads the transcripts of one agent, line by line. What it does not know it passes over: agents write much besides. */
export interface TranscriptReader {
  /** Takes one line; returns the turns that are done with it. */
  take(line: Fields): readonly TranscriptTurn[]
  /** There are no more lines: returns what is left. */
  end(): readonly TranscriptTurn[]
  /** The session it is of, once that is known. */
  session(): TranscriptSession | undefined
}

/** An agent whose transcripts can be read. */
export interface TranscriptAgent {
  readonly name: string
  readonly title: string
  /** What its files are called, and the same in words. */
  readonly fileName: RegExp
  readonly files: string
  /** Where it keeps them. */
  readonly place: string
  readonly reader: () => TranscriptReader
}

/** One reply of an agent in a transcript: what it said, the tools it called with what they returned, and what it took. */
export interface TranscriptTurn extends Usage {
  /** When the reply was there, and when the last of its tools had answered. */
  readonly at: Instant
  readonly endedAt: Instant
  /** What a person said just before it, and when. */
  readonly prompt?: { readonly text: string; readonly at: Instant }
  readonly words: string
  readonly model?: string
  readonly calls: readonly TranscriptCall[]
}

/** One call of a tool. */
export interface TranscriptCall {
  readonly name: string
  readonly input: unknown
  /** Absent where nothing came back. */
  readonly response?: unknown
  /** The command that a shell ran, what it printed, and its exit code if the agent reports it. */
  readonly shell?: { readonly command: string; readonly output?: string; readonly exitCode?: number }
  /** Files that the call edited, and how, as a patch. */
  readonly edits?: readonly FileChange[]
  readonly patch?: string
}

/** What is known of the session that a transcript is of. */
export interface TranscriptSession {
  /** The agent's own id of it. */
  readonly id: string
  /** The folder it worked in. */
  readonly cwd?: string
  /** The version of the agent's program. */
  readonly version?: string
}

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

/** A line of a transcript: an object, or what is wrong with it. */
export type TranscriptLine =
  | { readonly line: number; readonly fields: Fields }
  | { readonly line: number; readonly problem: string }

/**
 * Reads a transcript, one line in memory at a time; empty lines are passed over, and a line that is longer than `LINE_LENGTH_MAX` is not
 * kept. A `.json` file is one document: it comes first without its messages, then each message. A file that cannot be read is a
 * `transcript.unreadable` error.
 */
export async function* transcriptLines(file: string): AsyncGenerator<TranscriptLine> {
  try {
    yield* file.endsWith('.json') ? document(file) : lines(file)
  } catch (error) {
    if (error instanceof PawlError || !isSystemError(error)) throw error
    throw new PawlError('transcript.unreadable', `${file} cannot be read: ${error.message}.`, { value: file, cause: error })
  }
}

/** Longer lines hold pictures or whole repositories: nothing that a guard could use. */
const LINE_LENGTH_MAX = 32 * 1024 * 1024
const DOCUMENT_BYTES_MAX = 256 * 1024 * 1024

async function* lines(file: string): AsyncGenerator<TranscriptLine> {
  let line = 0
  for await (const text of linesOf(createReadStream(file), LINE_LENGTH_MAX)) {
    line++
    if (text === undefined) yield { line, problem: `it has more than ${LINE_LENGTH_MAX / 1024 / 1024} MB` }
    else if (text.trim() !== '') yield { line, ...parsed(text) }
  }
}

function parsed(text: string): { readonly fields: Fields } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? { fields: value } : { problem: 'it is no JSON object' }
  } catch (error) {
    return { problem: `it is no JSON (${(error as Error).message.slice(0, 100)})` }
  }
}

async function* document(file: string): AsyncGenerator<TranscriptLine> {
  const { size } = await stat(file)
  if (size > DOCUMENT_BYTES_MAX)
    throw new PawlError(
      'transcript.too-large',
      `${file} is one document of ${size} bytes, which is more than can be read at once.`,
    )
  const read = parsed(await readFile(file, 'utf8'))
  if ('problem' in read) return yield { line: 1, ...read }
  const { messages, ...head } = read.fields
  yield { line: 1, fields: head }
  for (const [index, message] of listOf(messages).entries()) yield { line: index + 1, fields: fieldsOf(message) }
  return undefined
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error
}

/** A moment written as `2026-11-16T06:10:39.505Z`, in milliseconds; `undefined` for anything else. */
export function instantOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** The text of content that is a text, or a list of parts with one each. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .flatMap((part) => textOf(part['text']) ?? [])
    .join('\n')
}
