import { join } from 'node:path'
import { childEnvironment } from '../../../process/command-options.ts'
import { runCommand } from '../../../process/run-command.ts'
import type { FoundTestCommand } from '../../../settings/find-test-commands.ts'

/** A test command that was tried: `trouble` says why it doesn't start. */
export type TriedTestCommand = FoundTestCommand & { readonly trouble?: string }

/**
 * Starts each command as a check would be started, and ends it after a while: only one that was seen to start is a proposal. pytest only
 * collects its tests; if it can't import the package, `python -m pytest`, which looks in the folder too, takes its place if it can.
 */
export async function tryTestCommands(folder: string, tests: readonly FoundTestCommand[]): Promise<readonly TriedTestCommand[]> {
  const tried: TriedTestCommand[] = []
  for (const test of tests) tried.push(await tryOne(join(folder, test.cwd ?? ''), test))
  return tried
}

async function tryOne(cwd: string, test: FoundTestCommand): Promise<TriedTestCommand> {
  const seen = await trial(cwd, test.command)
  const isPytest = test.command.startsWith('pytest ')
  if (isPytest && (seen.trouble !== undefined || seen.lacksModule)) {
    for (const python of ['python', 'python3']) {
      const command = `${python} -m ${test.command}`
      const other = await trial(cwd, command)
      if (other.trouble === undefined && !other.lacksModule) return { ...test, command }
    }
  }
  return seen.trouble === undefined ? test : { ...test, trouble: seen.trouble }
}

interface Seen {
  readonly trouble?: string
  /** A module could not be imported. */
  readonly lacksModule: boolean
}

async function trial(cwd: string, command: string): Promise<Seen> {
  const line = /\bpytest\b/.test(command) ? `${command} --collect-only -p no:cacheprovider` : command
  const result = await runCommand({
    command: ['/bin/sh', '-c', line],
    cwd,
    // A trial leaves nothing behind: neither compiled files nor pytest's cache.
    env: { ...childEnvironment([], {}), PYTHONDONTWRITEBYTECODE: '1' },
    timeoutMs: TRIAL_MS_MAX,
    outputBytesMax: 64 * 1024,
    signal: AbortSignal.timeout(2 * TRIAL_MS_MAX),
    onStarted: async () => undefined,
  })
  if (!('output' in result)) return { trouble: result.message, lacksModule: false }
  const { text } = result.output
  const isMissing = result.status === 'exited' && (result.exitCode === 127 || result.exitCode === 126)
  // What a shell calls itself says nothing.
  const said =
    text.split('\n').find((each) => /not found|denied|cannot|can't/i.test(each)) ?? text.trim().split('\n').at(-1) ?? ''
  return {
    ...(isMissing ? { trouble: said.replace(/^(?:\/bin\/)?sh: (?:\d+: )?/, '').trim() || `exit code ${result.exitCode}` } : {}),
    lacksModule: /ModuleNotFoundError|ImportError|No module named/.test(text),
  }
}

/** Long enough to see that a program is there, short enough to wait for. */
const TRIAL_MS_MAX = 10_000
