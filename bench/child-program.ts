import { join } from 'node:path'
import { execa } from 'execa'

/** Longer than any of them takes on a slow and busy machine. */
const CHILD_MS_MAX = 10 * 60_000

/**
 * Runs a program of the bench in its own process, with this Node and next to no environment, and gives back the JSON it
 * printed; `undefined` when it printed none. Throws with what it said when it failed, unless it was to die by `expectedSignal`.
 */
export async function childProgram(program: string, args: readonly string[], expectedSignal?: NodeJS.Signals): Promise<unknown> {
  const { failed, signal, stdout, shortMessage, stderr } = await execa(
    process.execPath,
    [join(import.meta.dirname, program), ...args],
    {
      env: { PATH: process.env['PATH'] },
      extendEnv: false,
      reject: false,
      timeout: CHILD_MS_MAX,
    },
  )
  if (failed && (signal === undefined || signal !== expectedSignal)) throw new Error(`${shortMessage}\n${stderr}`)
  return stdout === '' ? undefined : JSON.parse(stdout)
}
