import { z } from 'zod'
import { PawlError } from '../core/pawl-error.ts'
import { isVariableName } from '../process/command-options.ts'
import { parseDuration } from './duration.ts'
import { guardShapes, guardsSchema, ownKeys } from './guard-schema.ts'
import { wholeNumber } from './number-rules.ts'
import { reportWish } from './report-wish.ts'

/*
 * The message of every rule is the phrase for what is expected ("true or false"); `config-problem.ts` makes a sentence of it. Issues
 * of kind `custom` carry whole sentences.
 */

const flag = z.boolean('true or false')
const amount = z.number('a number of at least 0').min(0, 'a number of at least 0')

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

const report = z.strictObject(
  {
    format: z.string('the name of a format, such as junit').optional(),
    file: z.string('the path of one file').optional(),
  },
  'a format such as junit, a file such as report.xml, or { format: junit, file: report.xml }',
)

const check = z.strictObject(
  {
    name: z.string('one line of text').regex(/^\S(?:.*\S)?$/, 'one line of text'),
    command,
    timeout: duration(1).optional(),
    environment: environment.optional(),
    report: z.preprocess((value) => (typeof value === 'string' ? reportWish(value) : value), report).optional(),
  },
  'a check such as { name: tests, command: "npm test" }',
)

const RULE_TYPES = ['command', 'content_pattern', 'coverage', 'file_existence', 'custom']

/** What stands in `config` depends on the type, and is checked where the rule is made. */
const rule = z.strictObject(
  {
    type: z.enum(RULE_TYPES, `one of ${RULE_TYPES.join(', ')}`),
    name: z.string('one line of text').regex(/^\S(?:.*\S)?$/, 'one line of text'),
    config: z.record(z.string(), z.unknown(), 'a map of settings').optional(),
  },
  'a rule such as { type: command, name: tests, config: { command: "npm test" } }',
)

const agentName = z.string().regex(/^[A-Za-z0-9][\w.-]*$/)

const word = z.string('one word').regex(/^[^\s-]\S*$/, 'one word')

const policy = z.enum(['ask', 'allow', 'deny'], 'ask, allow or deny')

const permissions = z.union(
  [policy, z.record(z.string(), policy)],
  'ask, allow or deny, or one of them for each kind of tool such as { edit: allow, execute: ask }',
)

const prices = z.strictObject(
  { input: amount, output: amount, cached_input: amount.optional() },
  'what a million tokens cost in dollars, such as { input: 3, output: 15 }',
)

const agent = z.strictObject(
  {
    command: command.optional(),
    acp: command.optional(),
    module: z.string('the path of a file that exports a model').regex(/\S/, 'the path of a file that exports a model').optional(),
    base_url: z.url('an address such as http://127.0.0.1:11434/v1').optional(),
    key: variable.optional(),
    shell: flag.optional(),
    brief: z.enum(['stdin', 'argument'], 'stdin or argument').optional(),
    driver: word.optional(),
    program: z.string('the name or the path of a program').regex(/\S/, 'the name or the path of a program').optional(),
    model: word.optional(),
    permission_mode: z.enum(['read', 'edit', 'full'], 'read, edit or full').optional(),
    session: z.enum(['fresh', 'continue'], 'fresh or continue').optional(),
    mode: word.optional(),
    auth_method: word.optional(),
    permissions: permissions.optional(),
    instructions: z.string('a text').optional(),
    steps_max: wholeNumber(1).optional(),
    prices: prices.optional(),
    arguments: z.array(z.string('text (numbers in quotes)'), 'a list of texts, such as ["--max-turns", "20"]').optional(),
    timeout: duration(1).optional(),
    environment: environment.optional(),
  },
  'an agent such as { command: "my-agent --fast" }, or the settings of a known one such as { model: opus }',
)

/** The settings of an iteration's control, by the names they have in files. */
export const controlShape = {
  max_iterations: wholeNumber(1).optional(),
  auto_retry_on_test_fail: flag.optional(),
  auto_retry_on_review_reject: flag.optional(),
  escalation_includes_diff: flag.optional(),
  feedback_max_length: wholeNumber(1).optional(),
}

const glob = z.string('a glob such as test/**').regex(/\S/, 'a glob such as test/**')

const expert = z.string('the name of an agent').optional()

/** An agent for each guard whose trips one can be put to work on, limits among them. */
const EXPERT_KEYS = ['max_iterations', 'budget', ...Object.keys(guardShapes)]

const experts = z.strictObject(
  Object.fromEntries(EXPERT_KEYS.map((guard) => [guard, expert])),
  'a map of guards to agents, such as { same_failure: codex }',
)

const roles = z.record(
  agentName,
  z.string('the name of an agent'),
  'a map of roles to agents, such as { coder_a: claude, coder_b: codex, reviewer: gemini }',
)

/** The shape of `pawl.yaml`, with the keys as they stand there; what holds between keys is in `config-rules.ts`. */
export const configSchema = z.strictObject({
  agent: z.string('the name of an agent').optional(),
  fallback: z.array(z.string('the name of an agent'), 'a list of agents such as [codex, gemini]').optional(),
  on_limit: z.enum(['wait', 'switch'], 'wait or switch').optional(),
  agents: z.record(agentName, agent, 'a map of names to agents').optional(),
  checks: z.array(check, 'a list of checks').optional(),
  rules: z.array(rule, 'a list of rules').optional(),
  reviewer: z.string('the name of an agent, or person').optional(),
  questioner: z.string('the name of an agent').optional(),
  roles: roles.optional(),
  experts: experts.optional(),
  protect: z.array(glob, 'a list of globs such as [test/**]').optional(),
  ...controlShape,
  budget_usd: amount.optional(),
  budget_tokens: wholeNumber(0).optional(),
  budget_time: duration(0).optional(),
  agent_timeout: duration(1).optional(),
  baseline: flag.optional(),
  tester_overrules_security: flag.optional(),
  worktree: flag.optional(),
  guards: guardsSchema.optional(),
})

/** What the schema lets through. */
export type RawConfig = z.output<typeof configSchema>
/** A command as it stands in the file. */
export type RawCommand = z.output<typeof command>

/** The keys that may stand in the map at a place in the file. */
export function keysUnder([top, second, third, fourth]: readonly (string | number)[]): readonly string[] {
  if (top === undefined) return Object.keys(configSchema.shape)
  if (top === 'checks') return Object.keys(third === 'report' ? report.shape : check.shape)
  if (top === 'rules') return Object.keys(rule.shape)
  if (top === 'agents') return Object.keys(agent.shape)
  if (top === 'experts') return EXPERT_KEYS
  if (second === undefined) return Object.keys(guardShapes)
  if (third === 'own') return ownKeys(fourth)
  return Object.keys(guardShapes[second as keyof typeof guardShapes].shape)
}
