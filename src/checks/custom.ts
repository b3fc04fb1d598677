import { FAILURES_KEPT_MAX } from '../core/event-data.ts'
import type { Failure } from '../core/failure.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Check, CheckRequest, CheckResult } from './check.ts'
import { type EntriesOf, FUNCTION, LINE, matching, needed, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

/** A validator's answer: whether the work is right, and why not. */
export type Validation = boolean | { readonly passed: boolean; readonly message?: string; readonly failures?: readonly Failure[] }

/** A function that judges the work. If it throws, the check has errored. */
export type Validator = (request: CheckRequest, signal: AbortSignal) => Validation | Promise<Validation>

export interface CustomCheckOptions {
  readonly name: string
  /** Letters, digits, `_` and `-`. */
  readonly validatorId: string
  readonly validate: Validator
}

/** A check of your own. Since it is a function of your program, only that program can resume a run that uses it. */
export function customCheck(options: CustomCheckOptions): Check {
  readOptions('customCheck', OPTIONS, options)
  const { name, validatorId, validate } = options
  return {
    name,
    needs: ['agentOutput', 'notes', 'workProduct'],
    spec: { name: 'custom', v: 1, settings: { name, validatorId } },
    run: (request, context) => run(name, validate, request, context),
  }
}

const ENTRIES = {
  validatorId: needed(matching('letters, digits, "_" and "-"', /^[a-zA-Z0-9_-]+$/), 'The id of a validator'),
}

/** The settings of a rule of type `custom`. */
export const CUSTOM = settingsSchema(ENTRIES, 'a map of settings')

const OPTIONS = settingsSchema({
  name: needed(LINE),
  ...ENTRIES,
  validate: needed(FUNCTION),
} satisfies EntriesOf<CustomCheckOptions>)

async function run(name: string, validate: Validator, request: CheckRequest, context: EffectContext): Promise<CheckResult> {
  await context.started()
  let said: Validation
  try {
    said = await validate(request, context.signal)
  } catch (error) {
    if (context.signal.aborted) return { status: 'aborted' }
    const message = `The validator failed: ${error instanceof Error ? error.message : String(error)}`
    return { status: 'errored', fault: 'config', message }
  }
  if (context.signal.aborted) return { status: 'aborted' }
  if (typeof said !== 'boolean' && typeof said?.passed !== 'boolean')
    return { status: 'errored', fault: 'config', message: 'The validator said neither yes nor no.' }
  const { passed, message = 'The validator says no.', failures = [] } = typeof said === 'boolean' ? { passed: said } : said
  if (passed && failures.length === 0) return { status: 'passed' }
  const own: Failure = { id: name, kind: 'unknown', message }
  return { status: 'failed', failures: failures.length === 0 ? [own] : failures.slice(0, FAILURES_KEPT_MAX) }
}
