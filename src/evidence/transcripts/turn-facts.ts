import { ACTIONS_KEPT_MAX } from '../../core/action.ts'
import { actionOf } from '../../core/action-of.ts'
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
import { soundUsage } from '../../core/sound-usage.ts'
import type { CheckRecord, State } from '../../core/state.ts'
import type { Verdict } from '../../core/verdict.ts'
import { shortened } from '../../core/wording.ts'
import type { SeenCheck } from './seen-check.ts'
import type { TranscriptTurn } from './transcript-turn.ts'

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
 * edited, a check is a report that was read. What was not checked stands as it stood, and is no pass where anything may have changed. `state` is that before the turn.
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

/** A transcript tells what the session cost so far, whichever turn it stands at: the turns before it have their share in it. */
function usedWith({ totals }: State, { costUsd = 0, tokens = 0 }: TranscriptTurn): Usage {
  return { costUsd: totals.costUsd + costUsd, tokens: totals.tokens + tokens }
}

function workFacts(state: State, { turn, texts, session }: SeenTurn, frame: Frame): readonly Fact[] {
  const { iteration, beganAt, at } = frame
  const key = effectKey(iteration, 'coder')
  const model = turn.model === undefined ? {} : { model: turn.model }
  const by: Author = { role: 'agent', name: state.config.agent.name, ...model }
  const summary = shortened(turn.words, SUMMARY_LENGTH_MAX)
  const ended = {
    key,
    durationMs: at - beganAt,
    session,
    ...(turn.costUsd === undefined ? {} : { costUsd: turn.costUsd, sessionUsed: usedWith(state, turn) }),
    ...(turn.tokens === undefined ? {} : { tokens: turn.tokens }),
    ...(turn.isUsagePartial ? { isUsagePartial: turn.isUsagePartial } : {}),
    ...(summary === '' ? {} : { summary }),
    ...(texts.words ? { said: texts.words } : {}),
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
    ...(texts.patch ? { diff: texts.patch } : {}),
    ...(likeness ? { likeness } : {}),
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
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(output ? { output } : {}),
      ...(tests ? { tests } : {}),
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
  const records = last.map(({ name, passed, counts, failures }, index): CheckRecord => ({
    key: `${index}`,
    seq: 0,
    name,
    passed,
    tree,
    counts,
    failures,
  }))
  const ledger = last.reduce((each, { name, counts }) => ledgerWith(each, name, iteration, { counts }), state.measures.ledger)
  return verdictOf(records, ledger)
}
