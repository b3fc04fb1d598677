import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { nearestName } from '../core/names.ts'
import { resolveProgram } from './find-program.ts'

/** What a command asks its program to run: a script in package.json, or a file. */
export type AskedTarget =
  | { readonly kind: 'script'; readonly name: string; readonly manager: Manager }
  | { readonly kind: 'file'; readonly name: string; readonly program: 'node' | 'python' | 'shell' }

/** A program that runs the scripts of package.json. */
export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/**
 * What a command asks for, judged by its words alone; `undefined` for any other program, and if a flag may change what the words mean
 * or where they are looked up.
 */
export function askedTarget([program = '', ...words]: readonly string[]): AskedTarget | undefined {
  const name = basename(program)
  if (isManager(name)) return askedScript(name, words)
  const kind = FILE_PROGRAMS.find(([pattern]) => pattern.test(name))
  return kind && askedFile(kind[1], kind[2], words)
}

function isManager(name: string): name is Manager {
  return ['npm', 'pnpm', 'yarn', 'bun'].includes(name)
}

const QUIET = /^(?:-s|--silent)$/

/** Whether a word makes a package manager look in another folder, or ignore a missing script. */
export function isElsewhere(word: string): boolean {
  return ELSEWHERE.test(word)
}

const ELSEWHERE =
  /^(?:-C|-w|-r|-F|-ws|--(?:prefix|cwd|dir|workspaces?|workspace-root|filter|recursive|if-present|top-level)(?:=.*)?)$/

function askedScript(manager: Manager, words: readonly string[]): AskedTarget | undefined {
  const end = words.indexOf('--')
  if (words.slice(0, end === -1 ? undefined : end).some(isElsewhere)) return undefined
  const [first = '', ...rest] = words.filter((word) => !QUIET.test(word))
  // `bun test` is bun's own test runner.
  if (manager !== 'bun' && (first === 'test' || (manager !== 'yarn' && first === 't')))
    return { kind: 'script', name: 'test', manager }
  if (first !== 'run' && !(manager === 'npm' && first === 'run-script')) return undefined
  const [name = ''] = rest
  // pnpm takes a name between slashes for a pattern, and yarn searches every workspace for a name with a colon.
  return /^[\w@.:-][\w@.:/-]*$/.test(name) && !name.startsWith('-') && !(manager === 'yarn' && name.includes(':'))
    ? { kind: 'script', name, manager }
    : undefined
}

type FileProgram = readonly [name: RegExp, kind: 'node' | 'python' | 'shell', flags: RegExp]

/** The programs that run a file, with the flags that may come before it and take no value. */
const FILE_PROGRAMS: readonly FileProgram[] = [
  [
    /^node$/,
    'node',
    /^--(?:test|no-warnings|enable-source-maps|trace-warnings|throw-deprecation|experimental-[a-z-]+|[a-z-]+=.*)$/,
  ],
  [/^python[\d.]*$/, 'python', /^-[bBdEIOsSuvq]+$/],
  [/^(?:sh|bash|dash|ksh|zsh)$/, 'shell', /^-[eux]+$/],
]

function askedFile(program: 'node' | 'python' | 'shell', flags: RegExp, words: readonly string[]): AskedTarget | undefined {
  const name = words.find((word) => !flags.test(word))
  // A word with a dash is a flag that takes a value, or one that replaces the file.
  if (name === undefined || name === '' || name.startsWith('-') || /[*?[\]{}]/.test(name)) return undefined
  return program === 'node' && name === 'inspect' ? undefined : { kind: 'file', name, program }
}

/** Something missing that a command asks for. */
export interface AbsentTarget {
  /** A sentence about what is missing, with the name that may have been meant. */
  readonly message: string
  /** Whether it is a script and a similar name exists. A missing file is often what the work has to create. */
  readonly isSlip: boolean
  /** Set if there is no project yet: no package.json at all. */
  readonly isNew?: true
}

/**
 * Looks up what a command asks its program to run, without running anything: the script of `npm run tset` in package.json, the file of
 * `node tests/run.js`. `undefined` if it exists, or if that can't be known. `path` is the command's PATH.
 */
export async function absentTarget(words: readonly string[], cwd: string, path?: string): Promise<AbsentTarget | undefined> {
  const asked = askedTarget(words)
  if (asked === undefined) return undefined
  if (asked.kind === 'script') return (await isOtherwiseThere(asked, cwd, path)) ? undefined : absentScript(asked.name, cwd)
  return (await isFileThere(asked, cwd, path)) ? undefined : absentFile(asked.name, cwd)
}

/** Reports that the nearest package.json has no such script; `undefined` if it has. */
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

/** Reports a missing file, and a similar name in its folder. */
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

/** yarn and bun also run the project's programs, bun also files and programs on the PATH; pnpm also reads other manifests. */
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

/** Node adds extensions and accepts folders; a shell searches the PATH for a name without a slash. */
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
      // A file that we may not look at may exist.
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
    ),
  )
  return (await Promise.all(looks)).some(Boolean)
}

async function isProgram(name: string, cwd: string, path: string | undefined): Promise<boolean> {
  return (await resolveProgram(name, cwd, path)).status === 'found'
}

/**
 * The names of the scripts in the nearest package.json, in the folder or above; `undefined` if there is none. `unreadable` if it can't
 * be read or isn't a JSON object: then nobody knows whether a script is missing.
 */
async function packageScripts(folder: string): Promise<readonly string[] | 'unreadable' | undefined> {
  for (const place of withParents(folder)) {
    const text = await readFile(join(place, 'package.json'), 'utf8').catch((error: unknown) => error as NodeJS.ErrnoException)
    if (typeof text === 'string') return scriptsIn(text)
    if (text.code !== 'ENOENT' && text.code !== 'ENOTDIR') return 'unreadable'
  }
  return undefined
}

function scriptsIn(text: string): readonly string[] | 'unreadable' {
  try {
    const manifest: unknown = JSON.parse(text)
    if (typeof manifest !== 'object' || manifest === null) return 'unreadable'
    const { scripts } = manifest as { readonly scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
  } catch {
    // The package manager's own error message is shown instead.
    return 'unreadable'
  }
}

/** A folder and its parents, the nearest first. */
export function withParents(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...withParents(parent)]
}
