import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { nearestName } from '../core/nearest-name.ts'
import { askedTarget, type AskedTarget } from './asked-target.ts'
import { packageScripts } from './package-scripts.ts'
import { resolveProgram } from './resolve-program.ts'
import { withParents } from './with-parents.ts'

/** Something that a command asks for and that is not there. */
export interface AbsentTarget {
  /** What is not there, in a sentence, with the name that may have been meant. */
  readonly message: string
  /** Whether it is a script, and one with nearly the same name is there. A file is often what the work has to make. */
  readonly isSlip: boolean
  /** Set where nothing of a project is there yet: there is no package.json at all. */
  readonly isNew?: true
}

/**
 * Looks for what a command asks its program to run, without running anything: the script of `npm run tset` in package.json, the file
 * of `node tests/run.js`. `undefined` where it is there, or where that cannot be known. `path` is the PATH of the command.
 */
export async function absentTarget(words: readonly string[], cwd: string, path?: string): Promise<AbsentTarget | undefined> {
  const asked = askedTarget(words)
  if (asked === undefined) return undefined
  if (asked.kind === 'script') return (await isOtherwiseThere(asked, cwd, path)) ? undefined : absentScript(asked.name, cwd)
  return (await isFileThere(asked, cwd, path)) ? undefined : absentFile(asked.name, cwd)
}

/** Says that the nearest package.json has no such script; `undefined` where it has. */
export async function absentScript(name: string, cwd: string): Promise<AbsentTarget | undefined> {
  const scripts = await packageScripts(cwd)
  if (scripts === 'unreadable') return undefined
  if (scripts === undefined)
    return { message: `There is no package.json, so there is no script ${quoted(name)}.`, isSlip: false, isNew: true }
  if (scripts.includes(name)) return undefined
  const near = nearestName(name, scripts)
  const others = scripts.length === 0 ? 'no scripts at all' : scripts.slice(0, NAMES_MAX).join(', ')
  const instead = near === undefined ? `; it has ${others}.` : `; did you mean ${quoted(near)}?`
  return { message: `package.json has no script ${quoted(name)}${instead}`, isSlip: near !== undefined }
}

/** Says that there is no such file, and which one in its folder has nearly that name. */
export async function absentFile(name: string, cwd: string): Promise<AbsentTarget> {
  const folder = dirname(resolve(cwd, name))
  const names = await readdir(folder).catch(() => [])
  const near = nearestName(
    basename(name),
    names.filter((each) => each !== basename(name)),
  )
  const instead = near === undefined ? '.' : `; did you mean ${join(dirname(name), near)}?`
  return { message: `There is no file ${name}${instead}`, isSlip: false }
}

const NAMES_MAX = 12

function quoted(name: string): string {
  return JSON.stringify(name)
}

/** yarn and bun run programs of the project too, bun also files and whatever is on the PATH; pnpm reads other manifests as well. */
async function isOtherwiseThere(
  asked: AskedTarget & { kind: 'script' },
  cwd: string,
  path: string | undefined,
): Promise<boolean> {
  const { manager, name } = asked
  if (manager === 'pnpm') return isThere(cwd, 'package.yaml', 'package.json5')
  if (manager === 'npm') return false
  if (
    await isThere(
      cwd,
      ...withParents(cwd).flatMap((folder) => [join(folder, 'node_modules', '.bin', name), join(folder, '.pnp.cjs')]),
    )
  )
    return true
  return manager === 'bun' && ((await isThere(cwd, name)) || (await isProgram(name, cwd, path)))
}

/** Node adds endings and takes folders; a shell looks on the PATH where the name has no slash. */
async function isFileThere(asked: AskedTarget & { kind: 'file' }, cwd: string, path: string | undefined): Promise<boolean> {
  const { name, program } = asked
  if (program === 'node') return isThere(cwd, name, `${name}.js`, `${name}.json`, `${name}.node`)
  if (await isThere(cwd, name)) return true
  return program === 'shell' && !name.includes('/') && (await isProgram(name, cwd, path))
}

async function isThere(cwd: string, ...names: readonly string[]): Promise<boolean> {
  const looks = names.map((name) =>
    stat(resolve(cwd, name)).then(
      () => true,
      // One that may not be looked at may be there.
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
    ),
  )
  return (await Promise.all(looks)).some(Boolean)
}

async function isProgram(name: string, cwd: string, path: string | undefined): Promise<boolean> {
  return (await resolveProgram(name, cwd, path)).status === 'found'
}
