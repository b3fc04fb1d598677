import type { Usage } from '../../core/event-data.ts'
import type { CommandResult } from '../../process/run-command.ts'
import { hasBegun, type StreamReading } from './stream-reading.ts'

/** That more was used than the stream told: it ended before the agent's own last event, which has the figures, or that had none. */
export function usageGap(reading: StreamReading, status: CommandResult['status']): Pick<Usage, 'isUsagePartial'> {
  const { used, sessionUsed, ending, refusal, events } = reading
  const own = figuresOf(used)
  const figures = own.length > 0 ? own : figuresOf(sessionUsed)
  // A 0 says that nothing was served; after an answer it is no figure.
  const isTold = figures.some((figure) => figure > 0) || (figures.length > 0 && !hasAnswered(reading))
  if (ending !== undefined && isTold) return {}
  // Where the provider failed from the first on nothing was served; a program that ends by itself before any event has not begun.
  const isProviderFailing = ending?.kind === 'error' || refusal !== undefined
  const isWithoutEvent = events === 0 && status === 'exited'
  return !hasBegun(reading) && (isProviderFailing || isWithoutEvent) ? {} : { isUsagePartial: true }
}

function figuresOf({ costUsd, tokens }: Usage = {}): readonly number[] {
  return [costUsd, tokens].filter((figure) => figure !== undefined)
}

/** Whether a model said or did anything: Claude Code gives the error that it ends with as the words of one. */
function hasAnswered(reading: StreamReading): boolean {
  const { words, ending } = reading
  return hasBegun(reading) && !(ending?.kind === 'error' && words.trim() === ending.message.trim())
}
