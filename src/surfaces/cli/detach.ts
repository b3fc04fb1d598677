import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError } from '../../core/pawl-error.ts'
import type { Project } from '../../settings/find-project.ts'
import type { Store } from '../../stores/store.ts'
import type { CliContext } from './cli-context.ts'
import { EXIT } from './exit-codes.ts'

/** What a run in the background prints. */
export function detachedLog({ storePath }: Pick<Project, 'storePath'>, run: string): string {
  return join(dirname(storePath), 'logs', `${run}.log`)
}

/**
 * Starts the same command again in the background, in its own session, so that closing the terminal doesn't end it. Waits until it
 * drives the run, or has ended: what is wrong is said here and not only in its log.
 */
export async function detach({ terminal, isJson, project }: CliContext, store: Store, run: string): Promise<number> {
  const log = detachedLog(project, run)
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 })
  const output = openSync(log, 'w', 0o600)
  const words = wordsFor(process.argv.slice(2), run)
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...words], {
    detached: true,
    stdio: ['ignore', output, output],
    env: { ...process.env, [DETACHED]: '1' },
  })
  closeSync(output)
  const ended = new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => resolve(code ?? EXIT.error))
    child.once('error', reject)
  })
  const last = Date.now() + START_MS_MAX
  let code: number | undefined
  while (code === undefined && Date.now() < last) {
    code = await Promise.race([ended, sleep(PAUSE_MS, undefined)])
    if (code === undefined && (await store.holder(run))?.pid === child.pid) break
  }
  if (code !== undefined && code !== EXIT.done) {
    const said = readFileSync(log, 'utf8')
      .trim()
      .replace(/^pawl: /gm, '')
    if ((await store.read(run)).length === 0)
      throw new PawlError(
        code === EXIT.usage ? 'usage.detached' : 'run.not-started',
        said === '' ? `Run ${run} did not start.` : said,
      )
  }
  child.unref()
  if (isJson) terminal.json({ run, status: 'detached', pid: child.pid, log })
  else {
    terminal.say(`${terminal.paint('bold', run)} runs in the background (process ${child.pid})`)
    terminal.say(`  Watch  pawl attach ${run}`)
    terminal.say(`  Pause  kill -INT ${child.pid}`)
    terminal.say(`  End    pawl abort ${run}`)
  }
  return EXIT.done
}

/** Whether this process is one that was started so. */
export function isDetached(): boolean {
  return process.env[DETACHED] !== undefined
}

/** Agents and checks don't see it: their environment is made from names that are passed on. */
const DETACHED = 'PAWL_DETACHED'
const START_MS_MAX = 10_000
const PAUSE_MS = 50

/** The same words with the run's name, without `--detach`. Nobody is there to be asked. */
function wordsFor(words: readonly string[], run: string): readonly string[] {
  const end = words.indexOf('--')
  const [flags, rest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)]
  const kept = flags.filter((word) => word !== '--detach' && word !== '-d' && word !== '--json')
  const hasName = kept[0] === 'resume' || kept.some((word) => word === '--id' || word.startsWith('--id='))
  const ask = kept.includes('--no-ask') ? [] : ['--no-ask']
  return [...kept, ...(hasName ? [] : ['--id', run]), ...ask, ...rest]
}
