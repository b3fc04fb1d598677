import { Worker } from 'node:worker_threads'
import type { EffectContext } from '../process/effect-context.ts'
import type { Check, CheckNeed, CheckRequest, CheckResult } from './check.ts'
import {
  byDefault,
  type EntriesOf,
  FLAG,
  LINE,
  matching,
  MILLISECONDS,
  needed,
  oneOf,
  settingsSchema,
  TEXT,
  withRule,
} from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

/** All targets there are. */
const PATTERN_TARGETS = ['agent_output', 'task_notes', 'work_product_latest'] as const

export type PatternTarget = (typeof PATTERN_TARGETS)[number]

export interface ContentPatternOptions {
  readonly name: string
  /** The source of a regular expression. */
  readonly pattern: string
  /** Its flags: `i`, `m`, `s`, `u`. Default none. */
  readonly flags?: string
  /** Whether it must be found, or must not. Default true. */
  readonly mustMatch?: boolean
  /** What the agent said and printed, people's notes, or the changes as a patch. Default `agent_output`. */
  readonly target?: PatternTarget
  /** How long the search may take; a pattern that takes longer says nothing about the work. Default 2 seconds. */
  readonly timeoutMs?: number
}

/**
 * A pattern that must, or must not, match a text of the run. A missing text counts as empty.
 *
 * @part content-pattern
 */
export function contentPattern(options: ContentPatternOptions): Check {
  const settings = readOptions('contentPattern', OPTIONS, options)
  const { name, target } = settings
  return {
    name,
    needs: [NEEDS[target]],
    spec: { name: 'content-pattern', v: 1, settings },
    run: (request, context) => search(settings, request, context),
  }
}

const ENTRIES = {
  pattern: needed(TEXT, 'The source of a regular expression'),
  flags: byDefault(matching('some of i, m, s, u', /^[imsu]*$/), '', 'Its flags'),
  mustMatch: byDefault(FLAG, true, 'Whether it must match, or must not'),
  target: byDefault(
    oneOf(PATTERN_TARGETS, `one of ${PATTERN_TARGETS.join(', ')}`),
    'agent_output',
    "What the agent said and printed, people's notes, or the changes as a patch",
  ),
}

/** The settings of a rule of type `content_pattern`. */
export const CONTENT_PATTERN = withRule(settingsSchema(ENTRIES, 'a map of settings'), compiles)

const OPTIONS = withRule(
  settingsSchema({
    name: needed(LINE),
    ...ENTRIES,
    timeoutMs: byDefault(MILLISECONDS, 2000, 'How long the search may take'),
  } satisfies EntriesOf<ContentPatternOptions>),
  compiles,
)

function compiles({ pattern, flags }: { readonly pattern: string; readonly flags: string }) {
  try {
    RegExp(pattern, flags)
    return undefined
  } catch (error) {
    return { name: 'pattern', wanted: `a regular expression (${(error as Error).message})` }
  }
}

const NEEDS: Readonly<Record<PatternTarget, CheckNeed>> = {
  agent_output: 'agentOutput',
  task_notes: 'notes',
  work_product_latest: 'workProduct',
}

const WORDS: Readonly<Record<PatternTarget, string>> = {
  agent_output: 'what the agent said',
  task_notes: 'what people told the agent',
  work_product_latest: 'what the agent changed',
}

async function search(
  { name, pattern, flags, mustMatch, target, timeoutMs }: Required<ContentPatternOptions>,
  request: CheckRequest,
  { signal, started }: EffectContext,
): Promise<CheckResult> {
  await started()
  const found = await matchWithin({ pattern, flags, text: request[NEEDS[target]] ?? '', timeoutMs, signal })
  if (found.status === 'aborted') return { status: 'aborted' }
  if (found.status === 'gave-up')
    return {
      status: 'errored',
      fault: 'config',
      message: `The pattern /${pattern}/${flags} ${found.why}.`,
      fix: 'Write it without repetitions inside of repetitions, such as (a+)+, so that it cannot try so many ways.',
    }
  if (found.isFound === mustMatch) return { status: 'passed' }
  const message = `/${pattern}/${flags} is ${mustMatch ? 'not ' : ''}found in ${WORDS[target]}${mustMatch ? '' : ', where it must not be'}.`
  return { status: 'failed', failures: [{ id: name, kind: 'unknown', message }] }
}

export interface Search {
  readonly pattern: string
  readonly flags: string
  readonly text: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type SearchResult =
  | { readonly status: 'done'; readonly isFound: boolean }
  /** It says nothing about the text; `why` continues "the pattern …". */
  | { readonly status: 'gave-up'; readonly why: string }
  | { readonly status: 'aborted' }

/**
 * Searches in a separate thread, which is ended if it takes too long: some patterns backtrack for ages, and would block our own thread.
 */
export async function matchWithin({ pattern, flags, text, timeoutMs, signal }: Search): Promise<SearchResult> {
  if (signal.aborted) return { status: 'aborted' }
  const worker = new Worker(SOURCE, { eval: true, env: {}, execArgv: [], workerData: { pattern, flags, text } })
  const { promise, resolve } = Promise.withResolvers<SearchResult>()
  const timer = setTimeout(() => resolve({ status: 'gave-up', why: `was not done within ${timeoutMs / 1000} s` }), timeoutMs)
  const abort = (): void => resolve({ status: 'aborted' })
  signal.addEventListener('abort', abort, { once: true })
  worker.once('message', (isFound: boolean) => resolve({ status: 'done', isFound }))
  worker.once('error', (error: Error) => resolve({ status: 'gave-up', why: `could not be tried (${error.message})` }))
  worker.once('exit', () => resolve({ status: 'gave-up', why: 'could not be tried' }))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

/** As text, so that the bundle needs no second file. */
const SOURCE = `
const { parentPort, workerData: { pattern, flags, text } } = require('node:worker_threads')
parentPort.postMessage(new RegExp(pattern, flags).test(text))
`
