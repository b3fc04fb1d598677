import { git, rawNames, readableName } from './git-program.ts'
import type { Repository } from './git-repository.ts'

/** Files that the globs name and git ignores, from the folder on: no snapshot shows what becomes of them. */
export async function ignoredAmong({ folder }: Repository, globs: readonly string[]): Promise<readonly string[]> {
  const plain = globs.map((glob) => glob.replace(/^\.?\//, '').replace(/\/+$/, ''))
  const paths = plain.flatMap((glob) => [`:(glob)${glob}`, `:(glob)${glob}/**`])
  const list = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...paths, NOT_OURS]
  return rawNames((await git(list, { cwd: folder })).stdout).map(readableName)
}

/** What packages bring along is nobody's to protect, and too much to name. */
const NOT_OURS = ':(exclude,glob)**/node_modules/**'
