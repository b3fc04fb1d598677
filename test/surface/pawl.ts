import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { COMPILE_CACHE } from '../support/programs.ts'

export const ROOT = join(import.meta.dirname, '..', '..')
export const PAWL = join(ROOT, 'bin', 'pawl')

/** Nobody's settings, and no agent on the PATH. The compile cache spares a third of each start. */
export const ENVIRONMENT = {
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  LANG: 'C.UTF-8',
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...COMPILE_CACHE,
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built program as users do. */
export function pawl(words: readonly string[], options: { readonly cwd: string; readonly input?: string }): Promise<Finished> {
  const child = spawn(PAWL, words, { cwd: options.cwd, env: { ...ENVIRONMENT, HOME: join(options.cwd, '.home') } })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // A program may end without reading what it is given.
  child.stdin.on('error', () => undefined).end(options.input ?? '')
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Does something in a new folder that is gone afterwards. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-surface-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Like `Promise.all` over a `map`, a few at a time. */
export async function mapSome<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  const left = [...items.entries()]
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1])
  }
  await Promise.all([worker(), worker(), worker()])
  return results
}
