import { execa } from 'execa'
import ignore, { type Ignore } from 'ignore'
import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, posix } from 'node:path'
import { childEnvironment } from '../process/command-options.ts'
import { insidePath, OWN_FOLDERS, readInside } from './read-inside.ts'

/** A regular file of the codebase, with the metadata that shows changes. */
export interface ListedFile {
  readonly path: string
  readonly bytes: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

/** The regular files of a folder that git doesn't ignore, sorted by path, at most `filesMax`. */
export async function listFiles(root: string, filesMax: number, signal: AbortSignal): Promise<readonly ListedFile[]> {
  const fromGit = await gitFiles(root, signal)
  // git lists nothing in a folder that its repository ignores as a whole. If you name such a folder, you mean its files.
  const paths = fromGit.length > 0 ? fromGit : walkFiles(root, filesMax)
  const isReal = realFolders(root)
  return [...new Set(paths)]
    .filter((path) => path !== RESEARCH_SETTINGS)
    .toSorted()
    .slice(0, filesMax)
    .flatMap((path) => (insidePath(path) === path && isReal(posix.dirname(path)) ? (statFile(root, path) ?? []) : []))
}

/** Research settings mention what people ask about (tokens, passwords, latency) and say nothing about the code. */
const RESEARCH_SETTINGS = 'pawl-research.yaml'

const DURATION_MS_MAX = 60_000
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

/**
 * A repository's configuration may name programs that git would run while it lists files, so these settings switch them off.
 */
const SETTINGS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.untrackedCache=false', 'core.quotePath=false']

/** Tracked files, and new ones that aren't ignored; none without a repository or git. */
async function gitFiles(root: string, signal: AbortSignal): Promise<readonly string[]> {
  const args = [...SETTINGS.flatMap((setting) => ['-c', setting]), 'ls-files', '-co', '--exclude-standard', '-z']
  const result = await execa('git', args, {
    cwd: root,
    env: childEnvironment(
      ['XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM', 'GIT_CEILING_DIRECTORIES'],
      {
        LC_ALL: 'C',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_TERMINAL_PROMPT: '0',
      },
    ),
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    stripFinalNewline: false,
    timeout: DURATION_MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
    cancelSignal: signal,
  })
  signal.throwIfAborted()
  return result.failed ? [] : result.stdout.split('\0').slice(0, -1)
}

/** Whether a folder is real: git also lists tracked files in a folder that a link has replaced. */
function realFolders(root: string): (folder: string) => boolean {
  const known = new Map<string, boolean>([['.', true]])
  return (folder) => {
    const before = known.get(folder)
    if (before !== undefined) return before
    const isReal = realPath(join(root, folder)) === join(root, folder)
    known.set(folder, isReal)
    return isReal
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    // Deleted since git listed it.
    return undefined
  }
}

function statFile(root: string, path: string): ListedFile | undefined {
  const stat = lstatSync(join(root, path), { throwIfNoEntry: false })
  return stat?.isFile() ? { path, bytes: stat.size, mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs } : undefined
}

/** Installed or generated folders, for projects without a `.gitignore`. */
const NEVER_ENTERED: ReadonlySet<string> = new Set([
  ...OWN_FOLDERS,
  ...'.hg .svn node_modules __pycache__ .venv venv .tox .gradle .idea .vs'.split(' '),
])
const IGNORE_BYTES_MAX = 1024 * 1024

/** All regular files under a folder that its `.gitignore` files don't exclude, at most `filesMax`. Doesn't follow links. */
function walkFiles(root: string, filesMax: number): readonly string[] {
  const files: string[] = []
  walk(root, '', [], files, filesMax)
  return files
}

interface RulesAt {
  readonly folder: string
  readonly rules: Ignore
}

function walk(root: string, folder: string, above: readonly RulesAt[], files: string[], filesMax: number): void {
  const entries = entriesOf(join(root, folder))
  const levels = entries.some(({ name }) => name === '.gitignore') ? [...above, rulesAt(root, folder)] : above
  for (const entry of entries) {
    if (files.length >= filesMax) return
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      if (!NEVER_ENTERED.has(entry.name) && !isIgnored(levels, path, true)) walk(root, path, levels, files, filesMax)
    } else if (entry.isFile() && !isIgnored(levels, path, false)) {
      files.push(path)
    }
  }
}

function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).toSorted((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    // A folder that can't be read has no files to offer.
    return []
  }
}

function rulesAt(root: string, folder: string): RulesAt {
  const read = readInside(root, folder === '' ? '.gitignore' : `${folder}/.gitignore`, IGNORE_BYTES_MAX)
  return { folder, rules: ignore().add(read.status === 'text' ? read.text : '') }
}

/** The innermost `.gitignore` with a matching rule decides. */
function isIgnored(levels: readonly RulesAt[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of levels.toReversed()) {
    const inside = folder === '' ? path : path.slice(folder.length + 1)
    const { ignored, unignored } = rules.test(isFolder ? `${inside}/` : inside)
    if (ignored || unignored) return ignored
  }
  return false
}
