import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { JSONSchema7 } from 'ai'
import type { Action } from '../../core/action.ts'
import { redactedAction } from '../../secrets/filter.ts'
import type { ToolSetName } from '../agent-settings.ts'
import { FolderRefusal, placeIn, readTextIn, writeTextIn } from '../folder-files.ts'

/** A tool that a model may call; the model gets errors as the result. */
export interface FolderTool {
  readonly name: string
  readonly description: string
  readonly schema: JSONSchema7
  readonly execute: (input: Input) => Promise<string>
}

type Input = Readonly<Record<string, unknown>>

export interface ToolListener {
  tool(action: Action, line: string, file?: string): void
}

/** Tools that read, search and edit files of one folder, and reach nothing outside of it. They do nothing once `signal` is aborted. */
export function folderTools(
  cwd: string,
  wanted: ToolSetName,
  signal: AbortSignal,
  listener: ToolListener,
): readonly FolderTool[] {
  if (wanted === 'none') return []
  return (wanted === 'read' ? READING : [...READING, ...WRITING]).map(({ name, description, schema, run, isEdit }) => ({
    name,
    description,
    schema,
    execute: async (input) => {
      signal.throwIfAborted()
      const result = await run(cwd, input).catch(refusal)
      const isDone = typeof result === 'string'
      const response = isDone ? result : `Error: ${result.refused}`
      const path = text(input, 'path') ?? '.'
      const line = `${path}${name === 'search_files' ? ` for ${text(input, 'text')}` : ''}${isDone ? '' : `: ${result.refused}`}`
      listener.tool(await redactedAction({ name, input, response }), line, isEdit && isDone ? path : undefined)
      return response
    },
  }))
}

interface Tool extends Omit<FolderTool, 'execute'> {
  readonly isEdit?: true
  readonly run: (cwd: string, input: Input) => Promise<string>
}

const path = { type: 'string', description: 'Path of a file, relative to the folder' } as const

const READING: readonly Tool[] = [
  {
    name: 'read_file',
    description: 'Reads a text file. Long files are cut: read on with `line`.',
    schema: object({ path, line: { type: 'integer', minimum: 1, description: 'First line to read; default 1' } }, ['path']),
    run: async (cwd, input) => {
      const first = typeof input['line'] === 'number' ? Math.max(1, Math.floor(input['line'])) : 1
      const lines = (await readTextIn(cwd, required(input, 'path'))).split('\n').slice(first - 1)
      const whole = lines.join('\n')
      if (whole.length <= READ_CHARACTERS_MAX) return whole
      const kept = whole.slice(0, READ_CHARACTERS_MAX).toWellFormed()
      return `${kept}\n[cut: read on from line ${first + kept.split('\n').length - 1}]`
    },
  },
  {
    name: 'list_files',
    description: 'Lists the files under a folder, all the way down.',
    schema: object({ path: { type: 'string', description: 'A folder; default the whole' } }, []),
    run: async (cwd, input) => {
      const names = await filesUnder(cwd, text(input, 'path') ?? '.')
      const more = names.length > LISTED_MAX ? [`[and ${names.length - LISTED_MAX} more]`] : []
      return [...names.slice(0, LISTED_MAX), ...more].join('\n')
    },
  },
  {
    name: 'search_files',
    description: 'Finds the lines that contain a text, with file and line number.',
    schema: object({ text: { type: 'string' }, path: { type: 'string', description: 'A folder; default the whole' } }, ['text']),
    run: async (cwd, input) => search(cwd, required(input, 'text'), text(input, 'path') ?? '.'),
  },
]

const WRITING: readonly Tool[] = [
  {
    name: 'write_file',
    isEdit: true,
    description: 'Writes a whole file, new or in place of the old one.',
    schema: object({ path, content: { type: 'string' } }, ['path', 'content']),
    run: async (cwd, input) => `Wrote ${await writeTextIn(cwd, required(input, 'path'), required(input, 'content'))}.`,
  },
  {
    name: 'edit_file',
    isEdit: true,
    description: 'Replaces a text in a file. The text must be in it exactly once.',
    schema: object({ path, old_text: { type: 'string' }, new_text: { type: 'string' } }, ['path', 'old_text', 'new_text']),
    run: async (cwd, input) => {
      const [name, before, after] = [required(input, 'path'), required(input, 'old_text'), required(input, 'new_text')]
      const content = await readTextIn(cwd, name)
      const count = before === '' ? 0 : content.split(before).length - 1
      if (count !== 1)
        throw new FolderRefusal(`old_text is ${count === 0 ? 'not' : `${count} times`} in ${name}; it must be once.`)
      await writeTextIn(
        cwd,
        name,
        content.replace(before, () => after),
      )
      return `Edited ${name}.`
    },
  },
]

const READ_CHARACTERS_MAX = 60_000
const LISTED_MAX = 1000
const MATCHES_MAX = 200
const FILES_SEARCHED_MAX = 5000
const SEARCHED_CHARACTERS_MAX = 100_000_000

function object(properties: NonNullable<JSONSchema7['properties']>, names: string[]): JSONSchema7 {
  return { type: 'object', properties, required: names, additionalProperties: false }
}

/** Folders that are not the project's own text. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.pawl', 'node_modules', '.venv', '__pycache__', 'target', 'dist'])

async function filesUnder(cwd: string, under: string): Promise<readonly string[]> {
  const root = await placeIn(cwd, under)
  const names: string[] = []
  const folders = [root.name]
  for (let folder = folders.shift(); folder !== undefined && names.length < FILES_SEARCHED_MAX; folder = folders.shift()) {
    const { path: place } = await placeIn(cwd, folder)
    for (const entry of (await readdir(place, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(folder, entry.name)
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(name)
      else if (entry.isFile()) names.push(name)
    }
  }
  return names
}

async function search(cwd: string, wanted: string, under: string): Promise<string> {
  const found: string[] = []
  let characters = 0
  for (const name of await filesUnder(cwd, under)) {
    // What cannot be read as text is not searched.
    const content = await readTextIn(cwd, name).catch(() => '')
    characters += content.length
    if (characters > SEARCHED_CHARACTERS_MAX) return [...found, '[the rest was not searched: name a folder]'].join('\n')
    if (!content.includes(wanted)) continue
    for (const [index, line] of content.split('\n').entries()) {
      if (line.includes(wanted)) found.push(`${name}:${index + 1}: ${line.slice(0, 300)}`)
      if (found.length === MATCHES_MAX) return `${found.join('\n')}\n[more are not shown]`
    }
  }
  return found.length === 0 ? 'Nothing found.' : found.join('\n')
}

function text(input: Input, name: string): string | undefined {
  const value = input[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function required(input: Input, name: string): string {
  const value = input[name]
  if (typeof value !== 'string') throw new FolderRefusal(`${name} is missing.`)
  return value
}

/** What the folder or the system refuses is an answer for the model; anything else is a defect of ours. */
function refusal(error: unknown): { readonly refused: string } {
  if (error instanceof FolderRefusal) return { refused: error.message }
  const { code, message } = error as NodeJS.ErrnoException
  if (typeof code === 'string') return { refused: message }
  throw error
}
