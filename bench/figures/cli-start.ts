import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { alternated } from '../alternated.ts'
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
    say(`\`pawl --version\` and \`node -e 0\` in turn, ${ROUNDS} times`)
    const { ones, others, ratios, ratio } = await alternated(
      ROUNDS,
      () => timed(PAWL, ['--version']),
      () => timed(node, ['-e', '0']),
    )
    const details = [
      `\`pawl --version\` takes ${milliseconds(median(ones))}, \`node -e 0\` takes ${milliseconds(median(others))} (medians).`,
      `The value is the median of the ratios of ${ROUNDS} rounds, which went from ${spread(ratios)}.`,
    ]
    return { status: 'measured', value: ratio, details }
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
