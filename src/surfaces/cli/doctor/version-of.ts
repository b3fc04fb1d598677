import { childEnvironment } from '../../../process/child-environment.ts'
import { runCommand } from '../../../process/run-command.ts'

/**
 * What a program answers to `--version`, as a number such as `2.39.5`: nothing else of its output is passed on. `undefined` when it
 * did not say within the time limit, 5 seconds by default. It sees no variable but the harmless few.
 */
export async function versionOf(program: string, cwd: string, timeoutMs = 5000): Promise<string | undefined> {
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
  if (result.status !== 'exited' || result.exitCode !== 0) return undefined
  return /\d+\.\d+[\w.+-]{0,30}/.exec(result.output.text)?.[0].replace(/[.+-]+$/, '')
}
