import { realpath } from 'node:fs/promises'
import { isAbsolute, join, normalize, sep } from 'node:path'
import type { Failure } from '../core/failure.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Check, CheckRequest, CheckResult } from './check.ts'
import { byDefault, type EntriesOf, FLAG, LINE, needed, settingsSchema, someOf, textThat } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

export interface FileExistenceOptions {
  readonly name: string
  /** Files or folders, relative to the workspace's folder; at least one. */
  readonly paths: readonly string[]
  /** Whether all must exist, or one is enough. Default true. */
  readonly allMustExist?: boolean
}

/**
 * Files that must exist. Nothing outside the workspace counts, not even through links.
 *
 * @part file-existence
 */
export function fileExistence(options: FileExistenceOptions): Check {
  const settings = readOptions('fileExistence', OPTIONS, options)
  const { name } = settings
  return { name, spec: { name: 'file-existence', v: 1, settings }, run: (request, context) => look(settings, request, context) }
}

const ENTRIES = {
  paths: needed(
    someOf('a list of at least one path', textThat('a path inside the workspace, relative to its folder', isInside)),
    "Files or folders, relative to the workspace's folder",
  ),
  allMustExist: byDefault(FLAG, true, 'Whether all must exist, or one is enough'),
}

/** The settings of a rule of type `file_existence`. */
export const FILE_EXISTENCE = settingsSchema(ENTRIES, 'a map of settings')

const OPTIONS = settingsSchema({ name: needed(LINE), ...ENTRIES } satisfies EntriesOf<FileExistenceOptions>)

function isInside(path: string): boolean {
  if (path.trim() === '' || path.includes('\0') || isAbsolute(path)) return false
  const plain = normalize(path)
  return plain !== '..' && !plain.startsWith(`..${sep}`)
}

async function look(
  { name, paths, allMustExist }: Required<FileExistenceOptions>,
  { cwd }: CheckRequest,
  { started }: EffectContext,
): Promise<CheckResult> {
  await started()
  const root = await realpath(cwd)
  const looked = await Promise.all(paths.map(async (path) => ({ path, problem: await problemWith(root, path) })))
  const missing = looked.flatMap(({ path, problem }) => (problem === undefined ? [] : [{ path, problem }]))
  if (!allMustExist) {
    if (missing.length < paths.length) return { status: 'passed' }
    const message = `None of these is there: ${paths.join(', ')}.`
    return { status: 'failed', failures: [{ id: name, kind: 'unknown', message }] }
  }
  const counts = { passed: paths.length - missing.length, failed: missing.length, skipped: 0 }
  if (missing.length === 0) return { status: 'passed', counts }
  return {
    status: 'failed',
    counts,
    failures: missing.map(({ path, problem }): Failure => ({
      id: `${name}: ${path}`,
      kind: 'unknown',
      message: `${path} ${problem}.`,
    })),
  }
}

async function problemWith(root: string, path: string): Promise<string | undefined> {
  try {
    const place = await realpath(join(root, path))
    return place === root || place.startsWith(root + sep) ? undefined : 'leads out of the workspace'
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'is not there' : `could not be looked at (${code})`
  }
}
