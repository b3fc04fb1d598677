import type { Usage } from '../../core/event-data.ts'
import { amountOf, fieldsOf, type Fields, type StreamReading } from './stream-reading.ts'

/**
 * What Claude Code says at its end that it used, its helpers included. Newer versions tell what was used since they last said so beside
 * the sum of the session; the sum of the oldest is of this call alone. Of those between, which add up and tell no more, the size of the
 * sum has to say what it is of.
 */
export function claudeUsage(
  { version, workUsed }: StreamReading,
  event: Fields,
): Pick<StreamReading, 'sessionUsed' | 'workUsed'> {
  const cost = event['total_cost_usd']
  if (typeof cost !== 'number') return {}
  const sessionUsed = { costUsd: amountOf(cost), ...tokensOf(modelsIn(event['modelUsage'])) }
  const since = event['model_usage_since_last_result']
  if (since !== undefined) return { sessionUsed, workUsed: withAll(workUsed, modelsIn(since)) }
  return version !== undefined && isBefore(version, FIRST_TO_ADD_UP) ? { sessionUsed, workUsed: sessionUsed } : { sessionUsed }
}

/** From this version on a session that goes on begins with what it had used before. */
const FIRST_TO_ADD_UP = [2, 1, 277]

function modelsIn(models: unknown): readonly Fields[] {
  return Object.values(fieldsOf(models)).map(fieldsOf)
}

function tokensOf(models: readonly Fields[]): Pick<Usage, 'tokens'> {
  const names = ['inputTokens', 'cacheCreationInputTokens', 'cacheReadInputTokens', 'outputTokens']
  const counts = models.flatMap((model) => names.map((name) => amountOf(model[name])))
  return counts.length === 0 ? {} : { tokens: counts.reduce((sum, count) => sum + count, 0) }
}

/** It may end more than once: work that went on behind its back begins another turn. */
function withAll({ costUsd = 0, tokens = 0 }: Usage = {}, models: readonly Fields[]): Usage {
  const cost = models.reduce((sum, model) => sum + amountOf(model['costUSD']), costUsd)
  return { costUsd: cost, tokens: tokens + (tokensOf(models).tokens ?? 0) }
}

function isBefore(version: string, bound: readonly number[]): boolean {
  const parts = version.split('.').map((part) => Number.parseInt(part, 10))
  const index = bound.findIndex((part, place) => parts[place] !== part)
  return index !== -1 && (parts[index] ?? 0) < (bound[index] as number)
}
