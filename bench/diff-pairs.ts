import { join } from 'node:path'
import { execa } from 'execa'

export interface DiffPair {
  readonly a: string
  readonly b: string
}

export type DiffPairs =
  | { readonly status: 'ready'; readonly pairs: readonly DiffPair[] }
  | { readonly status: 'unavailable'; readonly reason: string }

const ROOT = join(import.meta.dirname, '..')
const COMMITS_MAX = 60
const GIT_MS_MAX = 60_000

let result: Promise<DiffPairs> | undefined

/**
 * Real diffs from this repository's own history, as successive passes of an agent leave them: what changed since some commit,
 * in all and in each file, at a later commit and at the one after it; and what successive commits changed. Collected once for all figures.
 */
export function diffPairs(say: (line: string) => void): Promise<DiffPairs> {
  result ??= withHistory(say, collected)
  return result
}

/** The whole repository as one patch, up to `length` characters, at successive commits. */
export function wholePatchPairs(say: (line: string) => void, length: number, countMax: number): Promise<DiffPairs> {
  return withHistory(say, async (commits) => {
    const empty = (await git('hash-object', '-t', 'tree', '/dev/null')).trim()
    const patches: string[] = []
    for (const commit of commits.toReversed()) {
      const patch = await git('diff', empty, commit)
      if (patch.length < length || patches.length > countMax) break
      if (patch.slice(0, length) !== patches[0]) patches.unshift(patch.slice(0, length))
    }
    return successive(patches)
  })
}

async function collected(commits: readonly string[]): Promise<DiffPair[]> {
  const pairs: DiffPair[] = []
  for (let start = 0; start < commits.length - 2; start += 3) {
    const wholes: string[] = []
    for (const commit of commits.slice(start + 1, start + 6)) {
      wholes.push(await git('diff', commits[start] as string, commit, '--', 'src'))
    }
    pairs.push(...successive(wholes))
    let before = new Map<string, string>()
    for (const after of wholes.map(byFile)) {
      for (const [file, b] of after) pairs.push(...successive([before.get(file) ?? b, b]))
      before = after
    }
  }
  const patches: string[] = []
  for (const commit of commits) patches.push(await git('show', '--format=', commit))
  return [...pairs, ...successive(patches)]
}

function successive(diffs: readonly string[]): DiffPair[] {
  return diffs.slice(1).flatMap((b, index) => {
    const a = diffs[index] as string
    return a === b || a === '' || b === '' ? [] : [{ a, b }]
  })
}

function byFile(diff: string): Map<string, string> {
  const parts = `\n${diff}`.split('\ndiff --git ').slice(1)
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), `diff --git ${part}`]))
}

async function withHistory(
  say: (line: string) => void,
  collect: (commits: readonly string[]) => Promise<DiffPair[]>,
): Promise<DiffPairs> {
  say("Collecting diffs from the repository's history")
  try {
    const commits = (await git('rev-list', '--reverse', 'HEAD')).trim().split('\n').slice(-COMMITS_MAX)
    const pairs = await collect(commits)
    if (pairs.length > 0) return { status: 'ready', pairs }
    return { status: 'unavailable', reason: 'the history of this repository has no two such diffs: measure in a full clone.' }
  } catch (error) {
    return { status: 'unavailable', reason: `git could not tell the history of this repository: ${(error as Error).message}` }
  }
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await execa('git', args, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null' },
    extendEnv: false,
    stripFinalNewline: false,
    maxBuffer: 2 ** 27,
    timeout: GIT_MS_MAX,
  })
  return stdout
}
