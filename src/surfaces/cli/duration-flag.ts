import { PawlError } from '../../core/pawl-error.ts'
import { parseDuration } from '../../schema/duration.ts'

/** The milliseconds that a flag names. Throws `usage.duration` with the name of the flag. */
export function durationFlag(flag: string, text: string): number {
  try {
    return parseDuration(text)
  } catch (error) {
    throw new PawlError('usage.duration', `${flag}: ${error instanceof Error ? error.message : String(error)}`, {
      value: text,
      cause: error,
    })
  }
}
