import { join } from 'node:path'
import { execa } from 'execa'
import type { DiffPair } from './diff-pairs.ts'

export interface DifflibRatio {
  readonly ratio: number
  /** Without starting Python and reading the pair. */
  readonly durationMs: number
  readonly python: string
}

const PROGRAM = join(import.meta.dirname, 'peers', 'difflib-ratio.py')
const PAIR_MS_MAX = 5 * 60_000

/** What CPython says of a pair, in its own process; `undefined` without `python3`. */
export async function difflibRatio(pair: DiffPair): Promise<DifflibRatio | undefined> {
  const { failed, code, stdout, shortMessage, stderr } = await execa('python3', [PROGRAM], {
    env: { PATH: process.env['PATH'] },
    extendEnv: false,
    input: JSON.stringify(pair),
    reject: false,
    timeout: PAIR_MS_MAX,
  })
  if (code === 'ENOENT') return undefined
  if (failed) throw new Error(`${shortMessage}\n${String(stderr)}`)
  return JSON.parse(stdout) as DifflibRatio
}
