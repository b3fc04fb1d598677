import { existsSync, realpathSync } from 'node:fs'
import { hash } from 'node:crypto'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import type { PartSpec, RunConfig } from '../core/run-config.ts'

/** The store of the project in a folder, and the only place that says its name. */
export function storeIn(root: string): string {
  return join(root, '.pawl', 'pawl.db')
}

/**
 * A run's configuration with the workspace of the project that its store is in. A journal has the path as it was when the run began: in a
 * copy of the project that is the original, and in a moved project it is gone. Throws `workspace.elsewhere` for another folder, because
 * Pawl can't tell whether the run began there.
 */
export function placedConfig(config: RunConfig, storePath: string): RunConfig {
  const { workspace } = config
  // Its path stays as it is recorded: every machine has its own.
  if (typeof workspace.settings['path'] !== 'string' || typeof workspace.settings['remote'] === 'string') return config
  const path = placedPath(config, storePath)
  if (path === undefined)
    throw new PawlError(
      'workspace.elsewhere',
      `The run works in ${String(workspace.settings['path'])}, which isn't in this project (${projectOf(storePath)}), so Pawl changes nothing there: continue it where it was started.`,
      { value: workspace.settings['path'] },
    )
  return path === workspace.settings['path'] ? config : { ...config, workspace: withPath(workspace, path) }
}

/** The same for a reader: a folder elsewhere stays as it is recorded. */
export function placedWorkspace(config: RunConfig, storePath: string): PartSpec {
  const { workspace } = config
  const { path } = workspace.settings
  if (typeof path !== 'string') return workspace
  return withPath(
    workspace,
    clonePath(workspace, storePath) ?? placedPath(config, storePath) ?? resolve(projectOf(storePath), path),
  )
}

function withPath(spec: PartSpec, path: string): PartSpec {
  return { ...spec, settings: { ...spec.settings, path } }
}

function projectOf(storePath: string): string {
  return dirname(dirname(storePath))
}

/**
 * Where a run with a remote works on this machine: in its project if that is here, else below a repository made for what is fetched. Runs of
 * one remote share that.
 */
function clonePath({ settings }: PartSpec, storePath: string): string | undefined {
  const { path, remote, inside } = settings
  if (typeof path !== 'string' || typeof remote !== 'string') return undefined
  const root = projectOf(storePath)
  if (existsSync(path) && isInside(root, path)) return path
  const name = basename(remote)
    .replace(/\.git$/, '')
    .replaceAll(/[^\w-]/g, '-')
  const top = join(root, '.pawl', 'clones', `${name}-${hash('sha256', remote).slice(0, 8)}`)
  return typeof inside === 'string' ? join(top, inside) : top
}

/** `undefined` if the folder exists, is outside the project, and may be where the run began. */
function placedPath({ workspace, codebase, program }: RunConfig, storePath: string): string | undefined {
  const { path } = workspace.settings
  const root = projectOf(storePath)
  // Only a store at its usual place says where the project is.
  if (typeof path !== 'string' || storeIn(root) !== storePath) return path as string
  const recorded = resolve(root, path)
  if (isInside(root, recorded)) return path
  // Research may look at any folder. Its cache is beside the store, so it says where the project was.
  const cache = codebase?.settings['cachePath']
  if (typeof cache === 'string') {
    const before = projectOf(cache)
    return isInside(before, recorded) ? join(root, relative(before, recorded)) : path
  }
  if (program !== undefined) return path
  return !existsSync(recorded) || existsSync(storeIn(recorded)) ? root : undefined
}

function isInside(root: string, path: string): boolean {
  const inner = relative(realPath(root), realPath(path))
  return inner === '' || (!inner.startsWith('..') && !isAbsolute(inner))
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
