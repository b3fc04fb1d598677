import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Event } from '../../core/event.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import { evolve } from '../../loops/evolve.ts'
import { checkpointOf, readConfig, type SeedCheckpoint } from '../../loops/research/index.ts'
import { filledIn } from '../../loops/research/settings.ts'
import { LIST, listOf, NUMBER, settingsSchema, WORDS } from '../../schema/kinds.ts'
import { readValue } from '../../schema/read-value.ts'
import type { LoadedResearch } from '../../settings/research-file.ts'
import { shortPath, textFile } from '../../settings/text-file.ts'

/** The three files of another engine, which are read as they are. */
const SEED_FILES = ['iteration-rules.json', 'orchestration-config.json', 'agent-roles.json'] as const

/** The files of a folder as they are; keys of theirs that have no effect here are listed. */
export async function loadConfigFolder(folder: string): Promise<LoadedResearch> {
  let whole: JsonObject = {}
  // Files of one engine share sections, such as `error_handling`.
  for (const file of SEED_FILES) whole = filledIn(whole, (await jsonFile(join(folder, file))) ?? {})
  if (Object.keys(whole).length === 0)
    throw new PawlError('usage.no-file', `${shortPath(folder)} has none of ${SEED_FILES.join(', ')}.`, { value: folder })
  const { problems, ...read } = readConfig(whole, { isStrict: false })
  if (problems.length === 0) return read
  const lines = problems.map(({ path, message }) => `${shortPath(folder)}: ${path.join('.')}: ${message}`)
  throw new PawlError('config.invalid', lines.join('\n'))
}

/** A checkpoint in the seed's shape. */
export async function loadCheckpoint(path: string): Promise<SeedCheckpoint> {
  const value = await jsonFile(path)
  if (value === undefined) throw new PawlError('usage.no-file', `There is no checkpoint ${shortPath(path)}.`, { value: path })
  const wrong = readValue(CHECKPOINT, value).problems.find(({ isUnknown }) => !isUnknown)
  if (wrong === undefined) return value as unknown as SeedCheckpoint
  const sentence = `${shortPath(path)} is no checkpoint of research: ${wrong.path.join('.')}: ${wrong.message}.`
  throw new PawlError('usage.checkpoint', sentence, { value: path })
}

/** What is needed of a checkpoint; it may have more. */
const CHECKPOINT = settingsSchema({
  findings: listOf('a list', settingsSchema({ id: WORDS, description: WORDS, citations: LIST, source_agents: LIST })),
  files_analyzed: LIST,
  gaps_identified: LIST,
  iteration: NUMBER,
  coverage: NUMBER,
  unresolved_conflicts: NUMBER,
})

async function jsonFile(path: string): Promise<JsonObject | undefined> {
  const text = await textFile(path)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    throw new PawlError('config.invalid', `${shortPath(path)} is not JSON: ${(error as Error).message}`, {
      value: path,
      cause: error,
    })
  }
  throw new PawlError('config.invalid', `${shortPath(path)} must be a JSON object.`, { value: path })
}

export interface CheckpointFolderOptions {
  /** The folder that is looked at: what agents change in it is put back. */
  readonly workspace: string
  /** Checkpoints that are older are deleted. Default: all are kept. */
  readonly retentionMs?: number
  readonly now: number
}

/**
 * Makes the folder for checkpoints before anybody looks at the files. One among them is kept out of git, of the snapshots and of the
 * files that count as code: what Pawl itself writes is no agent's change and no evidence. Returns what went wrong: then no checkpoint is
 * written, and the research continues. Throws for a folder that holds other files than checkpoints.
 */
export function makeCheckpointFolder(
  folder: string,
  { workspace, retentionMs, now }: CheckpointFolderOptions,
): string | undefined {
  const inside = relative(workspace, folder)
  const isAmongFiles = inside.split(sep)[0] !== '..' && !inside.startsWith(sep) && !inside.split(sep).includes('.pawl')
  if (isAmongFiles) requireOwn(folder, inside)
  try {
    makeFolder(folder)
    if (isAmongFiles && !existsSync(join(folder, IGNORE_FILE))) writeFileSync(join(folder, IGNORE_FILE), '*\n')
    if (retentionMs !== undefined) dropOld(folder, now - retentionMs)
    return undefined
  } catch (error) {
    return `Checkpoints in ${shortPath(folder)} couldn't be written, and the research continues without them: ${(error as Error).message}`
  }
}

/** What a checkpoint's file is called. */
function checkpointName(run: string, iteration: number): string {
  return `${run}-iter-${iteration}.json`
}

const IGNORE_FILE = '.gitignore'
const OWN_NAME = /-iter-\d+\.json(\.new)?$/

function requireOwn(folder: string, inside: string): void {
  const names = existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : []
  const foreign = inside === '' ? '.' : names.find((name) => name !== IGNORE_FILE && !OWN_NAME.test(name))
  if (foreign === undefined) return
  throw new PawlError(
    'usage.checkpoint-folder',
    `checkpoint_settings.directory: ${shortPath(folder)} holds other files than checkpoints (${foreign}), and what is written among the files would be taken for an agent's change: name a folder of its own, such as .pawl/checkpoints.`,
    { value: folder },
  )
}

/** Level by level: Node's own recursive way never comes back where the system refuses a folder as `/proc` does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

function dropOld(folder: string, before: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (OWN_NAME.test(name) && statSync(path).mtimeMs < before) rmSync(path, { force: true })
  }
}

/**
 * Writes a checkpoint in the seed's shape after every iteration, into a folder that is there. The journal has it all anyway: a file that
 * cannot be written is a warning, and the research continues.
 */
export function checkpointWriter(folder: string, known: State | undefined, warn: (line: string) => void): (event: Event) => void {
  let state = known
  return (event) => {
    state = evolve(state, event)
    if (event.type !== 'convergence.measured') return
    const path = join(folder, checkpointName(state.run, event.data.iteration))
    try {
      writeFileSync(`${path}.new`, `${JSON.stringify(checkpointOf(state), undefined, 2)}\n`)
      renameSync(`${path}.new`, path)
    } catch (error) {
      warn(`The checkpoint ${path} couldn't be written, and the research continues: ${(error as Error).message}`)
    }
  }
}
