import { childEnvironment, type CommandLine } from '../../../process/command-options.ts'
import { resolveProgram } from '../../../process/find-program.ts'
import type { Examined } from './examined.ts'

/**
 * Whether the program of a command is there. The command itself is not printed: people write tokens into them. A missing one is a
 * `problem` where `isUsed`, else a `warning`.
 */
export async function examineCommand(topic: string, line: CommandLine, root: string, isUsed: boolean): Promise<Examined> {
  const program = (line.shell === true ? '/bin/sh' : line.command[0]) ?? ''
  const found = await resolveProgram(program, root, childEnvironment([], {})['PATH'])
  if (found.status === 'found') {
    const message = line.shell === true ? 'a line for /bin/sh; the programs in it were not looked for' : found.path
    return { topic, status: 'ok', message }
  }
  const fix = `install ${program}, or correct the command in pawl.yaml`
  return { topic, status: isUsed ? 'problem' : 'warning', message: found.message, fix }
}
