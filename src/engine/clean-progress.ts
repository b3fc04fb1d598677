import { withoutCutSecret } from '../secrets/known-values.ts'
import { redactText } from '../secrets/filter.ts'
import { hasSecretHint } from '../secrets/hint.ts'
import type { Progress } from './parts.ts'

/** Tells what is happening now, until it is ended. */
export interface CleanProgress {
  readonly onProgress: (progress: Progress) => void
  /** Nothing is told any more, also no line that is still looked at. */
  end(): void
}

/**
 * Tells what is happening now without secrets. A line in which there may be one takes a moment to look at; it is told only if none came
 * after it. What `tell` throws is handed to `fail`: a driver could do nothing about it, and may tell from where nobody catches it.
 */
export function cleanProgress(tell: (progress: Progress) => void, fail: (error: unknown) => void): CleanProgress {
  let latest = 0
  let isEnded = false
  const tellCleaned = async (key: string, line: string, mine: number): Promise<void> => {
    const clean = await redactText(line)
    if (mine === latest && !isEnded) tell({ key, line: clean })
  }
  return {
    onProgress: ({ key, line }) => {
      try {
        const whole = withoutCutSecret(line)
        const mine = ++latest
        if (hasSecretHint(whole)) tellCleaned(key, whole, mine).catch(fail)
        else if (!isEnded) tell({ key, line: whole })
      } catch (error) {
        fail(error)
      }
    },
    end: () => {
      isEnded = true
    },
  }
}
