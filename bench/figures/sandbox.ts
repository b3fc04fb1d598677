import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Box } from '../../src/process/box.ts'
import { runCommand } from '../../src/process/run-command.ts'
import { sandbox } from '../../src/sandbox/sandbox.ts'
import { alternated } from '../alternated.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds, spread } from '../wording.ts'

const START_MS_MAX = 150
const FILES = 2_000

/** What the sandbox adds to an agent's start, with its proxy, as a share of 150 ms. */
export const sandboxStart: Figure = {
  name: 'sandbox-start',
  bound: atMost(1),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      const trouble = await sandbox().ready()
      if (trouble) return { status: 'unmeasured', reason: trouble.message }
      say('`true` with and without a sandbox in turn, 21 times')
      const { ones, others } = await alternated(
        21,
        () => timed(folder, 'true', 'work'),
        () => timed(folder, 'true'),
      )
      const added = ones.map((ms, round) => ms - (others[round] ?? 0))
      return {
        status: 'measured',
        value: median(added) / START_MS_MAX,
        details: [`The sandbox adds ${milliseconds(median(added))} (median of 21), from ${spread(added)}.`],
      }
    }),
}

/** How much longer a program takes in the sandbox that reads and writes many small files. */
export const sandboxSuite: Figure = {
  name: 'sandbox-suite',
  bound: atMost(1.05),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      const trouble = await sandbox().ready()
      if (trouble) return { status: 'unmeasured', reason: trouble.message }
      mkdirSync(join(folder, 'files'))
      for (let file = 0; file < FILES; file++) writeFileSync(join(folder, 'files', `${file}.js`), `export const a = ${file}\n`)
      const line = `for i in 1 2 3 4; do cat files/*.js > all.txt; cp -r files copy; grep -r 'a = 7' copy > found.txt; rm -r copy; done`
      say(`${FILES} files read, copied, searched and removed four times, with and without a sandbox in turn, 9 times`)
      const { ones, others, ratios, ratio } = await alternated(
        9,
        () => timed(folder, line, 'check'),
        () => timed(folder, line),
      )
      return {
        status: 'measured',
        value: ratio,
        details: [
          `${milliseconds(median(ones))} in the sandbox, ${milliseconds(median(others))} without (medians); the ratios went from ${spread(ratios)}.`,
        ],
      }
    }),
}

async function timed(cwd: string, line: string, purpose?: 'work' | 'check'): Promise<number> {
  const startedAt = performance.now()
  const box = purpose && (await sandbox({ allow: ['example.com'] }).open({ cwd, purpose }))
  try {
    await run(cwd, line, box)
    return performance.now() - startedAt
  } finally {
    await box?.close()
  }
}

async function run(cwd: string, line: string, box: Box | undefined): Promise<void> {
  const result = await runCommand({
    command: ['/bin/sh', '-c', line],
    cwd,
    ...(box ? { box } : {}),
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onStarted: async () => {},
  })
  if (result.status !== 'exited' || result.exitCode !== 0) throw new Error(`It ended as ${JSON.stringify(result)}.`)
}
