import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { homedir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { BoxNeeds } from '../process/box.ts'
import { devcontainer } from './devcontainer.ts'
import { isBelow } from './home-paths.ts'
import type { SandboxOptions } from './settings.ts'

/** A place of the machine as it is in a box: at its own path, or an empty folder there. */
export interface Mount {
  readonly as: 'read' | 'write' | 'empty'
  readonly path: string
}

/** What a box of any kind has of this machine. */
export interface Places {
  readonly cwd: string
  /** For temporary files. */
  readonly folder: string
  /** What an agent needs of the home folder, and writes. */
  readonly home: readonly string[]
  /** What of it stays as it is. */
  readonly settings?: readonly string[]
  /** What an agent's command names: files, and where its program is. */
  readonly own?: readonly string[]
  /** Folders that nothing in the box may see. */
  readonly hidden?: readonly string[]
  /** The workspace, if `cwd` is a copy of it: packages are links into it. */
  readonly workspace?: string
}

/** The mounts that every kind of box has; a later one lies on an earlier one. */
export function boxMounts(
  settings: Required<SandboxOptions>,
  { cwd, folder, home, settings: kept = [], own = [], workspace, hidden = [] }: Places,
): readonly Mount[] {
  return [
    ...mounts('read', own),
    ...mounts('read', workspace === undefined ? [] : [workspace]),
    ...mounts('empty', workspace === undefined ? [] : [join(workspace, '.pawl')]),
    ...mounts('write', [...home, ...inHome(settings.writable), folder]),
    // An agent could put a link where nothing is yet.
    ...mounts(
      'read',
      kept.filter((path) => !isLink(path)),
    ),
    ...mounts('empty', [...hidden, ...storesAbove(cwd)]),
    ...mounts('write', [cwd]),
    ...gitMounts(cwd),
    ...mounts('empty', [realOf(join(cwd, '.pawl'))]),
    ...ownMounts(
      'read',
      OURS.map((name) => join(cwd, name)),
    ),
    ...dockerfileMounts(cwd),
  ]
}

/** The Dockerfile that devcontainer.json names, wherever it is in the workspace. The folders above it can't be moved away either. */
function dockerfileMounts(cwd: string): readonly Mount[] {
  const file = dockerfile(cwd)
  if (file === undefined || !isBelow(cwd, file)) return []
  const above: string[] = []
  for (let folder = dirname(file); folder !== cwd && folder !== join(cwd, '.devcontainer'); folder = dirname(folder))
    above.unshift(folder)
  return [...ownMounts('write', above), ...ownMounts('read', [file])]
}

function dockerfile(root: string): string | undefined {
  try {
    return devcontainer(root)?.build?.dockerfile
  } catch {
    // Pawl builds nothing from a file that it refuses.
    return undefined
  }
}

/** Files and folders that are there. */
export function mounts(as: Mount['as'], paths: readonly string[]): readonly Mount[] {
  return paths.filter((path) => existsSync(path)).map((path) => ({ as, path }))
}

/** The same for what an agent could have put there: a link of its own would bring what it leads to into the next box. */
function ownMounts(as: Mount['as'], paths: readonly string[]): readonly Mount[] {
  return mounts(
    as,
    paths.filter((path) => realOf(path) === path),
  )
}

/** What is read of an agent's own: the files that its command names, and its program with the packages that it is one of. */
export function ownPlaces({ files = [], program = '' }: BoxNeeds): readonly string[] {
  const places = isAbsolute(program) && existsSync(program) ? [program, realOf(program)] : []
  const packages = places.map((path) => /^.*?\/node_modules(?=\/)/.exec(path)?.[0] ?? path)
  // A folder that a command names may hold anything.
  return [...new Set([...packages, ...files.filter(isFile)])]
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/** What is read of the home folder: what the settings list, and the user's name and address for commits, but no credentials. */
export function readableInHome({ readable }: Required<SandboxOptions>): readonly string[] {
  return [...inHome(readable), ...GIT_SETTINGS.map((each) => join(realHome(), each))]
}

const GIT_SETTINGS = ['.gitconfig', '.config/git/config', '.config/git/ignore']

/** What makes the box: Pawl's settings, and those of a container. */
const OURS = ['pawl.yaml', 'pawl.yml', '.devcontainer', '.devcontainer.json']

/** Where an agent keeps its login and its sessions. A folder that isn't there yet is made: what is written to a hidden home is lost. */
export async function neededHome({ home: paths = [] }: BoxNeeds): Promise<readonly string[]> {
  const places = paths.map((each) => expanded(isAbsolute(each) ? each : `~/${each}`, realHome()))
  for (const place of places) if (!/\.\w+$/.test(basename(place).slice(1))) await mkdir(place, { recursive: true, mode: 0o700 })
  return places
}

/** Variables can name another home folder than the system knows. */
export function homes(): readonly string[] {
  return [...new Set([realHome(), realOf(userInfo().homedir)])]
}

/** The home folder, without links. */
export function realHome(): string {
  return realOf(homedir())
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Paths of settings, with `~` for the home folder. */
export function inHome(paths: readonly string[]): readonly string[] {
  return paths.map((each) => expanded(each, realHome()))
}

function expanded(path: string, home: string): string {
  const way = path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path
  return isAbsolute(way) ? way : resolve(way)
}

/** The stores above the workspace: a worktree of Pawl's is in one. */
function storesAbove(cwd: string): readonly string[] {
  const stores: string[] = []
  for (let folder = dirname(cwd); folder !== dirname(folder); folder = dirname(folder)) stores.push(join(folder, '.pawl'))
  return stores
}

/**
 * Commits are allowed. Settings and hooks, which git outside obeys as well, can't be changed, nor can Pawl's snapshots. What is mounted
 * can't be moved away or replaced by a link, so the folders that Pawl's git writes to are mounted as well.
 */
function gitMounts(cwd: string): readonly Mount[] {
  const { file, folder } = gitPlace(cwd)
  if (folder === undefined) return ownMounts('read', file === undefined ? [] : [file])
  // Without this folder, an agent would make one.
  const hooks = join(folder, 'hooks')
  if (existsSync(join(folder, 'HEAD')) && !lstatSync(hooks, { throwIfNoEntry: false })) mkdirSync(hooks)
  return [
    ...ownMounts('write', [folder, join(folder, 'objects'), join(folder, 'refs')]),
    ...ownMounts(
      'read',
      [...GIT_PROTECTED, ...inWorktrees(folder), ...inModules(folder, 'modules')].map((name) => join(folder, name)),
    ),
    ...ownMounts('read', file === undefined ? [] : [file]),
  ]
}

const GIT_PROTECTED = ['config', 'config.worktree', 'hooks', 'info/attributes', 'pawl', 'refs/pawl']

/** What Pawl keeps in the git folders of worktrees, and what leads from them to settings. */
function inWorktrees(folder: string): readonly string[] {
  const names = folderNames(join(folder, 'worktrees'))
  return names.flatMap((name) => ['pawl', 'commondir', 'config.worktree'].map((inner) => `worktrees/${name}/${inner}`))
}

/** The settings and hooks of submodules, whose names may have slashes: git outside looks into submodules. */
function inModules(folder: string, below: string): readonly string[] {
  if (existsSync(join(folder, below, 'HEAD')))
    return [`${below}/config`, `${below}/hooks`, ...inModules(folder, `${below}/modules`)]
  return folderNames(join(folder, below)).flatMap((name) => inModules(folder, `${below}/${name}`))
}

function folderNames(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

/** The repository of a workspace. For a worktree it is elsewhere, and a file leads to it. */
function gitPlace(cwd: string): { readonly file?: string; readonly folder?: string } {
  for (let above = cwd; above !== dirname(above); above = dirname(above)) {
    const git = join(above, '.git')
    const found = lstatSync(git, { throwIfNoEntry: false })
    if (!found) continue
    if (found.isDirectory()) return { folder: git }
    const folder = found.isFile() ? folderBehind(git) : undefined
    return { file: git, ...(folder === undefined ? {} : { folder }) }
  }
  return {}
}

/** Where a `.git` file leads. An agent can write such a file, so the repository has to know this work tree as well. */
function folderBehind(file: string): string | undefined {
  const top = dirname(file)
  const pointed = /^gitdir: (.+)$/m.exec(textOf(file))?.[1]
  if (pointed === undefined) return undefined
  const own = realOf(resolve(top, pointed))
  const back = textOf(join(own, 'gitdir')).trim()
  if (back !== '') {
    const common = dirname(dirname(own))
    const isWorktree =
      realOf(resolve(own, back)) === file && existsSync(join(common, 'HEAD')) && existsSync(join(common, 'objects'))
    return isWorktree ? common : undefined
  }
  const ofModule = /^\s*worktree = (.+)$/m.exec(textOf(join(own, 'config')))?.[1]
  return ofModule !== undefined && realOf(resolve(own, ofModule)) === top ? own : undefined
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
