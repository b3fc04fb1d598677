import { absentTarget } from '../../../process/command-target.ts'
import { childEnvironment } from '../../../process/command-options.ts'
import type { ConfiguredCheck, PawlConfig } from '../../../settings/pawl-config.ts'
import { examineCommand } from './examine-command.ts'
import type { Examined } from './examined.ts'

/**
 * Whether the program of a check is there, and the script or the file that it is asked to run, without running anything. Where the
 * checks do not run before the work, what they run may still be made: then it is only a `warning`.
 */
export async function examineCheck(check: ConfiguredCheck, { baseline = true }: PawlConfig, root: string): Promise<Examined> {
  const examined = await examineCommand(`check ${check.name}`, check, root, true)
  if (examined.status !== 'ok' || check.shell === true) return examined
  const absent = await absentTarget(check.command, root, childEnvironment(check.environment ?? [], {})['PATH'])
  if (absent === undefined) return examined
  const fix = 'correct the command in pawl.yaml, or make what it runs'
  return { topic: examined.topic, status: baseline ? 'problem' : 'warning', message: absent.message, fix }
}
