import type { EventData } from '../core/event-data.ts'
import { dateAndTime } from './times.ts'

/** Who goes on for whom and why, and when the first is tried again: what its provider said of that may be cut. */
export function switchWords({ from, message, until }: EventData['agent.switched']): string {
  return until === undefined
    ? message
    : `${message.replace(/(?<![.!?…])$/, '.')} ${from} is tried again from ${dateAndTime(until)} on.`
}
