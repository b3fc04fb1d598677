import type { InputRequiredResult } from '@modelcontextprotocol/server'
import type { Author } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import {
  ANY_MAP,
  type InputOf,
  listOf,
  nameUpTo,
  needed,
  NUMBER,
  optional,
  type OutputOf,
  settingsSchema,
  TEXTS,
  TRUE,
  WORDS,
} from '../../schema/kinds.ts'
import { findingWords, proofView } from '../../present/proof-view.ts'
import type { SettingsSchema } from '../../schema/read-options.ts'
import { outsideSettings } from './outside-agent.ts'
import type { McpProject } from './project.ts'

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
export interface Tool<Input extends SettingsSchema = SettingsSchema, Output extends SettingsSchema = SettingsSchema> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  /** Set when it changes nothing. */
  readonly isReadOnly?: true
  /** Set when it deletes something for good: clients may ask the person first. */
  readonly isDestructive?: true
  call(args: OutputOf<Input>, call: Call): Promise<ResultOf<Output> | InputRequiredResult>
}

/** What a tool answers. */
export type ResultOf<Output extends SettingsSchema> = DeepReadonly<InputOf<Output>>

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value

/** A tool whose arguments and result are known to the compiler. */
export function tool<const Input extends SettingsSchema, const Output extends SettingsSchema>(
  definition: Tool<Input, Output>,
): Tool {
  return definition as unknown as Tool
}

/** Names of tasks and runs. */
export const TASK_ID = needed(nameUpTo(200), 'The task that the loop works on: a name or number of your own, such as TASK-17.')

/** Which loop is meant, for tools that take either name. */
export const TASK_OR_LOOP = needed(TASK_ID, 'The task or the loop (iterationId).')

/** Names of loops. */
export const ITERATION_ID = needed(nameUpTo(120), 'What iteration_start gave back.')

/** How a loop goes, as clients read it. */
export const ITERATION_CONFIG = settingsSchema({
  maxIterations: NUMBER,
  completionPromises: TEXTS,
  validationRules: listOf('a list of rules', ANY_MAP),
  circuitBreakerThreshold: NUMBER,
})

/** What holds now: a person may have raised limits since the start. */
export function configOf(state: State): ResultOf<typeof ITERATION_CONFIG> {
  const settings = outsideSettings(state)
  const limit = (guard: string, setting: string, given = 0): number =>
    Number(state.config.guards.find(({ name }) => name === guard)?.settings[setting] ?? given)
  return {
    maxIterations: limit('maxIterations', 'iterationsMax'),
    completionPromises: settings?.completionPromises ?? [],
    validationRules: settings?.validationRules ?? [],
    circuitBreakerThreshold: limit('circuitBreaker', 'failuresMax', settings?.circuitBreakerThreshold),
  }
}

/** Why work is believed to be done, or what speaks against it, as clients read it. */
export const PROOF = settingsSchema({
  /** red-to-green, self-tested, reviewed or unproven. */
  level: WORDS,
  summary: WORDS,
  /** Tests that failed before, or fail without the work, and pass now. */
  turned: TEXTS,
  /** How many those are in all; `turned` names the first. */
  turnedCount: NUMBER,
  changedTests: TEXTS,
  changedTestsCount: NUMBER,
  /** Checks that name no tests. */
  byExitCode: optional(TEXTS),
  /** Where the checks ran: mount (a fresh copy at the same path), copy (a fresh copy elsewhere) or workspace. */
  place: optional(WORDS),
  reviewers: optional(TEXTS),
  findings: listOf('a list of findings', settingsSchema({ code: WORDS, check: optional(WORDS), message: WORDS })),
  isAccepted: optional(TRUE),
})

/** The proof of the work as it is now; nothing if none was made. */
export function proofAnswer(state: State): ResultOf<typeof PROOF> | undefined {
  const view = proofView(state)
  if (!view) return undefined
  const { level, summary, turned, turnedCount = turned.length, changedTests, changedTestsCount, findings } = view
  const { byExitCode, place, reviewers, isAccepted } = view
  const tests = { turned, turnedCount, changedTests, changedTestsCount, byExitCode }
  const said = findings.map((finding) => ({ code: finding.code, check: finding.check, message: findingWords(finding) }))
  return { level, summary, ...tests, place, reviewers, findings: said, isAccepted }
}

/** A question that a person has to answer, as clients read it. */
export const OPEN_QUESTION = settingsSchema({
  id: WORDS,
  /** What kind of question it is: `unproven` and `refuted` are about a pass that isn't proven. */
  code: optional(WORDS),
  text: WORDS,
  options: listOf(
    'a list of options',
    settingsSchema({ number: NUMBER, choice: WORDS, label: WORDS, whatFollows: optional(WORDS) }),
  ),
  attempts: TEXTS,
  pattern: optional(WORDS),
  /** What to do about it before answering. */
  steps: optional(TEXTS),
  /** The first lines that the last attempt changed. */
  changes: optional(WORDS),
  /** The command that answers it in a terminal. */
  answerWith: WORDS,
})
