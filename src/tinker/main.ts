import { writeFileSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { PawlError } from '../core/pawl-error.ts'
import { reportParsers } from '../checks/reports/index.ts'
import { readSettings } from './settings.ts'
import { tinker, type TinkerResult } from './tinker.ts'

/**
 * The program: works in the current folder, reads the brief from standard input and the settings from the environment (see
 * `settings.ts`). Exit code 0: it did its work, even if nothing helped (its last line says so); 2: it couldn't.
 */
const EXIT_CODES: Readonly<Record<TinkerResult['status'], number>> = { helped: 0, 'nothing-helped': 0, aborted: 143 }

/** The brief only helps to rank, so don't wait long for it. */
const BRIEF_WAIT_MS = 10_000

process.exitCode = await main()

async function main(): Promise<number> {
  const abort = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => abort.abort())
  // The reader of the output is gone: restore the files and end.
  process.stdout.on('error', () => abort.abort())
  try {
    const settings = readSettings(process.env)
    const env = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    )
    const brief = await readBrief(abort.signal)
    const { signal } = abort
    const { status, summary } = await tinker({ cwd: process.cwd(), env, settings, brief, parsers: reportParsers, say, signal })
    say(summary)
    if (settings.reportFile) writeFileSync(settings.reportFile, `${JSON.stringify({ summary, costUsd: 0, tokens: 0 })}\n`)
    return EXIT_CODES[status]
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 2
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function readBrief(signal: AbortSignal): Promise<string> {
  if (process.stdin.isTTY) return ''
  try {
    return await text(addAbortSignal(AbortSignal.any([signal, AbortSignal.timeout(BRIEF_WAIT_MS)]), process.stdin))
  } catch {
    say('the brief on standard input did not end in time; continuing without it')
    return ''
  }
}
