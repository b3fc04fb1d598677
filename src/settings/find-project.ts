import { existsSync, lstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import type { PartSpec } from '../core/run-config.ts'
import { storeIn } from '../registry/placed-workspace.ts'

/** Where a project keeps its things. */
export interface Project {
  readonly root: string
  readonly configPath: string
  readonly storePath: string
}

/** The project of a folder, for every surface: the first of {@link findProjects}. */
export function findProject(from: string): Project {
  return findProjects(from)[0]
}

/**
 * The projects around a folder, innermost first: every folder upwards with a `pawl.yaml` or a `.pawl` store. If there is none, the package
 * of a monorepo that the folder is in, else the top of the git repository, else the folder itself. An agent's session may have gone into
 * an inner project since its run began in an outer one.
 */
export function findProjects(from: string): readonly [Project, ...Project[]] {
  const folders = upwards(resolve(from))
  const fallback = packageAround(from)
  const [innermost = fallback, ...outer] = folders.filter((folder) =>
    [join(folder, 'pawl.yaml'), storeIn(folder)].some((path) => existsSync(path)),
  )
  return [projectAt(innermost), ...outer.map(projectAt)]
}

/** The nearest folder upwards with a package's own file, within the repository; else the repository's top, else the folder itself. */
function packageAround(from: string): string {
  const folders = upwards(resolve(from))
  const top = folders.findIndex(isRepository)
  if (top < 0) return resolve(from)
  const within = folders.slice(0, top + 1)
  return within.find((folder) => PACKAGE_FILES.some((name) => existsSync(join(folder, name)))) ?? within[top] ?? resolve(from)
}

const PACKAGE_FILES = [
  'package.json',
  'deno.json',
  'pyproject.toml',
  'setup.py',
  'Cargo.toml',
  'go.mod',
  'mix.exs',
  'Gemfile',
  'composer.json',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'Package.swift',
  'build.zig',
  'build.sbt',
  'stack.yaml',
  'pubspec.yaml',
] as const

/** The project that `pawl init` makes in a folder: the package around it, also if a project around that has a pawl.yaml. */
export function newProject(from: string): Project {
  const [innermost] = findProjects(from)
  const own = packageAround(from)
  return innermost.root.length >= own.length ? innermost : projectAt(own)
}

function projectAt(root: string): Project {
  return { root, configPath: join(root, 'pawl.yaml'), storePath: storeIn(root) }
}

function upwards(from: string): readonly string[] {
  const parent = dirname(from)
  return parent === from ? [from] : [from, ...upwards(parent)]
}

/** Git if there is a repository, else plain copies. */
export function workspaceSpec(path: string, worktree = false, remote?: string): PartSpec {
  const isGit = isInRepository(path)
  if (!isGit && worktree)
    throw new PawlError(
      'usage.no-repository',
      `--worktree needs a git repository, and ${path} isn't one: run \`git init\` first, or leave --worktree out.`,
    )
  if (isGit) return { name: 'git', v: 1, settings: { path, worktree, ...remoteSettings(path, remote) } }
  if (remote !== undefined)
    throw new PawlError(
      'config.remote',
      `\`remote\` needs a git repository, and ${path} isn't one: run \`git init\` first, or leave it out.`,
    )
  refuseWholeMachine(path)
  return { name: 'folder', v: 1, settings: { path } }
}

/** Another machine has to know where in its copy of the repository the folder is. */
function remoteSettings(path: string, remote: string | undefined) {
  if (remote === undefined) return {}
  const inside = relative(repositoryTop(path) ?? path, resolve(path))
  return { remote, ...(inside === '' ? {} : { inside }) }
}

/** Every iteration of a run in a plain folder is copied, and restored whole: nobody wants that of all their files. */
function refuseWholeMachine(path: string): void {
  const name =
    path === dirname(path) ? 'the whole file system' : resolve(path) === resolve(homedir()) ? 'your home folder' : undefined
  if (name !== undefined)
    throw new PawlError(
      'usage.whole-machine',
      `${path} is ${name}. Pawl copies and restores a run's folder, and won't do that here: change to your project's folder, or run \`git init\` in it first.`,
    )
}

/** The top of the repository that a folder lies in; `undefined` if it lies in none. */
export function repositoryTop(path: string): string | undefined {
  return upwards(resolve(path)).find(isRepository)
}

/** Whether a folder lies in a git repository. */
export function isInRepository(path: string): boolean {
  return isRepository(path) || (dirname(path) !== path && isInRepository(dirname(path)))
}

/** Whether a folder is the top of a git repository. An empty `.git` doesn't count, for git neither: it has no `HEAD`. */
export function isRepository(folder: string): boolean {
  const found = lookAt(join(folder, '.git'))
  // A linked worktree has a file there, and some have a link to the folder.
  return found?.isFile() === true || (found !== undefined && lookAt(join(folder, '.git', 'HEAD')) !== undefined)
}

function lookAt(path: string) {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
