import { z } from 'zod'
import { PawlError } from '../../../core/pawl-error.ts'
import { isVariableName } from '../../../process/child-environment.ts'
import { parseDuration } from './duration.ts'

/*
 * The message of every rule is the phrase for what is expected ("true or false"); `config-problem.ts` makes a sentence of it. Issues
 * of kind `custom` carry whole sentences.
 */

const flag = z.boolean('true or false')
const severity = z.enum(['trip', 'warn'], 'trip or warn')
const amount = z.number('a number of at least 0').min(0, 'a number of at least 0')

function wholeNumber(min: number) {
  const expected = `a whole number of at least ${min}`
  return z.int(expected).min(min, expected)
}

function duration(msMin: 0 | 1) {
  return z.union([z.string(), z.number()], 'a duration such as 90s, 10m or 1h30m').transform((value, context) => {
    try {
      const ms = parseDuration(String(value))
      if (ms >= msMin) return ms
      context.addIssue({ code: 'too_small', origin: 'number', minimum: msMin, input: value, message: 'longer than 0' })
    } catch (error) {
      if (!(error instanceof PawlError)) throw error
      context.addIssue(error.message)
    }
    return z.NEVER
  })
}

const command = z.union(
  [z.string(), z.array(z.string()).min(1)],
  'one text such as "npm test", or a list of texts (numbers in quotes)',
)

const variable = z
  .string('the name of a variable, such as MY_KEY')
  .refine(
    (name) => isVariableName(name.replace(/\*$/, '')),
    'Only names of variables can stand here, such as MY_KEY or MY_*; never values.',
  )

const environment = z.array(variable, 'a list of names of variables, such as [MY_KEY]')

const check = z.strictObject(
  {
    name: z.string('one line of text').regex(/^\S(?:.*\S)?$/, 'one line of text'),
    command,
    timeout: duration(1).optional(),
    environment: environment.optional(),
  },
  'a check such as { name: tests, command: "npm test" }',
)

const agentName = z.string().regex(/^[A-Za-z0-9][\w.-]*$/)

const agent = z.strictObject(
  {
    command,
    shell: flag.optional(),
    brief: z.enum(['stdin', 'argument'], 'stdin or argument').optional(),
    timeout: duration(1).optional(),
    environment: environment.optional(),
  },
  'an agent such as { command: "my-agent --fast" }',
)

const circuitBreaker = z.strictObject(
  { failures_max: wholeNumber(1).optional(), severity: severity.optional() },
  'a map such as { failures_max: 4, severity: trip }, or off',
)

const sameFailure = z.strictObject(
  { repeats_min: wholeNumber(2).optional(), severity: severity.optional() },
  'a map such as { repeats_min: 3, severity: warn }, or off',
)

/** `off` is text in the YAML of today and `false` in that of yesterday; people mean the same. */
function orOff<Settings extends z.ZodObject>(settings: Settings) {
  return z
    .preprocess((value) => (value === 'off' || value === false ? undefined : value), settings.optional())
    .transform((value) => value ?? ('off' as const))
    .optional()
}

const guards = z.strictObject({ circuit_breaker: orOff(circuitBreaker), same_failure: orOff(sameFailure) }, 'a map of guards')

/** The shape of `pawl.yaml`, with the keys as they stand there; what holds between keys is in `config-rules.ts`. */
export const configSchema = z.strictObject({
  agent: z.string('the name of an agent').optional(),
  agents: z.record(agentName, agent, 'a map of names to agents').optional(),
  checks: z.array(check, 'a list of checks').optional(),
  max_iterations: wholeNumber(1).optional(),
  budget_usd: amount.optional(),
  budget_tokens: wholeNumber(0).optional(),
  budget_time: duration(0).optional(),
  agent_timeout: duration(1).optional(),
  baseline: flag.optional(),
  feedback_max_length: wholeNumber(1).optional(),
  worktree: flag.optional(),
  guards: guards.optional(),
})

/** What the schema lets through. */
export type RawConfig = z.output<typeof configSchema>
/** A command as it stands in the file. */
export type RawCommand = z.output<typeof command>

/** The keys that may stand in the map at a place in the file. */
export function keysUnder([top, second]: readonly (string | number)[]): readonly string[] {
  if (top === undefined) return Object.keys(configSchema.shape)
  if (top === 'checks') return Object.keys(check.shape)
  if (top === 'agents') return Object.keys(agent.shape)
  if (second === undefined) return Object.keys(guards.shape)
  return Object.keys((second === 'circuit_breaker' ? circuitBreaker : sameFailure).shape)
}
