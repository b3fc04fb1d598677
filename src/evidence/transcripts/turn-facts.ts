import { actionOf, ACTIONS_KEPT_MAX } from '../../core/action.ts'
import { defined } from '../../core/defined.ts'
import { effectKey } from '../../core/effect.ts'
import {
  FAILURES_KEPT_MAX,
  type FileChange,
  FILES_KEPT_MAX,
  type Likeness,
  type TextRef,
  type Usage,
} from '../../core/event-data.ts'
import type { Author, Fact, Instant } from '../../core/event.ts'
import { ledgerWith } from '../../core/measures/ledger.ts'
import { testChanges } from '../../core/measures/test-changes.ts'
import { verdictOf } from '../../core/measures/verdict-of.ts'
import { soundUsage } from '../../core/spending.ts'
import type { CheckRecord, State } from '../../core/state.ts'
import type { Verdict } from '../../core/verdict.ts'
import { shortened } from '../../core/wording.ts'
import type { TranscriptSession, TranscriptTurn } from './transcript.ts'
import type { Failure, TestCounts, TestResult } from '../../core/failure.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'

/** What was kept of a turn's texts. */
export interface TurnTexts {
  readonly prompt?: TextRef
  readonly words?: TextRef
  readonly patch?: TextRef
  /** In the order of the checks. */
  readonly outputs: readonly TextRef[]
}

export interface SeenTurn {
  readonly turn: TranscriptTurn
  readonly checks: readonly SeenCheck[]
  readonly texts: TurnTexts
  readonly session: string
  /** How much its patch is like the one before. */
  readonly likeness?: Likeness
}

/**
 * One turn of an agent as the facts of one iteration. Only what the transcript proves is said: files are those that tools say they
 * edited, a check is a report that was read. What was not checked stays as it was, and is no pass where anything may have changed. `state` is that before the turn.
 */
export function turnFacts(state: State, told: SeenTurn): readonly Fact[] {
  const seen = { ...told, turn: soundUsage(told.turn) }
  const { turn, checks } = seen
  const iteration = state.current.number + 1
  const beganAt = Math.max(state.at, turn.prompt?.at ?? state.at)
  const edits = turn.calls.flatMap((call) => call.edits ?? [])
  const frame: Frame = {
    iteration,
    beganAt,
    at: Math.max(beganAt, turn.endedAt),
    tree: treeAfter(state, turn, iteration),
    files: [...new Map(edits.map((file) => [file.path, file])).values()],
  }
  const { at, tree } = frame
  const ended = {
    iteration,
    verdict: verdictAfter(state, checks, iteration, tree),
    tree,
    filesChanged: frame.files.length,
    durationMs: at - beganAt,
    costUsd: turn.costUsd ?? 0,
    tokens: turn.tokens ?? 0,
  }
  return [
    ...(turn.prompt && iteration > 1 ? personsTurn(state, beganAt) : []),
    { type: 'iteration.started', at: beganAt, by: LOOP, data: { iteration } },
    ...workFacts(state, seen, frame),
    observedFact(seen, frame),
    ...checkFacts(state, seen, frame),
    { type: 'iteration.ended', at, by: LOOP, data: ended },
  ]
}

/** The tree of a transcript, where nobody looked at the files. */
const UNSEEN = 'unseen-'

/** Where and when the turn stands. */
interface Frame {
  readonly iteration: number
  readonly beganAt: Instant
  readonly at: Instant
  readonly tree: string
  /** Each once. */
  readonly files: readonly FileChange[]
}

const LOOP: Author = { role: 'loop' }
const SUMMARY_LENGTH_MAX = 500
const SCORE_FAILED_MAX = 0.999

/** The time in which a person had the word is no time at work. */
function personsTurn(state: State, until: Instant): readonly Fact[] {
  const by: Author = { role: 'runner', name: 'import' }
  const holder = { pid: 0, startedAt: '', host: 'transcript' }
  return [
    { type: 'run.paused', at: state.at, by, data: { reason: 'A person has the word.' } },
    { type: 'run.resumed', at: until, by, data: { holder, reason: 'A person went on.' } },
  ]
}

/** A transcript tells what the session cost so far, whichever turn it is at: the turns before it have their share in it. */
function usedWith({ totals }: State, { costUsd = 0, tokens = 0 }: TranscriptTurn): Usage {
  return { costUsd: totals.costUsd + costUsd, tokens: totals.tokens + tokens }
}

function workFacts(state: State, { turn, texts, session }: SeenTurn, frame: Frame): readonly Fact[] {
  const { iteration, beganAt, at } = frame
  const key = effectKey(iteration, 'coder')
  const { costUsd, tokens, isUsagePartial, model } = turn
  const by: Author = { role: 'agent', name: state.config.agent.name, ...defined({ model }) }
  const summary = shortened(turn.words, SUMMARY_LENGTH_MAX)
  const ended = {
    key,
    durationMs: at - beganAt,
    session,
    ...(costUsd === undefined ? {} : { costUsd, sessionUsed: usedWith(state, turn) }),
    ...defined({ tokens, isUsagePartial, summary: summary === '' ? undefined : summary, said: texts.words }),
  }
  const brief = texts.prompt
  const started = brief
    ? [{ type: 'work.started', at: beganAt, by, data: { key, iteration, role: 'coder', brief } } as const]
    : []
  return [...started, ...actedFacts(turn, frame, by, key), { type: 'work.finished', at, by, data: ended }]
}

function actedFacts({ calls }: TranscriptTurn, { files, at }: Frame, by: Author, key: string): readonly Fact[] {
  if (calls.length === 0) return []
  const cut = Math.max(0, calls.length - ACTIONS_KEPT_MAX)
  const paths = files.slice(0, FILES_KEPT_MAX).map(({ path }) => path)
  const more = { ...(cut === 0 ? {} : { cut }), ...(paths.length === 0 ? {} : { files: paths }) }
  return [{ type: 'work.acted', at, by, data: { key, actions: calls.slice(-ACTIONS_KEPT_MAX).map(actionOf), ...more } }]
}

function observedFact({ texts, likeness }: SeenTurn, { iteration, at, tree, files }: Frame): Fact {
  const data = {
    key: effectKey(iteration, 'observe'),
    tree,
    snapshot: tree,
    files: files.slice(0, FILES_KEPT_MAX),
    filesChanged: files.length,
    insertions: 0,
    deletions: 0,
    ...defined({ diff: texts.patch, likeness }),
  }
  return { type: 'workspace.observed', at, by: { role: 'workspace', name: 'transcript' }, data }
}

/** A shell may have changed anything and tools say what they edited; after any other call everything is as it was. */
function treeAfter(state: State, { calls }: TranscriptTurn, iteration: number): string {
  const mayHaveChanged = calls.some(({ shell, edits = [] }) => shell !== undefined || edits.length > 0)
  return mayHaveChanged ? `${UNSEEN}${iteration}` : (state.tree?.tree ?? `${UNSEEN}0`)
}

function checkFacts(state: State, { checks, texts }: SeenTurn, { iteration, tree, at }: Frame): readonly Fact[] {
  let { ledger } = state.measures
  return checks.map((check, index): Fact => {
    const { name, passed, counts, exitCode } = check
    const output = texts.outputs[index]
    const tests = testChanges(ledger, name, check)
    const data = {
      key: effectKey(iteration, 'check', index),
      name,
      tree,
      durationMs: 0,
      counts,
      failures: passed ? [] : check.failures.slice(0, FAILURES_KEPT_MAX),
      ...defined({ exitCode, output, tests }),
    }
    ledger = ledgerWith(ledger, name, iteration, data)
    return { type: passed ? 'check.passed' : 'check.failed', at, by: { role: 'check', name }, data }
  })
}

/** Of the checks that were seen, the last of each name counts. */
function verdictAfter(state: State, checks: readonly SeenCheck[], iteration: number, tree: string): Verdict {
  const before = state.recent.at(-1)
  if (checks.length === 0) {
    const { passed, score, failing } = before?.verdict ?? { passed: false, score: 0, failing: 0 }
    // What passed still passes where nothing can have changed since.
    if (passed && before?.tree === tree) return { passed, score, failing }
    return { passed: false, score: Math.min(score, SCORE_FAILED_MAX), failing }
  }
  const last = [...new Map(checks.map((check) => [check.name, check])).values()]
  const records = last.map((check, index): CheckRecord => ({ ...check, key: `${index}`, seq: 0, tree }))
  const ledger = last.reduce((each, { name, counts }) => ledgerWith(each, name, iteration, { counts }), state.measures.ledger)
  return verdictOf(records, ledger)
}

/** What a command that an agent ran proves: a report of tests that one of our parsers knows. */
export interface SeenCheck {
  readonly name: string
  readonly passed: boolean
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
  readonly tests?: readonly TestResult[]
  readonly exitCode?: number
}

/** As much of a report as matters here. */
interface TestReport {
  readonly format: string
  readonly counts: TestCounts
  readonly failures: readonly Failure[]
  readonly tests?: readonly TestResult[]
  readonly trouble?: string
}

/** Reads one format; `undefined` when the text is not of that format. */
export type TestReportParser = (output: string) => TestReport | undefined

/**
 * The check that a shell command was, where what it printed is a whole report that counts tests: the first parser that understands it is
 * believed. Prose, compilers' and linters' lines, and reports that break off say nothing. It passed only where no test failed and the
 * exit code, where there is one, does not say otherwise.
 */
export function seenCheck(
  { command, output, exitCode }: { readonly command: string; readonly output?: string; readonly exitCode?: number },
  parsers: readonly TestReportParser[],
): SeenCheck | undefined {
  if (output === undefined || output.trim() === '') return undefined
  for (const parse of parsers) {
    const report = parse(output)
    if (!report) continue
    const { counts, failures, tests, trouble, format } = report
    if (NO_TESTS.has(format) || trouble !== undefined || counts.passed + counts.failed === 0) return undefined
    const passed = counts.failed === 0 && failures.length === 0 && (exitCode ?? 0) === 0
    // A report without a failure and an exit code of another trouble contradict each other.
    if (!passed && failures.length === 0) return undefined
    return { name: checkName(command), passed, counts, failures, ...defined({ tests, exitCode }) }
  }
  return undefined
}

/** Prose, and lines that anything may print: reading a log is no check. */
const NO_TESTS: ReadonlySet<string> = new Set(['general', 'tsc', 'eslint', 'github'])

/** The same tests are the same check, from whatever folder they are run and however their output is shortened. */
function checkName(command: string): string {
  const bare = command
    .replace(/^(?:cd\s+\S+\s*(?:&&|;)\s*)+/, '')
    .replaceAll(/\s*2>&1/g, '')
    .replace(/(?:\s*\|\s*(?:tail|head|cat)\b[^|]*)+$/, '')
    .trim()
  const [line = ''] = bare.split('\n', 1)
  return (line === '' ? 'tests' : line).slice(0, NAME_LENGTH_MAX)
}

const NAME_LENGTH_MAX = 100

/** The configuration of a run that was imported: where it comes from, and nothing that could be built again. */
export function importedConfig(agent: string, session: TranscriptSession, file: string, first: TranscriptTurn): RunConfig {
  const { id, cwd, version } = session
  const goal = shortened(first.prompt?.text ?? '', GOAL_LENGTH_MAX)
  const settings = { ...(goal === '' ? {} : { goal }), kind: 'turns', agent, session: id, file, ...defined({ version }) }
  return {
    loop: part(IMPORTED, settings),
    guards: [],
    agent: part(agent, defined({ model: first.model })),
    checks: [],
    workspace: part(IMPORTED, defined({ path: cwd })),
  }
}

/** The session that a run was imported from; `undefined` for a run of Pawl's own. */
export function importedFrom({ loop }: RunConfig): { readonly agent: string; readonly session: string } | undefined {
  const { agent, session } = loop.settings
  if (loop.name !== IMPORTED || typeof agent !== 'string' || typeof session !== 'string') return undefined
  return { agent, session }
}

/** The name of the loop of such a run. */
const IMPORTED = 'imported'

const GOAL_LENGTH_MAX = 300

function part(name: string, settings: PartSpec['settings']): PartSpec {
  return { name, v: 1, settings }
}

/** Whether the present iteration is a turn of an imported session without a report: its verdict is then that of a turn before. */
export function isUnchecked({ config, current }: State): boolean {
  return importedFrom(config) !== undefined && current.checks.length === 0
}
