import { duration } from '../core/wording.ts'

/** How long an agent may work. */
export interface TimeLimit {
  readonly ms: number
  /** Whether that is what was left of the time of the run, or of this step of it, and not the agent's own limit. */
  readonly isRest: boolean
}

/** The shorter of the agent's own limit and what is left. */
export function timeLimit(timeoutMs: number, leftMs = Infinity): TimeLimit {
  return { ms: Math.min(timeoutMs, leftMs), isRest: leftMs < timeoutMs }
}

/** Why an agent was ended at its limit. One that was only given less time did not hang. */
export function endedAtLimit(name: string, { ms, isRest }: TimeLimit): string {
  if (isRest) return `No more time was left for ${name}: it was ended after ${duration(ms)} of work.`
  return `${name} was not done within ${ms / 1000} s and was ended.`
}
