import type { Event } from '../../core/event.ts'

/**
 * What an iteration is. `attempts`: each tries the whole task. `turns`: each is one action and what came back. `steps`: the single calls
 * of a long session. `optimize`: each tries for a better number, and there is no success. Figures are never pooled over kinds.
 */
export type LoopKind = 'attempts' | 'turns' | 'steps' | 'optimize'

/** All kinds, in the order in which they are reported. */
export const LOOP_KINDS: readonly LoopKind[] = ['attempts', 'turns', 'steps', 'optimize']

/** A loop that somebody recorded: the signals of every iteration and how it ended. One line of a recordings file. */
export interface RecordedLoop {
  readonly dataset: string
  readonly id: string
  /** Loops at the same task are not independent of each other: intervals are drawn by task. */
  readonly task: string
  readonly config: string
  readonly model: string | null
  readonly agent: string
  readonly kind: LoopKind
  readonly max_iterations: number | null
  readonly outcome: 'solved' | 'failed' | null
  /** The iteration that brought the success: stopping before it loses it. */
  readonly solved_at: number | null
  readonly exit: string | null
  readonly iterations: readonly RecordedIteration[]
  readonly x?: Readonly<Record<string, unknown>>
}

/** What is known of one iteration; `null` was not recorded. The `_sha` are of the whole text, where the text itself may be cut. */
export interface RecordedIteration {
  readonly n: number
  readonly passed: boolean | null
  readonly score: number | null
  readonly error: string | null
  readonly action: string | null
  readonly solution: string | null
  readonly tokens: number | null
  readonly cost: number | null
  readonly error_sha?: string
  readonly action_sha?: string
  readonly solution_sha?: string
  readonly output_sha?: string
  readonly output?: string | null
  readonly x?: Readonly<Record<string, unknown>>
}

/** A loop that is over, as facts of our own: what policies are tried on. */
export interface ReplayableLoop {
  readonly dataset: string
  readonly id: string
  readonly task: string
  readonly kind: LoopKind
  /** `undefined` where nobody knows: such a loop is replayed and counts neither as a failure nor as a success. */
  readonly outcome?: 'solved' | 'failed'
  /** The iteration that brought the success. */
  readonly solvedAt?: number
  /** What each iteration cost in US dollars; absent where the source does not say. */
  readonly costsUsd?: readonly number[]
  /** Places of the iterations of which neither a result nor an error was recorded; absent where there is none. */
  readonly unknown?: ReadonlySet<number>
  /** The journal, cut after each `iteration.ended`; one list of events an iteration. */
  readonly iterations: readonly (readonly Event[])[]
}

/**
 * What a line of a recordings file is. `malformed`: it cannot be read as a loop. `gap`: its iterations are not numbered 1, 2, 3 …; what
 * is missing is not guessed. `unknown-kind`: nobody knows what its iterations are, so nothing can be said with it.
 */
export type LoopReading =
  | { readonly status: 'loop'; readonly loop: RecordedLoop }
  | { readonly status: 'malformed' | 'gap' | 'unknown-kind'; readonly problem: string }

/** Reads the text of one line. What is not there counts as not recorded; what is there must be possible, and not contradict the rest. */
export function readLoop(line: string): LoopReading {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return malformed(`it is no JSON (${(error as Error).message})`)
  }
  if (!isRecord(value)) return malformed('it is no JSON object')
  const { kind, iterations } = value
  if (typeof kind === 'string' && !LOOP_KINDS.includes(kind as LoopKind)) {
    return { status: 'unknown-kind', problem: `the kind "${kind}" is none of ${LOOP_KINDS.join(', ')}` }
  }
  const wrong = wrongField(value, LOOP_FIELDS)
  if (wrong !== undefined) return malformed(wrong)
  if (!Array.isArray(iterations) || iterations.length === 0) return malformed('"iterations" must be a list with at least one')
  const problem = iterationsProblem(iterations)
  if (problem) return problem
  return outcomeProblem(value, iterations.length) ?? { status: 'loop', loop: loopOf(value, iterations as Fields[]) }
}

type Fields = Readonly<Record<string, unknown>>

function malformed(problem: string): LoopReading {
  return { status: 'malformed', problem }
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface FieldRule {
  readonly type: 'string' | 'number' | 'boolean'
  /** May be `null` or missing. */
  readonly isOptional?: true
  /** What is wrong with a value of the right type, as the end of a sentence. */
  readonly problem?: (value: unknown) => string | undefined
}

const NAME: FieldRule = { type: 'string', problem: (value) => (value === '' ? 'must not be empty' : undefined) }
const TEXT: FieldRule = { type: 'string' }
const TEXT_MAYBE: FieldRule = { type: 'string', isOptional: true }
const NUMBER_MAYBE: FieldRule = { type: 'number', isOptional: true }
const AMOUNT_MAYBE: FieldRule = {
  ...NUMBER_MAYBE,
  problem: (value) =>
    Number.isFinite(value) && Number(value) >= 0 ? undefined : `must be a number of at least 0, not ${String(value)}`,
}
const SHARE_MAYBE: FieldRule = {
  ...NUMBER_MAYBE,
  problem: (value) =>
    Number(value) >= 0 && Number(value) <= 1 ? undefined : `must be a number from 0 to 1, not ${String(value)}`,
}

const LOOP_FIELDS: Readonly<Record<string, FieldRule>> = {
  dataset: NAME,
  id: NAME,
  task: NAME,
  kind: TEXT,
  config: TEXT_MAYBE,
  model: TEXT_MAYBE,
  agent: TEXT_MAYBE,
  exit: TEXT_MAYBE,
  outcome: TEXT_MAYBE,
  max_iterations: NUMBER_MAYBE,
  solved_at: NUMBER_MAYBE,
}

const ITERATION_FIELDS: Readonly<Record<string, FieldRule>> = {
  n: { type: 'number' },
  passed: { type: 'boolean', isOptional: true },
  score: SHARE_MAYBE,
  tokens: AMOUNT_MAYBE,
  cost: AMOUNT_MAYBE,
  error: TEXT_MAYBE,
  action: TEXT_MAYBE,
  solution: TEXT_MAYBE,
  output: TEXT_MAYBE,
  error_sha: TEXT_MAYBE,
  action_sha: TEXT_MAYBE,
  solution_sha: TEXT_MAYBE,
  output_sha: TEXT_MAYBE,
}

function wrongField(value: Fields, rules: Readonly<Record<string, FieldRule>>): string | undefined {
  for (const [name, { type, isOptional, problem }] of Object.entries(rules)) {
    const field = value[name]
    const isMissing = field === undefined || field === null
    if (isMissing ? !isOptional : typeof field !== type) return `"${name}" must be a ${type}${isOptional ? ' or null' : ''}`
    const wrong = isMissing ? undefined : problem?.(field)
    if (wrong !== undefined) return `"${name}" ${wrong}`
  }
  return undefined
}

function iterationsProblem(iterations: readonly unknown[]): LoopReading | undefined {
  for (const [index, iteration] of iterations.entries()) {
    const place = `iteration ${index + 1}`
    if (!isRecord(iteration)) return malformed(`${place} is no JSON object`)
    const wrong = wrongField(iteration, ITERATION_FIELDS)
    if (wrong !== undefined) return malformed(`${place}: ${wrong}`)
    if (iteration['n'] !== index + 1) {
      const problem = `its iterations are not numbered one by one: ${String(iteration['n'])} stands where ${index + 1} should`
      return { status: 'gap', problem }
    }
  }
  return undefined
}

/** A success must say where it came, or nobody could tell whether a stop loses it. */
function outcomeProblem({ outcome, solved_at: at, max_iterations: max }: Fields, length: number): LoopReading | undefined {
  if (outcome !== 'solved' && outcome !== 'failed' && outcome !== null && outcome !== undefined)
    return malformed('"outcome" must be "solved", "failed" or null')
  if (outcome === 'solved' && !(Number.isInteger(at) && Number(at) >= 1 && Number(at) <= length))
    return malformed(`"solved_at" of a solved loop must be one of its iterations, 1 to ${length}`)
  if (outcome !== 'solved' && at !== null && at !== undefined)
    return malformed(`"solved_at" is ${String(at)}, but the outcome is ${outcome === 'failed' ? '"failed"' : 'not known'}`)
  if (typeof max === 'number' && !(Number.isInteger(max) && max >= 1))
    return malformed('"max_iterations" must be a whole number from 1 on, or null')
  return undefined
}

function loopOf(value: Fields, iterations: readonly Fields[]): RecordedLoop {
  const nothing = { config: '', model: null, agent: 'recorded', max_iterations: null, outcome: null, solved_at: null, exit: null }
  return { ...nothing, ...known(value), iterations: iterations.map(iterationOf) } as unknown as RecordedLoop
}

const UNRECORDED = { passed: null, score: null, error: null, action: null, solution: null, tokens: null, cost: null }

function iterationOf(value: Fields): RecordedIteration {
  return { ...UNRECORDED, ...known(value) } as unknown as RecordedIteration
}

function known(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== undefined))
}
