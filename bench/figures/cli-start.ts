import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { milliseconds, spread } from '../wording.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PAWL = join(ROOT, 'bin', 'pawl')
const OWN_NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node')
const ROUNDS = 25
const START_MS_MAX = 60_000

/** What `pawl --version` costs above starting Node with nothing to do. */
export const cliStart: Figure = {
  name: 'cli-start',
  bound: atMost(2),
  measure: async (say) => {
    if (!existsSync(join(ROOT, 'dist', 'cli.mjs'))) {
      return { status: 'unmeasured', reason: 'Pawl is not built: `npm run bench` builds it first, or run `npm run build`.' }
    }
    // The same Node that bin/pawl chooses.
    const node = existsSync(OWN_NODE) ? OWN_NODE : 'node'
    const pawl: number[] = []
    const bare: number[] = []
    say(`${ROUNDS} times \`node -e 0\` and \`pawl --version\` in turn`)
    // The first round fills caches and is not counted.
    for (let round = 0; round <= ROUNDS; round++) {
      const bareMs = timed(node, ['-e', '0'])
      const pawlMs = timed(PAWL, ['--version'])
      if (round === 0) continue
      bare.push(bareMs)
      pawl.push(pawlMs)
    }
    const ratios = pawl.map((pawlMs, index) => pawlMs / (bare[index] as number))
    const details = [
      `\`pawl --version\` takes ${milliseconds(median(pawl))}, \`node -e 0\` takes ${milliseconds(median(bare))} (medians of ${ROUNDS}; single ratios from ${spread(ratios)}).`,
    ]
    return { status: 'measured', value: median(pawl) / median(bare), details }
  },
}

function timed(program: string, args: readonly string[]): number {
  const startedAt = performance.now()
  const { status, error } = spawnSync(program, args, {
    env: { PATH: process.env['PATH'] },
    stdio: 'ignore',
    timeout: START_MS_MAX,
  })
  const durationMs = performance.now() - startedAt
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed (${error?.message ?? `exit code ${status}`}).`)
  return durationMs
}
