import type { PartSpec } from '../core/run-config.ts'
import { type CommandLine, programName } from '../process/command-options.ts'

/** What people call a part: its name, else its program. */
export function partName({ name, settings }: PartSpec): string {
  if (typeof settings['name'] === 'string') return settings['name']
  return settings['command'] === undefined ? name : programName(settings as unknown as CommandLine)
}
