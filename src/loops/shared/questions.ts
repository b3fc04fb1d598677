import { attemptLines, failureGroups, failureItem, failureRank, placeOf, shownPair } from '../../core/failure-item.ts'
import type { Denied } from '../../core/event-data.ts'
import { heldTo } from '../../core/earlier-answer.ts'
import type { Decision } from '../../core/step.ts'
import { accept, another, believedAfterAll, goOn, guardOptions, limitsOf, patternOptions } from './options.ts'
import type { Failure } from '../../core/failure.ts'
import { changedChecks } from '../../guards/tampering.ts'
import { isUntouched } from '../../core/measures/last-iterations.ts'
import { guardsIn, isLimit, raisesOf, type Trip } from '../../core/trip.ts'
import { formatMismatch, mismatchedFailure, type MismatchedFailure, type Pattern, patternOf, workPattern } from './patterns.ts'
import { attemptNumber } from '../../core/unit.ts'
import type { Option, Question } from '../../core/question.ts'
import { type Message, messagesIn, optionOf, questionOf, type Saying, sentence } from '../../core/saying.ts'
import { ABORT } from '../../core/words.ts'
import { EDITS, GUIDANCE, saying, SHARED_WORDS, type ShownFailure } from './words.ts'
import { defined } from '../../core/defined.ts'
import type { ProofFinding, ProofLevel } from '../../core/proof.ts'
import { agentName, type PartSpec } from '../../core/run-config.ts'
import type { Problem, State } from '../../core/state.ts'
import { fileWords } from './feedback.ts'
import { WRITE_TEST } from './proof.ts'
import { shortened } from '../../core/wording.ts'
import type { Json } from '../../core/json.ts'
import type { Suspicion } from '../../core/suspicion.ts'
import { failureFingerprint } from '../../core/measures/fingerprint.ts'

/** What to ask when the attempts did not succeed: what still fails, the pattern in the attempts, and options that answer it. */
export function attemptsQuestion(
  state: State,
  trips: readonly Trip[],
  { includesDiff }: { readonly includesDiff: boolean },
): Question {
  const last = state.recent.at(-1)
  const raises = trips.flatMap(raisesOf)
  const disputes = trips.filter((trip) => trip.disputesPass)
  const pattern = hasUsedUp(trips) ? workPattern(state) : patternOf(state)
  const about = pattern?.kind === 'format-mismatch' ? mismatchedFailure(state) : undefined
  const offered = heldTo(state, patternOptions(state, pattern, raises, trips))
  const options = offered.options.map((option) => withPutBack(option, state, disputes))
  const feedback = consolidatedFeedback(state)
  return questionOf(SHARED_WORDS, {
    code: 'attempts',
    text: [
      ...stillFailing(state, about),
      ...agentLines(state, pattern),
      ...deniedLines(state),
      ...disputes.map(messageOf),
      ...changedChecksLines(state, disputes),
      ...(offered.before === undefined ? [] : [saying('attempts.answered-before', { answer: offered.before })]),
      askingFor(state, pattern),
    ],
    options: withGuardOptions(options, guardOptions(state, trips)),
    pattern: patternLines(state, pattern),
    attempts: attemptLines(state),
    ...(feedback.length === 0 ? {} : { feedback }),
    steps: [
      ...(state.current.proof?.heldOut === 'failed' ? [saying('step.held-out', { run: state.run })] : []),
      ...stepsOf(state, trips),
    ],
    ...(includesDiff && last?.diff ? { diff: last.diff } : {}),
    ...(includesDiff && last?.lines ? { changes: last.lines } : {}),
  })
}

/** What a guard says, in its own words. */
export function messageOf({ message }: Trip): Saying {
  return saying('text', { text: message })
}

/** What to ask when the checks pass but something says that this cannot be believed. */
export function disputedQuestion(state: State, disputes: readonly Trip[]): Question {
  const guidance = disputedLines(state, disputes)
  return questionOf(SHARED_WORDS, {
    code: 'pass-disputed',
    text: [saying('disputed.but'), ...disputes.map(messageOf), saying('disputed.ask')],
    options: [
      goOn([], { label: saying('go-on.put-back'), after: saying('go-on.put-back.after'), guidance }),
      accept(state, { label: saying('accept.done') }),
      believedAfterAll(state, disputes),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: stepsOf(state, disputes),
  })
}

/** What to ask the person who is to review work that passes every other check. */
export function reviewQuestion(state: State, goal: string): Question {
  const { current, recent } = state
  const seen = current.observed
  const files = [...new Set([...recent.flatMap((iteration) => iteration.files), ...(seen?.files ?? []).map(({ path }) => path)])]
  const count = Math.max(files.length, seen?.filesChanged ?? 0)
  return questionOf(SHARED_WORDS, {
    code: 'review',
    text: [
      saying('review.ask'),
      saying('text', { text: goal }),
      saying('review.changed', { files: fileWords(files, count), run: state.run }),
    ],
    options: [
      optionOf(SHARED_WORDS, {
        choice: 'approve',
        consequence: { kind: 'approve' },
        label: saying('approve.label'),
        after: saying('approve.after'),
      }),
      optionOf(SHARED_WORDS, {
        choice: 'reject',
        consequence: { kind: 'reject' },
        label: saying('reject.label'),
        after: saying('reject.after'),
      }),
      ABORT,
    ],
    attempts: attemptLines(state),
  })
}

/** The decision to ask when something other than the agent's work is in the way. */
export function problemDecision(state: State, problem: Problem): Extract<Decision, { question: unknown }> {
  return {
    action: 'escalate',
    ...problemMessage(problem),
    guards: [],
    basis: [problem.seq],
    question: problemQuestion(state, problem),
  }
}

/** What could not do its job, and why. */
export function problemMessage({ code, check, message }: Problem): Message {
  return decided('problem.unable', { problem: code, ...(check === undefined ? {} : { check }), message })
}

/** What guards that decide say together, and which they are. */
export function trippedBy(trips: readonly Trip[]): Message & { readonly guards: readonly string[] } {
  const text = trips.map((trip) => trip.message).join(' ')
  return { ...decided('text', { text }), guards: trips.map(({ guard }) => guard) }
}

const decided = messagesIn(SHARED_WORDS)

/** What to ask when something other than the agent's work is in the way. */
export function problemQuestion(state: State, problem: Problem): Question {
  // A ceiling that is reached is no broken set-up.
  const isCeiling = problem.code === 'ceiling'
  return questionOf(SHARED_WORDS, {
    code: isCeiling ? 'ceiling' : 'problem',
    text: [
      problemMessage(problem).says,
      ...(problem.fix === undefined ? [] : [saying('text', { text: problem.fix })]),
      saying('problem.ask'),
    ],
    options: [
      optionOf(SHARED_WORDS, {
        choice: 'continue',
        consequence: { kind: 'continue' },
        label: saying(isCeiling ? 'retry-step.again' : 'retry-step.label'),
        after: saying('retry-step.after'),
        recommended: true,
      }),
      ...toMake(problem),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: isCeiling ? [] : [saying('step.fix-problem'), otherSettings(state, problem)],
  })
}

/** What a check runs may be just what the agent is to make. */
function toMake({ missingTargetOf }: Problem): readonly Option[] {
  if (missingTargetOf === undefined) return []
  return [
    optionOf(SHARED_WORDS, {
      choice: 'make',
      consequence: { kind: 'continue', makes: missingTargetOf },
      label: saying('make.label'),
      after: saying('make.after'),
    }),
  ]
}

/** A run with parts that only a program can make takes others from that program, and from no command. */
function otherSettings({ run, config: { program, loop, checks } }: State, { check }: Problem): Saying {
  if (program !== undefined) return saying('step.other-program', { program })
  const reviewers = checks.filter(({ settings }) => settings['review'] !== undefined)
  if (reviewers.some(({ settings }) => settings['name'] === check)) return saying('step.other-reviewer', { run })
  const more = ['--agent', '--agent-command', ...(reviewers.length === 0 ? [] : ['--reviewer']), '--timeout'].join(', ')
  const flags = loop.name === 'research' ? '--agent NAME (or --agent-command, --timeout)' : `--check '…' (or --reload, ${more})`
  return saying('step.other-settings', { run, flags })
}

/** What to ask when the checks passed before and after, and nothing was changed. */
export function nothingChangedQuestion(state: State): Question {
  return questionOf(SHARED_WORDS, {
    code: 'nothing-changed',
    text: [saying('unproven.passed-before'), ...deniedLines(state), saying('unproven.ask')],
    options: [
      accept(state, { label: saying('accept.done'), after: saying('accept.nothing-changed.after') }),
      goOn([], { label: saying('go-on.not-reached'), guidance: GUIDANCE.notReached, how: 'not-reached' }),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: allowing(state),
  })
}

/** What to ask where a pass needed a second run, and `flaky` is `ask`. */
export function flakyQuestion(state: State, tests: readonly string[]): Question {
  const guidance = `${GUIDANCE.flaky} ${tests.slice(0, FLAKY_NAMED_MAX).join(', ')}`
  return questionOf(SHARED_WORDS, {
    code: 'flaky',
    text: [saying('flaky.pass', { tests: tests.slice(0, FLAKY_NAMED_MAX), count: tests.length }), saying('flaky.ask')],
    options: [
      accept(state, { label: saying('accept.done') }),
      goOn([], { label: saying('go-on.fix-flaky'), after: saying('go-on.fix-flaky.after'), guidance }),
      ABORT,
    ],
    attempts: attemptLines(state),
  })
}

const FLAKY_NAMED_MAX = 5

/** What to ask where something speaks against a success. */
export function refutedQuestion(state: State, findings: readonly ProofFinding[]): Question {
  const { run } = state
  const lines = findings.map(findingSaying)
  const told = lines.map((line) => `- ${sentence(SHARED_WORDS, line) ?? ''}`)
  const unfit = findings.flatMap(({ code, check }) => (code === 'room-unfit' && check !== undefined ? [check] : []))
  return questionOf(SHARED_WORDS, {
    code: 'refuted',
    text: [saying('proof.but'), ...lines, saying('proof.ask')],
    options: [
      goOn([], {
        label: saying('go-on.put-back'),
        after: saying('go-on.put-back.after'),
        guidance: [GUIDANCE.refuted, ...told].join('\n'),
      }),
      accept(state, { label: saying('accept.done') }),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: [
      saying('step.look-at-diff', { run }),
      ...unfit.map((check) => saying('step.room-false', { check, run })),
      ...(findings.some(({ code }) => code === 'held-out-fails') ? [saying('step.held-out', { run })] : []),
    ],
  })
}

/** What speaks against a success, as a sentence of these words. */
export function findingSaying({ code, check = '', tests = [], files = [], count }: ProofFinding): Saying {
  const named = files.map(({ path, text }) => (text === undefined ? path : `${path}: ${text}`))
  return saying(`proof.${code}`, { check, tests, files: named, count })
}

/** What to ask where nothing proves that the goal is reached, or not as much as is wanted. `trips`: limits that working on would raise. */
export function unprovenQuestion(state: State, level: ProofLevel, wanted: string, trips: readonly Trip[] = []): Question {
  const { run, config, current } = state
  const hasChecks = config.checks.length > 0
  // No test can fail without a change of code that there is not.
  const isOnlyTests = current.proof?.isOnlyTests === true
  const raises = trips.flatMap(raisesOf)
  const notReached = goOn(raises, {
    label: saying('go-on.not-reached', limitsOf(raises)),
    guidance: GUIDANCE.goalNotReached,
    how: 'not-reached',
  })
  return questionOf(SHARED_WORDS, {
    code: 'unproven',
    text: [
      level === 'unproven'
        ? saying(whyUnproven(state, isOnlyTests))
        : saying(level === 'self-tested' ? 'unproven.self-tested' : 'unproven.reviewed', { wanted }),
      saying('unproven.ask'),
    ],
    options: [
      accept(state, { label: saying('accept.done') }),
      // Without a check nobody would run the test.
      ...(hasChecks && !isOnlyTests ? [toWriteTest()] : []),
      ...(level === 'unproven' && wanted === 'reviewed' ? reviewOption(state) : []),
      optionOf(SHARED_WORDS, {
        choice: 'check',
        consequence: { kind: 'continue', takesCommand: true },
        label: saying('add-check.label'),
        after: saying('add-check.after'),
      }),
      hasChecks ? another(notReached) : notReached,
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: [saying('step.look-at-diff', { run }), saying('step.proof-review', { run }), ...remediation(state, trips)],
  })
}

function whyUnproven({ config, baseline }: State, isOnlyTests: boolean): UnprovenCode {
  if (config.checks.length === 0) return 'unproven.no-check'
  if (baseline?.verdict.passed === false) return 'unproven.not-due'
  return isOnlyTests ? 'unproven.only-tests' : 'unproven.unproven'
}

type UnprovenCode = 'unproven.no-check' | 'unproven.not-due' | 'unproven.only-tests' | 'unproven.unproven'

function toWriteTest(): Option {
  return goOn([], {
    choice: WRITE_TEST,
    label: saying('go-on.write-test'),
    after: saying('go-on.write-test.after'),
    guidance: GUIDANCE.writeTest,
  })
}

/** An agent that can review the work: another one that the run knows, else the one that worked, in a session of its own. */
function reviewOption({ config }: State): readonly Option[] {
  const { agent, roles = {}, fallbacks = [], questioner, checks } = config
  const others = [...Object.values(roles), ...fallbacks, ...(questioner ? [questioner] : [])]
  const isOther = (spec: PartSpec): boolean => spec.name !== CUSTOM && agentName(spec) !== agentName(agent)
  const found = others.find(isOther) ?? (KNOWN_AGENTS.has(agent.name) ? agent : undefined)
  if (!found || checks.some(({ settings }) => settings['name'] === 'review')) return []
  const values = { agent: agentName(found), ...(found === agent ? { isSame: true as const } : {}) }
  const settings = { name: 'review', review: 'agent', agent: { ...found } }
  return [
    optionOf(SHARED_WORDS, {
      choice: 'review',
      consequence: { kind: 'continue', checks: [{ name: 'agent-review', v: 1, settings }] },
      label: saying('add-review.label', values),
      after: saying('add-review.after'),
    }),
  ]
}

/** Only a program can build one. */
const CUSTOM = 'custom'

/** Agents with a model; any other program may not know how to review. */
const KNOWN_AGENTS: ReadonlySet<string> = new Set(['claude', 'codex', 'gemini', 'qwen', 'opencode', 'acp', 'ai-sdk'])

/** Who continues has the tests put back, unless the choice is to change them. */
function withPutBack(option: Option, state: State, disputes: readonly Trip[]): Option {
  const { consequence } = option
  if (disputes.length === 0 || consequence.kind !== 'continue' || consequence.allows) return option
  const guidance = [...(consequence.guidance === undefined ? [] : [consequence.guidance]), disputedLines(state, disputes)].join(
    '\n',
  )
  const { label = saying('text', { text: option.label }), after } = option.says ?? {}
  const values = after?.code === 'go-on.after' ? { ...after.values, putsBack: true } : { putsBack: true }
  const { then: _before, says: _ours, ...rest } = option
  return optionOf(SHARED_WORDS, {
    ...rest,
    label,
    after: { code: 'go-on.after', values },
    consequence: { ...consequence, guidance },
  })
}

/** The end of the run stays the last one. */
function withGuardOptions(options: readonly Option[], more: readonly Option[]): readonly Option[] {
  const last = options.filter(({ choice }) => choice === ABORT.choice)
  return [...options.filter(({ choice }) => choice !== ABORT.choice), ...more, ...last]
}

function stepsOf(state: State, trips: readonly Trip[]): readonly Saying[] {
  return [...allowing(state), ...remediation(state, trips)]
}

/** Whether a budget or a deadline ended the attempts, and not their number: then time or money is what the question is about. */
function hasUsedUp(trips: readonly Trip[]): boolean {
  return trips.flatMap(guardsIn).some((guard) => isLimit(guard) && guard !== 'maxIterations')
}

/** What the attempts show; a disagreement about a format is mentioned even if the question is about something else. */
function patternLines(state: State, pattern: Pattern | undefined): readonly Saying[] {
  const mismatch = pattern?.kind === 'format-mismatch' ? undefined : formatMismatch(state)
  return [pattern, mismatch].flatMap((each) => (each ? [each.says] : []))
}

/** "After 3 attempts this still fails:" and the first of it, or the one that the question is `about`. */
function stillFailing({ recent, unit }: State, about?: MismatchedFailure): readonly Saying[] {
  const last = recent.at(-1)
  const attempts = last ? attemptNumber(unit, last.iteration) : 0
  const task = unit ? { task: { number: unit.index + 1, count: unit.count, id: unit.id } } : {}
  const first = about?.failure ?? failureGroups(last?.failures ?? [])[0]?.first
  if (!first) return [saying('attempts.not-passing', { attempts, ...task })]
  const more = (last?.verdict.failing ?? 0) - 1
  return [saying('attempts.failing', { attempts, ...task, more }), saying('attempts.failure', shownFailure(first, about))]
}

/** Of a disagreement about one value only that value is shown. */
function shownFailure(failure: Failure, about?: MismatchedFailure): ShownFailure {
  const { expected, received } = about?.mismatch ?? failure
  const place = placeOf(failure)
  const isPair = expected !== undefined && received !== undefined && expected !== received
  const [wanted, given] = isPair ? shownPair(expected, received) : []
  return { text: failureItem(failure), id: failure.id, ...defined({ place, expected: wanted, received: given }) }
}

/** An agent that failed, ran out of time or changed nothing is quoted, even if the question is about something else. */
function agentLines(state: State, pattern: Pattern | undefined): readonly Saying[] {
  const last = state.recent.at(-1)
  if (!last || pattern?.kind === 'agent-failed') return []
  const { said } = last
  if (last.agentFailed) return [saying('attempts.agent-failed', said === undefined ? {} : { said })]
  const isSilent = last.denied !== undefined || said === undefined || !isUntouched(state, last)
  return isSilent ? [] : [saying('attempts.agent-idle', { said })]
}

/** What an agent was denied that changed nothing in the last attempt: then it may not have been able to. */
function deniedAndIdle(state: State): Denied | undefined {
  const last = state.recent.at(-1)
  return last && isUntouched(state, last) ? last.denied : undefined
}

/** What the box refused matters whatever the agent changed: a check may need it. */
function boxDenied({ recent }: State): Denied | undefined {
  const denied = recent.at(-1)?.denied
  return denied?.isBox ? denied : undefined
}

function deniedLines(state: State): readonly Saying[] {
  const byBox = boxDenied(state)
  if (byBox) return [saying('text', { text: byBox.message })]
  const denied = deniedAndIdle(state)
  return denied ? [saying('attempts.agent-denied', { calls: denied.calls })] : []
}

/** What the agent changed of what checks it while that still failed, unless a guard that asks says so itself. */
function changedChecksLines(state: State, disputes: readonly Trip[]): readonly Saying[] {
  const changed = disputes.flatMap(guardsIn).includes('tampering') ? undefined : changedChecks(state)
  return changed === undefined ? [] : [saying('attempts.changed-checks', { changed })]
}

function allowing(state: State): readonly Saying[] {
  const denied = boxDenied(state) ?? deniedAndIdle(state)
  return denied ? [saying('text', { text: denied.fix })] : []
}

function askingFor(state: State, pattern: Pattern | undefined): Saying {
  if (deniedAndIdle(state)) return saying('attempts.ask.denied')
  switch (pattern?.kind) {
    case 'format-mismatch':
    case 'agent-failed':
    case 'nothing-changed':
      return saying(`attempts.ask.${pattern.kind}`)
    case 'alternating-failures':
    case 'fixed-one-broke-another':
      return saying('attempts.ask.contradiction')
    default:
      return saying('attempts.ask.go-on')
  }
}

/** What a person can do before answering, in order: go back to the best verified state, then what helps against each guard. */
export function remediation(state: State, trips: readonly Trip[]): readonly Saying[] {
  const advice = trips.flatMap((trip) => adviceOn(trip, state.run))
  const once = new Map(advice.map((step) => [JSON.stringify(step), step]))
  return [...wayBack(state), ...once.values()].slice(0, STEPS_MAX)
}

const STEPS_MAX = 4

/** Nothing where the files are the best there was. */
function wayBack(state: State): readonly Saying[] {
  const { run, best, base, tree, recent } = state
  if (!best || best.tree === tree?.tree) return []
  const isWorseNow = (recent.at(-1)?.verdict.score ?? 0) < best.score
  if (!isWorseNow && isFirstOfEqual(state)) return base?.tree === tree?.tree ? [] : [saying('step.restore-start', { run })]
  return [saying('step.restore-best', { run, iteration: best.iteration, isWorseNow })]
}

/** The best failed, and is called so only because it came first. */
function isFirstOfEqual({ best, baseline }: State): boolean {
  if (!best || best.passed || best.iteration !== 1) return false
  return baseline === undefined || baseline.verdict.score >= best.score
}

/** A guard made of others is helped by what helps its parts; of one that is not ours only its own hint is known. */
function adviceOn({ guard, hint, parts = [guard] }: Trip, run: string): readonly Saying[] {
  const codes = parts.map((name) => `step.${name}`).filter((code) => Object.hasOwn(SHARED_WORDS, code))
  return codes.length === 0 ? [saying('text', { text: hint })] : codes.map((code) => ({ code, values: { run } }))
}

/** What an agent is asked to put back, line by line, because of what it edited in them. */
function disputedLines(state: State, disputes: readonly Trip[]): string {
  const start = state.current.ended?.verdict.passed ? GUIDANCE.putBackPassing : GUIDANCE.putBack
  const found = disputes.flatMap((trip) => linesOf(trip, state))
  const lines = found.length > 0 ? found : disputes.map((trip) => trip.message)
  const more = lines.length > LINES_MAX ? [GUIDANCE.moreLikeThese(lines.length - LINES_MAX)] : []
  return [start, ...lines.slice(0, LINES_MAX).map((line) => `- ${line}`), ...more].join('\n')
}

const LINES_MAX = 10

/** The guard says which edits it means; what it does not watch need not be put back. */
function linesOf({ evidence: { measures } }: Trip, { current }: State): readonly string[] {
  const { suspicions, vanished, skipped, counts } = measures
  const edits = Array.isArray(suspicions) ? (suspicions as unknown as readonly Suspicion[]) : []
  const lines = [
    ...edits.map(lineOf),
    ...namesIn(vanished).map(GUIDANCE.vanished),
    ...namesIn(skipped).map(GUIDANCE.skipped),
    ...namesIn(counts),
  ]
  return lines.length > 0 ? lines : (current.observed?.suspicions ?? []).map(lineOf)
}

function namesIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map((name) => shortened(String(name), 120)) : []
}

function lineOf({ kind, file, line, text }: Suspicion): string {
  return `${file}${line === undefined ? '' : `:${line}`} (${EDITS[kind]}): ${shortened(text, 160)}`
}

/**
 * What failed over all attempts, without repeats, at most ten lines: what fails now before what was overcome, the most severe first,
 * each with the iterations it failed in.
 */
export function consolidatedFeedback({ recent }: State): readonly string[] {
  const seen = new Map<string, Seen>()
  for (const { iteration, failures } of recent) {
    for (const failure of failures) {
      const key = failureFingerprint([failure])
      const before = seen.get(key)
      const iterations = before?.iterations ?? []
      const isRepeat = iterations.at(-1) === iteration
      seen.set(key, { failure, iterations: isRepeat ? iterations : [...iterations, iteration] })
    }
  }
  const last = recent.at(-1)?.iteration ?? 0
  // Where tests did not run, nobody knows whether one that is not among the failures would pass.
  const over = recent.at(-1)?.notRun === undefined ? 'not any more' : 'not seen since'
  const ranked = [...seen.values()].toSorted(
    (one, other) =>
      Number(isNow(other, last)) - Number(isNow(one, last)) || failureRank(one.failure) - failureRank(other.failure),
  )
  const lines = ranked.map((each) => `${failureItem(each.failure)} (${whenOf(each, last, over)})`)
  if (lines.length <= FEEDBACK_LINES_MAX) return lines
  return [...lines.slice(0, FEEDBACK_LINES_MAX - 1), `… and ${lines.length - FEEDBACK_LINES_MAX + 1} more`]
}

interface Seen {
  readonly failure: Failure
  readonly iterations: readonly number[]
}

const FEEDBACK_LINES_MAX = 10

function isNow({ iterations }: Seen, last: number): boolean {
  return iterations.at(-1) === last
}

function whenOf(seen: Seen, last: number, over: string): string {
  const { iterations } = seen
  const [first] = iterations
  const end = iterations.at(-1) ?? 0
  const isRow = end - (first ?? 0) + 1 === iterations.length
  const which = iterations.length > 1 && isRow ? `${first} to ${end}` : iterations.join(', ')
  return `iteration${iterations.length === 1 ? '' : 's'} ${which}${isNow(seen, last) ? '' : `, ${over}`}`
}
