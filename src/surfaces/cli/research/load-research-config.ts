import { join } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import type { JsonObject } from '../../../core/json.ts'
import { type ConfigTrouble, readConfig, type ReadConfig, type SeedCheckpoint } from '../../../loops/research/index.ts'
import { shortPath, textFile } from '../../../settings/text-file.ts'

/** The name of the file of settings, where none is given. */
export const RESEARCH_FILE = 'pawl-research.yaml'

/** The three files of another engine, which are read as they are. */
const SEED_FILES = ['iteration-rules.json', 'orchestration-config.json', 'agent-roles.json'] as const

type Loaded = Omit<ReadConfig, 'problems'>

const NOTHING: Loaded = { overrides: {}, unused: [] }

/** The file of settings; everything wrong in it is one error, a line each. Without one of that name nothing is set, unless it was asked for. */
export async function loadResearchFile(path: string, isAskedFor: boolean): Promise<Loaded> {
  const text = await textFile(path)
  const name = shortPath(path)
  if (text === undefined && !isAskedFor) return NOTHING
  if (text === undefined) throw new PawlError('usage.no-file', `There is no file ${name}: \`pawl research init\` writes one.`)
  // Only here: yaml takes longer to load than the rest of most commands.
  const { parseDocument } = await import('yaml')
  const { offsetOf, textPlace } = await import('../../../settings/yaml-file.ts')
  const document = parseDocument(text, { prettyErrors: false })
  const [syntax] = document.errors
  if (syntax) throw invalid([`${name}:${textPlace(text, syntax.pos[0])}: this is not YAML: ${syntax.message}`])
  const value: unknown = document.toJS()
  if (value === null) return NOTHING
  if (!isMap(value)) throw invalid([`${name}:1:1: the file must be a map of settings, such as "iteration_rules:"`])
  const { problems, ...read } = readConfig(value)
  if (problems.length === 0) return read
  const place = ({ path: keys, isKey }: ConfigTrouble): string =>
    textPlace(text, offsetOf(document, { path: [...keys], ...(isKey ? { at: 'key' } : {}) }))
  throw invalid(problems.map((problem) => `${name}:${place(problem)}: ${problem.message}`))
}

/** The files of a folder as they are; keys of theirs that have no effect here are listed. */
export async function loadConfigFolder(folder: string): Promise<Loaded> {
  const whole: Record<string, unknown> = {}
  for (const file of SEED_FILES) Object.assign(whole, await jsonFile(join(folder, file)))
  if (Object.keys(whole).length === 0)
    throw new PawlError('usage.no-file', `${shortPath(folder)} has none of ${SEED_FILES.join(', ')}.`, { value: folder })
  const { problems, ...read } = readConfig(whole as JsonObject, { isStrict: false })
  if (problems.length === 0) return read
  throw invalid(problems.map(({ path, message }) => `${shortPath(folder)}: ${path.join('.')}: ${message}`))
}

/** A checkpoint in the seed's shape. */
export async function loadCheckpoint(path: string): Promise<SeedCheckpoint> {
  const value = await jsonFile(path)
  if (value === undefined) throw new PawlError('usage.no-file', `There is no checkpoint ${shortPath(path)}.`, { value: path })
  const wrong = checkpointTrouble(value)
  if (wrong === undefined) return value as unknown as SeedCheckpoint
  throw new PawlError('usage.checkpoint', `${shortPath(path)} is no checkpoint of research: ${wrong}.`, { value: path })
}

function checkpointTrouble(value: JsonObject): string | undefined {
  const lists = ['findings', 'files_analyzed', 'gaps_identified'].find((field) => !Array.isArray(value[field]))
  if (lists !== undefined) return `${lists} must be a list`
  const numbers = ['iteration', 'coverage', 'unresolved_conflicts'].find((field) => typeof value[field] !== 'number')
  if (numbers !== undefined) return `${numbers} must be a number`
  const findings = value['findings'] as readonly unknown[]
  const bad = findings.findIndex(
    (finding) =>
      !isMap(finding) ||
      typeof finding['id'] !== 'string' ||
      typeof finding['description'] !== 'string' ||
      !Array.isArray(finding['citations']) ||
      !Array.isArray(finding['source_agents']),
  )
  return bad < 0 ? undefined : `findings[${bad}] needs id, description, citations and source_agents`
}

async function jsonFile(path: string): Promise<JsonObject | undefined> {
  const text = await textFile(path)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isMap(value)) return value
  } catch (error) {
    throw new PawlError('config.invalid', `${shortPath(path)} is not JSON: ${(error as Error).message}`, {
      value: path,
      cause: error,
    })
  }
  throw new PawlError('config.invalid', `${shortPath(path)} must be a JSON object.`, { value: path })
}

function invalid(lines: readonly string[]): PawlError {
  return new PawlError('config.invalid', lines.join('\n'))
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
