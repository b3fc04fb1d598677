import type { RunStatus } from '../core/outcome.ts'
import type { Screen } from './screen.ts'

/**
 * What a status is called. A run nobody drives although it could go on is `bound` where a session of an agent goes on with it when it
 * ends its turn, else `idle`: interrupted, or answered and not taken up yet.
 */
export function statusWord(status: RunStatus, isHeld: boolean, isBound = false): string {
  if (status !== 'running' || isHeld) return status
  return isBound ? 'bound' : 'idle'
}

/** What a person can type to get a run on; nothing when it is over, goes on by itself, or someone else, `elsewhere`, goes on with it. */
export function nextCommand(
  run: string,
  status: RunStatus,
  isHeld: boolean,
  isAnswered: boolean,
  elsewhere?: string,
): string | undefined {
  const isAsking = (status === 'escalated' || status === 'stopped') && !isAnswered
  if (isAsking) return `pawl answer ${run}`
  const isOver = status === 'completed' || status === 'aborted'
  return isOver || isHeld || elsewhere !== undefined ? undefined : `pawl resume ${run}`
}

/** The colour of a status: green is done, yellow wants a person, red ended without success. */
export function paintedStatus(status: RunStatus, text: string, { paint }: Pick<Screen, 'paint'>): string {
  return paint(colours[status], text)
}

const colours = {
  running: 'cyan',
  waiting: 'cyan',
  escalated: 'yellow',
  paused: 'yellow',
  completed: 'green',
  stopped: 'red',
  aborted: 'red',
} as const satisfies Readonly<Record<RunStatus, string>>
