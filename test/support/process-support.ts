import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { readProcess } from '../../src/process/process-identity.ts'
import { runCommand, type RunCommandOptions } from '../../src/process/run-command.ts'

/** An environment with nothing in it but the way to Node and the system's programs. */
export const PLAIN_ENVIRONMENT = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }

/** A folder that is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs a line of shell through `runCommand`, with limits that fit a test. */
export async function runShell(line: string, options: Partial<RunCommandOptions> = {}) {
  return runCommand({
    command: ['/bin/sh', '-c', line],
    cwd: tmpdir(),
    env: PLAIN_ENVIRONMENT,
    timeoutMs: 20_000,
    graceMs: 200,
    signal: new AbortController().signal,
    onStarted: async () => {},
    ...options,
  })
}

/** Waits until `condition` gives something other than `undefined` or `false`; fails after ten seconds. */
export async function until<Value>(condition: () => Value | undefined | false): Promise<Value> {
  for (let round = 0; round < 500; round++) {
    const value = condition()
    if (value !== undefined && value !== false) return value
    await sleep(20)
  }
  throw new Error('it did not come to pass within ten seconds')
}

/** The numbers in a file, once there are `count` of them. */
export async function numbersIn(path: string, count: number): Promise<readonly number[]> {
  return until(() => {
    const numbers = textOf(path).trim().split(/\s+/).filter(Boolean).map(Number)
    return numbers.length >= count && numbers
  })
}

/** The text of a file, empty until it exists. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Whether a process with this pid is there and is no zombie. */
export function isRunning(pid: number): boolean {
  const entry = readProcess(pid)
  return entry !== undefined && !entry.isZombie
}
