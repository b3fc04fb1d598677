import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import type { State } from '../../core/state.ts'
import { outsideSettings } from './outside-agent.ts'

/** Free-form data. Said in so many words, since some clients refuse a schema that says nothing. */
export const anyMap = z.record(z.string(), z.unknown()).meta({ additionalProperties: true })

/** Names of tasks and runs. */
export const taskId = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe('The task that the loop works on: a name or number of your own, such as TASK-17.')

/** Names of loops. */
export const iterationId = z.string().trim().min(1).max(120).describe('What iteration_start gave back.')

/** How a loop goes, as clients read it. */
export const iterationConfig = z.object({
  maxIterations: z.number(),
  completionPromises: z.array(z.string()),
  validationRules: z.array(anyMap),
  circuitBreakerThreshold: z.number(),
})

/** What holds now: a person may have raised limits since the start. */
export function configOf(state: State): z.input<typeof iterationConfig> {
  const settings = outsideSettings(state)
  const limit = (guard: string, setting: string, given = 0): number =>
    Number(state.config.guards.find(({ name }) => name === guard)?.settings[setting] ?? given)
  return {
    maxIterations: limit('maxIterations', 'iterationsMax'),
    completionPromises: [...(settings?.completionPromises ?? [])],
    validationRules: (settings?.validationRules ?? []) as JsonObject[],
    circuitBreakerThreshold: limit('circuitBreaker', 'failuresMax', settings?.circuitBreakerThreshold),
  }
}
