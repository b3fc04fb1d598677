import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PawlError } from '../core/pawl-error.ts'
import { git } from './git-program.ts'
import { findRepository, headCommit, type Repository } from './git-repository.ts'
import { absent, isThere } from './is-there.ts'

/**
 * The repository of a worktree of ours. Where git no longer knows it (the project was moved, the registration was pruned, the
 * `.git` file was deleted) it is registered again; its files stay as they are.
 */
export async function registeredWorktree(project: Repository, folder: string): Promise<Repository> {
  return (await known(project, folder)) ?? (await registerAgain(project, folder))
}

async function known(project: Repository, folder: string): Promise<Repository | undefined> {
  const found = await findRepository(folder).catch((error: unknown) => {
    if (!(error instanceof PawlError) || error.code !== 'workspace.not-a-repository') throw error
  })
  const isOurs = found?.top === (await realpath(folder)) && found.commonDir === project.commonDir
  return isOurs ? found : undefined
}

/** By hand, for `git worktree repair` mends a wrong path but not a registration that is gone. */
async function registerAgain(project: Repository, folder: string): Promise<Repository> {
  const link = join(folder, '.git')
  const before = (await readFile(link, 'utf8').catch(absent))?.trim()
  const registration = join(project.commonDir, 'worktrees', basename(before ?? folder))
  const taken = (await readFile(join(registration, 'gitdir'), 'utf8').catch(absent))?.trim()
  if (taken !== undefined && taken !== link && (await isThere(taken))) {
    throw new PawlError(
      'workspace.worktree-lost',
      `git uses the name of ${folder} for ${taken} now; move one of them and try again.`,
    )
  }
  await mkdir(registration, { recursive: true })
  await writeFile(join(registration, 'gitdir'), `${link}\n`)
  await writeFile(join(registration, 'commondir'), '../..\n')
  if (!(await isThere(join(registration, 'HEAD')))) {
    await writeFile(join(registration, 'HEAD'), `${(await headCommit(project)) ?? 'ref: refs/heads/pawl'}\n`)
  }
  await writeFile(link, `gitdir: ${registration}\n`)
  const found = await findRepository(folder)
  if (!(await isThere(join(registration, 'index'))) && (await headCommit(found)))
    await git(['read-tree', 'HEAD'], { cwd: folder })
  return found
}
