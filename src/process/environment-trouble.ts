import type { CommandTrouble } from './command-trouble.ts'
import { closingLines } from './closing-lines.ts'
import { ENVIRONMENT_RULES } from './environment-rules.ts'

export interface FailedCommand {
  /** What it printed; of a test, what its failure says. */
  readonly text: string
  readonly cwd: string
  /**
   * A check prints what it is about. An agent prints whatever it reads, so only its very last lines count. A test may throw any
   * words itself, so of its failure only the first line counts, and only what can be looked up.
   */
  readonly from: 'agent' | 'check' | 'test'
}

/**
 * What of the machine kept a failed command from doing its work, as far as its last lines prove it: a full disk, a port that is
 * held, a service that does not answer. Only lines of the exact form in which programs complain count, and what can be looked
 * up (the port, the service, the file, the disk) is looked up, so that a log which merely mentions such words changes nothing. Never ask
 * about a command that succeeded. Its message holds the whole line: cut it only once there are no secrets in it.
 */
export async function environmentTrouble({ text, cwd, from }: FailedCommand): Promise<CommandTrouble | undefined> {
  const lines = from === 'test' ? text.trim().split('\n', 1) : closingLines(text, from === 'agent' ? 3 : 12)
  for (const [index, line] of lines.entries()) {
    const isLast = index === 0 && from !== 'test'
    for (const rule of ENVIRONMENT_RULES) {
      if ((rule.from !== undefined && rule.from !== from) || (from === 'test' && !rule.isLookedUp)) continue
      const match = rule.pattern.exec(line)
      if (match === null || (rule.isLast && !isLast)) continue
      const fix = await rule.fix({ match, cwd, isLast })
      if (fix !== undefined) return { fault: 'environment', message: `${rule.what}: ${line}`, fix }
    }
  }
  return undefined
}
