import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Author } from '../../core/event.ts'
import { didYouMean } from '../../core/nearest-name.ts'
import type { McpProject } from './project.ts'
import type { JsonObject } from '../../core/json.ts'
import type { State } from '../../core/state.ts'
import { outsideSettings } from './outside-agent.ts'

/** What a tool knows of the call besides its arguments. */
export interface Call {
  readonly project: McpProject
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
  /** The agent, by the name its client gives itself. */
  readonly by: Author
  /** Tells a client that asked for it what is being done. */
  readonly onProgress: (line: string) => void
  /** Whether a person can be asked through the client. */
  readonly canElicit: boolean
  /** What the person said, when the call comes back with it. */
  readonly inputResponses: Record<string, unknown> | undefined
}

/** One tool of the server: what clients read about it, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** Set when it changes nothing. */
  readonly isReadOnly?: true
  call(args: z.output<Input>, call: Call): Promise<z.input<Output> | InputRequiredResult>
}

/** A tool whose arguments and result are known to the compiler. Arguments it does not have are refused, with the nearest name. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(definition: Tool<Input, Output>): Tool {
  const input = exactly(definition.name, 'argument', definition.input)
  return { ...(definition as unknown as Tool), input }
}

/** The same fields and no others: one that is misspelt must not be dropped without a word. */
export function exactly<Shape extends z.core.$ZodLooseShape>(
  owner: string,
  what: string,
  { shape }: z.ZodObject<Shape>,
): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `${owner} has no ${what} "${key}"${didYouMean(key, names)}`).join('; ')
        : undefined,
  })
}

/** Free-form data. Said in so many words, since some clients refuse a schema that says nothing. */
export const anyMap = z.record(z.string(), z.unknown()).meta({ additionalProperties: true })

/** Names of tasks and runs. */
export const TASK_ID = z
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

/** A question that a person has to answer, as clients read it. */
export const openQuestion = z.object({
  text: z.string(),
  options: z.array(z.object({ number: z.number(), choice: z.string(), label: z.string(), whatFollows: z.string().optional() })),
  attempts: z.array(z.string()),
  pattern: z.string().optional(),
  /** What to do about it before answering. */
  steps: z.array(z.string()).optional(),
  /** The command that answers it in a terminal. */
  answerWith: z.string(),
})
