import { basename, isAbsolute, relative } from 'node:path'
import type { Transcripts } from '../../../registry/agent-tools.ts'
import type { TestSideGroup } from '../../../registry/test-side.ts'
import type { Support } from '../../../settings/agent-presets.ts'
import { duration } from '../../../core/wording.ts'
import { childEnvironment, type CommandLine } from '../../../process/command-options.ts'
import { runCommand } from '../../../process/run-command.ts'
import { resolveProgram } from '../../../process/find-program.ts'

/** `absent`: something nobody asked for is not there, which is fine. Only a `problem` fails the check. */
export type Health = 'ok' | 'absent' | 'warning' | 'problem'

/** One thing that was looked at. */
export interface Diagnosis {
  readonly topic: string
  readonly status: Health
  readonly message: string
  /** How to fix it. */
  readonly fix?: string
  /** Of an agent: whether somebody seems to be logged in. */
  readonly login?: Login
  /** Of an agent: what Pawl can use of it. */
  readonly supports?: readonly Support[]
  /** Of an agent: the parts that pawl.yaml gives it, in words. */
  readonly parts?: readonly string[]
  /** Of an agent: where its transcripts are, and how much is there. */
  readonly sessions?: readonly Transcripts[]
  /** Of the tests: which files a proof takes for tests, by the reason. */
  readonly testSide?: readonly TestSideGroup[]
}

/** What shows a log-in, by its name only; or how to log in. */
export type Login = { readonly status: 'found'; readonly by: string } | { readonly status: 'none'; readonly how: string }

/** What came of asking: a number such as `2.39.5`, no number from a program that works, or what is wrong with it. */
export type AskedVersion = { readonly version?: string } | { readonly trouble: string }

/**
 * What a program answers to `--version`: nothing else of its output is passed on. It may take 10 seconds by default, since an agent takes
 * two or three to begin and all of them are asked at the same time. It sees the variables that a check with this `environment` sees.
 */
export async function versionOf(
  program: string,
  cwd: string,
  { timeoutMs = 10_000, environment = [] }: { readonly timeoutMs?: number; readonly environment?: readonly string[] } = {},
): Promise<AskedVersion> {
  const result = await runCommand({
    command: [program, WORDS[basename(program)] ?? '--version'],
    cwd,
    env: childEnvironment(environment, { CI: 'true', NO_COLOR: '1', LC_ALL: 'C' }),
    timeoutMs,
    graceMs: 200,
    outputBytesMax: 16 * 1024,
    signal: new AbortController().signal,
    onStarted: async () => {},
  })
  switch (result.status) {
    case 'could-not-start':
      return { trouble: result.message }
    case 'timed-out':
      return { trouble: `did not answer within ${duration(timeoutMs)} when asked for its version` }
    case 'killed':
      return { trouble: `was ended by ${result.signal} when asked for its version` }
    case 'aborted':
      return { trouble: 'was not asked to the end' }
    case 'exited': {
      if (result.exitCode !== 0) return { trouble: `exited with ${result.exitCode} when asked for its version` }
      const version = /\d+\.\d+[\w.+-]{0,30}/.exec(result.output.text)?.[0].replace(/[.+-]+$/, '')
      return version === undefined ? {} : { version }
    }
  }
}

/** Programs that don't know `--version`. */
const WORDS: Readonly<Record<string, string>> = { go: 'version', zig: 'version' }

/** Whether a program belongs to the project itself: the project's authors wrote it. */
export function isOfProject(path: string, root: string): boolean {
  const way = relative(root, path)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}

/**
 * Whether the program of a command is there. The command itself is not printed: people write tokens into them. A missing one is a
 * `problem` where `isUsed`, else a `warning`.
 */
export async function examineCommand(topic: string, line: CommandLine, root: string, isUsed: boolean): Promise<Diagnosis> {
  const program = (line.shell === true ? '/bin/sh' : line.command[0]) ?? ''
  const found = await resolveProgram(program, root, childEnvironment([], {})['PATH'])
  if (found.status === 'found') {
    const message = line.shell === true ? 'a line for /bin/sh; the programs in it were not looked for' : found.path
    return { topic, status: 'ok', message }
  }
  const fix = `install ${program}, or correct the command in pawl.yaml`
  return { topic, status: isUsed ? 'problem' : 'warning', message: found.message, fix }
}
