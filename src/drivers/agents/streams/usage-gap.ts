import type { Usage } from '../../../core/event-data.ts'
import type { CommandResult } from '../../../process/run-command.ts'
import { hasBegun, type StreamReading } from './stream-reading.ts'

/** That more was used than the stream told: it ended before the agent's own last event, which has the figures, or that had none. */
export function usageGap(reading: StreamReading, status: CommandResult['status']): Pick<Usage, 'isUsagePartial'> {
  const { used, sessionUsed, ending, refusal, events } = reading
  const hasFigures = [used, sessionUsed].some((usage) => usage?.costUsd !== undefined || usage?.tokens !== undefined)
  if (ending !== undefined && hasFigures) return {}
  // Where the provider failed from the first on nothing was served; a program that ends by itself before any event has not begun.
  const isProviderFailing = ending?.kind === 'error' || refusal !== undefined
  const isWithoutEvent = events === 0 && status === 'exited'
  return !hasBegun(reading) && (isProviderFailing || isWithoutEvent) ? {} : { isUsagePartial: true }
}
