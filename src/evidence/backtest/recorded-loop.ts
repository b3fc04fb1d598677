import { fieldsOf } from '../../core/json.ts'
import { defined } from '../../core/defined.ts'
import { type Author, type Event, EVENT_VERSION, type EventType } from '../../core/event.ts'
import type { Action } from '../../core/action.ts'
import type { EventData, FileChange, Likeness } from '../../core/event-data.ts'
import { maxIterations } from '../../guards/max-iterations.ts'
import { initialLedger, type Ledger, ledgerAfter, ledgerWith } from '../../core/measures/ledger.ts'
import { testChanges } from '../../core/measures/test-changes.ts'
import { verdictOf } from '../../core/measures/verdict-of.ts'
import type { RunConfig } from '../../core/run-config.ts'
import {
  AMOUNT,
  ANYTHING,
  emptyAs,
  FLAG,
  looseMap,
  NUMBER,
  oneOf,
  optionalOrEmpty,
  type OutputOf,
  SHARE_FROM_0,
  someOf,
  TEXT,
  wholeNumber,
  WORDS,
} from '../../schema/kinds.ts'
import { type FileProblem, readValue } from '../../schema/read-value.ts'
import { patchSimilarity, sequenceRatio } from '../../similarity/index.ts'
import { textHash } from '../../core/text-hash.ts'
import type { Verdict } from '../../core/verdict.ts'
import type { Failure, TestCounts } from '../../core/failure.ts'

/**
 * What an iteration is. `attempts`: each tries the whole task. `turns`: each is one action and what came back. `steps`: the single calls
 * of a long session. `optimize`: each tries for a better number, and there is no success. Figures are never pooled over kinds.
 */
export type LoopKind = 'attempts' | 'turns' | 'steps' | 'optimize'

/** All kinds, in the order in which they are reported. */
export const LOOP_KINDS: readonly LoopKind[] = ['attempts', 'turns', 'steps', 'optimize']

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
  const { kind } = fieldsOf(value)
  if (typeof kind === 'string' && !LOOP_KINDS.includes(kind as LoopKind)) {
    return { status: 'unknown-kind', problem: `the kind "${kind}" isn't one of ${LOOP_KINDS.join(', ')}` }
  }
  const { output, problems } = readValue(LOOP, value, 'it')
  const [first] = problems
  if (first) return malformed(problemWords(first))
  return gapIn(output.iterations) ?? outcomeProblem(output) ?? { status: 'loop', loop: output }
}

function malformed(problem: string): LoopReading {
  return { status: 'malformed', problem }
}

const SHA = optionalOrEmpty(WORDS)
const TEXT_OR_NULL = emptyAs(WORDS, null)
const AMOUNT_OR_NULL = emptyAs(AMOUNT, null)

const ITERATION = looseMap('a JSON object', {
  n: NUMBER,
  passed: emptyAs(FLAG, null),
  score: emptyAs(SHARE_FROM_0, null),
  tokens: AMOUNT_OR_NULL,
  cost: AMOUNT_OR_NULL,
  error: TEXT_OR_NULL,
  action: TEXT_OR_NULL,
  solution: TEXT_OR_NULL,
  output: optionalOrEmpty(WORDS),
  error_sha: SHA,
  action_sha: SHA,
  solution_sha: SHA,
  output_sha: SHA,
  x: ANYTHING,
})

/** What is known of one iteration; `null` was not recorded. The `_sha` are of the whole text, where the text itself may be cut. */
export type RecordedIteration = Readonly<OutputOf<typeof ITERATION>>

const LOOP = looseMap('a JSON object', {
  dataset: TEXT,
  id: TEXT,
  /** Loops at the same task are not independent of each other: intervals are drawn by task. */
  task: TEXT,
  kind: oneOf(LOOP_KINDS),
  config: emptyAs(WORDS, ''),
  model: TEXT_OR_NULL,
  agent: emptyAs(WORDS, 'recorded'),
  exit: TEXT_OR_NULL,
  outcome: emptyAs(oneOf(['solved', 'failed']), null),
  max_iterations: emptyAs(wholeNumber(1), null),
  /** The iteration that brought the success: stopping before it loses it. */
  solved_at: emptyAs(NUMBER, null),
  iterations: someOf('a list with at least one iteration', ITERATION),
  x: ANYTHING,
})

/** A loop that somebody recorded: the signals of every iteration and how it ended. One line of a recordings file. */
export type RecordedLoop = Readonly<OutputOf<typeof LOOP>>

function problemWords({ path: [list, index], message }: FileProblem): string {
  return list === 'iterations' && typeof index === 'number' ? `iteration ${index + 1}: ${message}` : message
}

function gapIn(iterations: readonly { readonly n: number }[]): LoopReading | undefined {
  const index = iterations.findIndex(({ n }, place) => n !== place + 1)
  if (index < 0) return undefined
  const problem = `its iterations are not numbered one by one: ${iterations[index]?.n} stands where ${index + 1} should`
  return { status: 'gap', problem }
}

/** A success must say where it came, or nobody could tell whether a stop loses it. */
function outcomeProblem({ outcome, solved_at: at, iterations: { length } }: RecordedLoop): LoopReading | undefined {
  if (outcome === 'solved' && !(Number.isInteger(at) && Number(at) >= 1 && Number(at) <= length))
    return malformed(`"solved_at" of a solved loop must be one of its iterations, 1 to ${length}`)
  if (outcome !== 'solved' && at !== null)
    return malformed(`"solved_at" is ${at}, but the outcome is ${outcome === 'failed' ? '"failed"' : 'not known'}`)
  return undefined
}

/**
 * Turns a recorded loop into facts of our own, iteration by iteration, as a run that saw the same would have journaled them. What was
 * not recorded is not made up: there is no time, no text of the agent, and without a solution nobody could look at the files.
 */
export function factsOf(loop: RecordedLoop): ReplayableLoop {
  const writer: Writer = { run: loop.id, seq: 0, ledger: initialLedger, events: [] }
  add(writer, 'run.started', { config: configOf(loop) }, { role: 'runner' })
  add(writer, 'workspace.observed', observedOf('0/observe/0', 'start', []), { role: 'runner' })
  const iterations = loop.iterations.map((iteration, index) => {
    if (index > 0) add(writer, 'decision.made', { iteration: index, action: 'retry', message: '', basis: [], trips: [] })
    iterationFacts(writer, iteration, loop.iterations[index - 1])
    return writer.events.splice(0)
  })
  const costs = loop.iterations.map(({ cost }) => cost)
  const unknown = new Set(loop.iterations.flatMap((each, index) => (isUnknown(each) ? [index] : [])))
  const { dataset, id, task, kind, outcome, solved_at: solvedAt } = loop
  return {
    dataset,
    id,
    task,
    kind,
    ...(outcome === null ? {} : { outcome }),
    ...(solvedAt === null ? {} : { solvedAt }),
    ...(costs.every((cost) => cost !== null) ? { costsUsd: costs } : {}),
    ...(unknown.size === 0 ? {} : { unknown }),
    iterations,
  }
}

interface Writer {
  readonly run: string
  seq: number
  ledger: Ledger
  readonly events: Event[]
}

function add<Type extends EventType>(writer: Writer, type: Type, data: EventData[Type], by: Author = { role: 'loop' }): void {
  const seq = ++writer.seq
  writer.events.push({ seq, run: writer.run, v: EVENT_VERSION, at: seq, type, by, data } as unknown as Event)
}

/** The maximum is the recorded loop's own: a policy is judged by what it adds. */
function configOf({ task, kind, dataset, agent, model, max_iterations: max }: RecordedLoop): RunConfig {
  const nothing = { name: 'recorded', v: 1, settings: {} }
  return {
    loop: { name: 'recorded', v: 1, settings: { goal: task, kind, dataset } },
    guards: max === null ? [] : [maxIterations(max).spec],
    agent: { name: agent, v: 1, settings: { model } },
    checks: [{ name: 'recorded', v: 1, settings: { name: CHECK_NAME } }],
    workspace: nothing,
  }
}

function iterationFacts(writer: Writer, given: RecordedIteration, before: RecordedIteration | undefined): void {
  const { n: iteration } = given
  add(writer, 'iteration.started', { iteration })
  workFacts(writer, given)
  const tree = treeOf(given)
  const isChanged = tree === undefined || before === undefined || tree !== treeOf(before)
  const files = tree !== undefined && isChanged ? filesOf(given) : []
  const likeness = tree !== undefined && isChanged && before ? likenessOf(before, given) : undefined
  const treeSeen = tree ?? `unseen-${iteration}`
  const seen = { ...observedOf(`${iteration}/observe/0`, treeSeen, files), ...(likeness ? { likeness } : {}) }
  add(writer, 'workspace.observed', seen, { role: 'workspace' })
  const verdict = checkFacts(writer, given, treeSeen)
  const spent = { durationMs: 1, costUsd: given.cost ?? 0, tokens: given.tokens ?? 0 }
  add(writer, 'iteration.ended', { iteration, verdict, tree: treeSeen, filesChanged: files.length, ...spent })
}

function workFacts(writer: Writer, given: RecordedIteration): void {
  const key = `${given.n}/coder/0`
  const action = actionOf(given)
  if (action) add(writer, 'work.acted', { key, actions: [action] }, { role: 'agent' })
  const { cost, tokens } = given
  const usage = { ...(cost === null ? {} : { costUsd: cost }), ...(tokens === null ? {} : { tokens }) }
  add(writer, 'work.finished', { key, durationMs: 1, ...usage }, { role: 'agent' })
}

/** What the agent did and what came back. Where only what it handed in was recorded, handing that in is what it did. */
function actionOf(given: RecordedIteration): Action | undefined {
  const { action, solution } = given
  const input = digestOf(given.action_sha, action) ?? digestOf(given.solution_sha, solution)
  if (input === undefined) return undefined
  const result = digestOf(given.output_sha, given.output ?? null) ?? digestOf(given.error_sha, given.error)
  return {
    name: action === null ? 'hand in' : 'act',
    input,
    ...(result === undefined ? {} : { result }),
    label: action ?? solution ?? '',
  }
}

function digestOf(digest: string | null | undefined, text: string | null): string | undefined {
  return digest ?? (text === null || text === '' ? undefined : textHash(text))
}

/** The state of the files, where a solution says so. */
function treeOf(given: RecordedIteration): string | undefined {
  return digestOf(given.solution_sha, given.solution)
}

/** The paths of a patch; a program that was recorded whole is one file. */
function filesOf({ solution, x }: RecordedIteration): readonly FileChange[] {
  const named = x?.['files']
  const paths = Array.isArray(named) ? named.filter((path) => typeof path === 'string') : ['solution']
  return solution === '' ? [] : paths.map((path) => ({ path, change: 'modified' as const }))
}

function observedOf(key: string, tree: string, files: readonly FileChange[]): EventData['workspace.observed'] {
  return { key, tree, snapshot: tree, files, filesChanged: files.length, insertions: 0, deletions: 0 }
}

/** As the runner compares patches; a program recorded whole is a patch that adds it. */
function likenessOf(before: RecordedIteration, given: RecordedIteration): Likeness | undefined {
  if (!before.solution || !given.solution) return undefined
  const [one, other] = [patchOf(before.solution), patchOf(given.solution)]
  const { similarity, linesDiffering } = patchSimilarity(one, other)
  return { lines: similarity, linesDiffering, characters: sequenceRatio(one, other) }
}

function patchOf(solution: string): string {
  if (/^diff --git /m.test(solution)) return solution
  const lines = solution.split('\n')
  return `--- /dev/null\n+++ b/solution\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}\n`
}

function checkFacts(writer: Writer, given: RecordedIteration, tree: string): Verdict {
  const check = recordedCheck(given)
  if (check) {
    const { passed, failures, counts } = check
    const tests = counts || passed ? testChanges(writer.ledger, CHECK_NAME, check) : undefined
    const more = { ...defined({ counts, tests }) }
    const data = { key: `${given.n}/check/0`, name: CHECK_NAME, tree, durationMs: 1, failures, ...more }
    writer.ledger = ledgerWith(writer.ledger, CHECK_NAME, given.n, data)
    add(writer, passed ? 'check.passed' : 'check.failed', data, { role: 'check', name: CHECK_NAME })
  }
  writer.ledger = ledgerAfter(writer.ledger, given.n)
  const records = check ? [{ key: '', seq: writer.seq, name: CHECK_NAME, tree, ...check }] : []
  const verdict = verdictOf(records, writer.ledger)
  if (given.score === null) return verdict
  // Only what passed scores as what passed.
  return { ...verdict, score: verdict.passed ? 1 : Math.min(SCORE_FAILED_MAX, Math.max(0, given.score)) }
}

const SCORE_FAILED_MAX = 0.999

/** What the check of a recorded iteration reported. */
export interface RecordedCheck {
  readonly passed: boolean
  readonly failures: readonly Failure[]
  readonly counts?: TestCounts
}

/**
 * What a recorded iteration says about its check. One that neither passed nor failed and met with no error was not checked: there is
 * nothing then. A failure without a message is a failure with nothing to say: no two of them are the same.
 */
function recordedCheck(iteration: RecordedIteration): RecordedCheck | undefined {
  const { passed, error, score } = iteration
  if (passed === true) return { passed, failures: [] }
  if (passed === null && !error) return undefined
  const failures = error ? failuresIn(error, iteration.error_sha) : []
  const counts = failures.every(({ kind }) => kind === 'assertion') ? countsOf(failures.length, score) : undefined
  return { passed: false, failures, ...(counts ? { counts } : {}) }
}

/** Whether nothing says how an iteration stood: it has neither a result, nor a score, nor an error. */
function isUnknown(iteration: RecordedIteration): boolean {
  return iteration.score === null && recordedCheck(iteration) === undefined
}

function failuresIn(error: string, digest: string | null | undefined): readonly Failure[] {
  const blocks = error.split(/\n(?=assert )/)
  const isWhole = error.length < TEXT_LENGTH_MAX
  if (isWhole && blocks.every((block) => block.startsWith('assert ') && block.includes(OUTPUT))) return blocks.map(assertionOf)
  // Of a text that may have been cut, only the digest says whether it is the same.
  const message = isWhole || digest === undefined || digest === null ? error : `${error} [${digest}]`
  return [{ id: CHECK_NAME, message, kind: 'unknown' }]
}

/** The name of the one check that a recorded loop has. */
const CHECK_NAME = 'recorded'

/** Texts of this length and more may have been cut. */
const TEXT_LENGTH_MAX = 2000

/** `assert is_sorted([1, 2]) == False # Real Execution Output: True`, a line a failing test. */
const OUTPUT = ' # Real Execution Output:'

function assertionOf(block: string): Failure {
  const place = block.indexOf(OUTPUT)
  const id = block.slice(0, place)
  return { id, message: `${id}: got ${block.slice(place + OUTPUT.length).trim()}`, kind: 'assertion' }
}

/** Where the share of tests that pass is known, so is how many there are. */
function countsOf(failed: number, score: number | null): TestCounts | undefined {
  if (failed === 0 || score === null || score >= 1) return undefined
  return { failed, passed: Math.round((failed * score) / (1 - score)), skipped: 0 }
}
