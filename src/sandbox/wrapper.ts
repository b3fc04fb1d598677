import { resolveProgram } from '../process/find-program.ts'
import { readOptions } from '../schema/read-options.ts'
import type { Isolation } from './isolation.ts'
import { WRAPPER, type WrapperOptions } from './settings.ts'

/**
 * A wrapper of the user's own: firejail, a container, a virtual machine. What it enforces, only it knows.
 *
 * @part command
 */
export function wrapper(options: WrapperOptions): Isolation {
  const { command } = readOptions('wrapper', WRAPPER, options)
  const [program = ''] = command
  return {
    spec: { name: 'command', v: 1, settings: { command } },
    ready: async () => {
      const found = await resolveProgram(program, process.cwd(), process.env['PATH'])
      if (found.status === 'found') return undefined
      return { fault: 'config', message: found.message, fix: 'Install it, or correct `isolation_command` in pawl.yaml.' }
    },
    open: async ({ cwd }) => ({
      prefix: command,
      cwd,
      enforced: { isolation: 'command', by: program },
      refusals: () => [],
      close: async () => undefined,
    }),
  }
}
