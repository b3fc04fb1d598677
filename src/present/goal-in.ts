import type { PartSpec } from '../core/run-config.ts'
import { shortened } from '../core/wording.ts'

/** What a run is for: its loop's goal, or the beginning of the prompt; nothing where the loop has neither. */
export function goalIn({ settings: { goal, prompt } }: PartSpec): string | undefined {
  if (typeof goal === 'string') return goal
  return typeof prompt === 'string' ? shortened(prompt, PROMPT_LENGTH_MAX) : undefined
}

const PROMPT_LENGTH_MAX = 300
