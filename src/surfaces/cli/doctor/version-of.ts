import { duration } from '../../../core/wording.ts'
import { childEnvironment } from '../../../process/command-options.ts'
import { runCommand } from '../../../process/run-command.ts'

/** What came of asking: a number such as `2.39.5`, no number from a program that works, or what is wrong with it. */
export type AskedVersion = { readonly version?: string } | { readonly trouble: string }

/**
 * What a program answers to `--version`: nothing else of its output is passed on. It may take 10 seconds by default, since an agent takes
 * two or three to begin and all of them are asked at the same time. It sees no variable but the harmless few.
 */
export async function versionOf(program: string, cwd: string, timeoutMs = 10_000): Promise<AskedVersion> {
  const result = await runCommand({
    command: [program, '--version'],
    cwd,
    env: childEnvironment([], { CI: 'true', NO_COLOR: '1', LC_ALL: 'C' }),
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
