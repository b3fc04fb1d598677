import { attemptLines } from '../../core/attempt-lines.ts'
import type { Denied } from '../../core/denied.ts'
import { heldTo } from '../../core/earlier-answer.ts'
import { checkWords } from '../../core/evolve-effect.ts'
import { failureGroups, failureItem, failureRank } from '../../core/failure-item.ts'
import { accept, believedAfterAll, goOn, guardOptions, patternOptions } from './options.ts'
import type { Failure } from '../../core/failure.ts'
import { isUntouched } from '../../core/is-untouched.ts'
import { isLimit } from '../../core/limits.ts'
import { formatMismatch, mismatchedFailure, type Pattern, patternOf, workPattern } from './patterns.ts'
import { attemptNumber } from '../../core/unit.ts'
import { ABORT, followedBy, type Option, type Question } from '../../core/question.ts'
import type { Problem, State } from '../../core/state.ts'
import { guardsIn, raisesOf, type Trip } from '../../core/trip.ts'
import { fileWords } from './feedback.ts'
import { counted, shortened } from '../../core/wording.ts'
import type { Json } from '../../core/json.ts'
import type { Suspicion, SuspicionKind } from '../../core/suspicion.ts'
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
  const about = pattern?.kind === 'format-mismatch' ? mismatchedFailure(state)?.failure : undefined
  const seen = seenWords(state, pattern)
  const offered = heldTo(state, patternOptions(state, pattern, raises))
  const options = offered.options.map((option) => withPutBack(option, state, disputes))
  const feedback = consolidatedFeedback(state)
  return {
    text: [
      ...stillFailing(state, about),
      ...agentWords(state, pattern),
      ...deniedWords(state),
      ...disputes.map((trip) => trip.message),
      ...offered.words,
      askingFor(state, pattern),
    ].join('\n'),
    options: withGuardOptions(options, guardOptions(state, trips)),
    ...(seen === '' ? {} : { pattern: seen }),
    attempts: attemptLines(state),
    ...(feedback.length === 0 ? {} : { feedback }),
    ...stepsOf(state, trips),
    ...(includesDiff && last?.diff ? { diff: last.diff } : {}),
  }
}

/** What to ask when the checks pass but something says that this cannot be believed. */
export function disputedQuestion(state: State, disputes: readonly Trip[]): Question {
  const guidance = disputedLines(state, disputes)
  return {
    text: `The checks pass, but:\n${disputes.map((trip) => trip.message).join('\n')}\nIs that meant to be so?`,
    options: [
      followedBy(goOn([], { label: 'No: have it put back', guidance }), 'The agent is told the exact lines to put back.'),
      accept(state, 'Yes: accept it as done'),
      believedAfterAll(state, disputes),
      ABORT,
    ],
    attempts: attemptLines(state),
    ...stepsOf(state, disputes),
  }
}

/** What to ask the person who is to review work that passes every other check. */
export function reviewQuestion(state: State, goal: string): Question {
  const { current, recent } = state
  const seen = current.observed
  const files = [...new Set([...recent.flatMap((iteration) => iteration.files), ...(seen?.files ?? []).map(({ path }) => path)])]
  const count = Math.max(files.length, seen?.filesChanged ?? 0)
  return {
    text: [
      'Every other check passes. Does the work reach the goal?',
      goal,
      `It changed ${fileWords(files, count)}. Look at it with: pawl diff ${state.run} --total`,
    ].join('\n'),
    options: [
      followedBy(
        { choice: 'approve', label: 'Approve', consequence: { kind: 'approve' } },
        'The review counts as passed, for the files as they are now.',
      ),
      followedBy(
        { choice: 'reject', label: 'Reject (say what is missing)', consequence: { kind: 'reject' } },
        'The attempt counts as failed, and the agent is told your note.',
      ),
      ABORT,
    ],
    attempts: attemptLines(state),
  }
}

/** What to ask when something other than the agent's work stands in the way. */
export function problemQuestion(state: State, problem: Problem): Question {
  const fix = problem.fix === undefined ? '' : `\n${problem.fix}`
  return {
    text: `${problem.what} could not do its job: ${problem.message}${fix}\nThis is not counted as an attempt. What now?`,
    options: [
      followedBy(
        { choice: 'continue', label: 'It is mended: try again', consequence: { kind: 'continue' }, recommended: true },
        'The same step is tried again; nothing that is done is done twice.',
      ),
      ...toMake(problem),
      ABORT,
    ],
    attempts: attemptLines(state),
    steps: ['Mend what is named above, then answer 1.', otherSettings(state, problem)],
  }
}

/** What a check runs may be just what the agent is to make. */
function toMake({ missingTargetOf }: Problem): readonly Option[] {
  if (missingTargetOf === undefined) return []
  const option: Option = {
    choice: 'make',
    label: 'It is the work to make it: begin',
    consequence: { kind: 'continue', makes: missingTargetOf },
  }
  return [followedBy(option, 'The check counts as failed until it can run, and the agent is told why.')]
}

/** A run with parts that only a program can make takes others from that program, and from no command. */
function otherSettings({ run, config: { program, loop, checks } }: State, { what }: Problem): string {
  const until = 'the run keeps what it was started with until'
  if (program !== undefined) return `Where the command or rule itself has to change, ${until} ${program} gives it another.`
  const reviewers = checks.filter(({ settings }) => settings['review'] !== undefined)
  if (reviewers.some(({ settings }) => what === checkWords(String(settings['name']))))
    return `Where the reviewer or its time limit has to change, ${until} it is told: pawl resume ${run} --reviewer NAME (an agent as it is in pawl.yaml now, or person), or --timeout 1h (for all agents without a \`timeout\` of their own)`
  const more = ['--agent', '--agent-command', ...(reviewers.length === 0 ? [] : ['--reviewer']), '--timeout'].join(', ')
  const flags = loop.name === 'research' ? '--agent NAME (or --agent-command, --timeout)' : `--check '…' (or ${more})`
  return `Where the command itself or pawl.yaml has to change, ${until} it is told: pawl resume ${run} ${flags}`
}

/** What to ask when the checks passed before and after, and nothing was changed. */
export function nothingChangedQuestion(state: State): Question {
  const steps = allowing(state)
  const guidance =
    'The checks passed before you began and you changed nothing, but the goal is not reached yet: do what it asks for.'
  return {
    text: [
      'The checks passed before the agent began and it changed nothing, so they prove nothing about the goal.',
      ...deniedWords(state),
      'Is the goal reached?',
    ].join('\n'),
    options: [
      followedBy(accept(state, 'Yes: accept it as done'), 'The goal counts as reached, with nothing changed.'),
      goOn([], {
        label: 'No: go on (tell the agent what is missing)',
        guidance,
        how: 'and is told that the goal is not reached yet',
      }),
      ABORT,
    ],
    attempts: attemptLines(state),
    ...(steps.length === 0 ? {} : { steps }),
  }
}

/** Who goes on has the tests put back, unless the choice is to change them. */
function withPutBack(option: Option, state: State, disputes: readonly Trip[]): Option {
  const { consequence } = option
  if (disputes.length === 0 || consequence.kind !== 'continue' || consequence.allows) return option
  const guidance = [...(consequence.guidance === undefined ? [] : [consequence.guidance]), disputedLines(state, disputes)].join(
    '\n',
  )
  const told = { ...option, consequence: { ...consequence, guidance } }
  return followedBy(told, `${option.then ?? ''} It is told what to put back.`.trim())
}

/** The end of the run stays the last one. */
function withGuardOptions(options: readonly Option[], more: readonly Option[]): readonly Option[] {
  const last = options.filter(({ choice }) => choice === ABORT.choice)
  return [...options.filter(({ choice }) => choice !== ABORT.choice), ...more, ...last]
}

function stepsOf(state: State, trips: readonly Trip[]): Pick<Question, 'steps'> {
  const steps = [...allowing(state), ...remediation(state, trips)]
  return steps.length === 0 ? {} : { steps }
}

/** Whether a budget or a deadline ended the attempts, and not their number: then time or money is what the question is about. */
function hasUsedUp(trips: readonly Trip[]): boolean {
  return trips.flatMap(guardsIn).some((guard) => isLimit(guard) && guard !== 'maxIterations')
}

/** What the attempts show; a disagreement about a format is told of also where something else is asked about. */
function seenWords(state: State, pattern: Pattern | undefined): string {
  const mismatch = pattern?.kind === 'format-mismatch' ? undefined : formatMismatch(state)
  return [pattern, mismatch].flatMap((each) => (each ? [each.message] : [])).join(' ')
}

/** "After 3 attempts this still fails:" and the first of it, or the one that the question is `about`. */
function stillFailing({ recent, unit }: State, about?: Failure): readonly string[] {
  const last = recent.at(-1)
  const attempts = counted(last ? attemptNumber(unit, last.iteration) : 0, 'attempt')
  const after = unit ? `Task ${unit.index + 1} of ${unit.count} (${unit.id}): after ${attempts}` : `After ${attempts}`
  const first = about ?? failureGroups(last?.failures ?? [])[0]?.first
  if (!first) return [`${after} the checks still do not pass.`]
  const more = (last?.verdict.failing ?? 0) - 1
  return [`${after} this still fails${more > 0 ? `, and ${more} more` : ''}:`, failureItem(first)]
}

/** An agent that failed, ran out of time or changed nothing is told of with its own words, also where something else is asked about. */
function agentWords(state: State, pattern: Pattern | undefined): readonly string[] {
  const last = state.recent.at(-1)
  if (!last || pattern?.kind === 'agent-failed') return []
  if (last.agentFailed)
    return [`In the last attempt the agent did not finish: ${shortened(last.said ?? 'it did not say why.', SAID_LENGTH_MAX)}`]
  const isTold = last.denied !== undefined || last.said === undefined || !isUntouched(state, last)
  return isTold ? [] : [`In the last attempt the agent changed nothing. It said: ${shortened(last.said, SAID_LENGTH_MAX)}`]
}

const SAID_LENGTH_MAX = 100

/** What an agent was denied that changed nothing in the last attempt: then it may not have been able to. */
function deniedAndIdle(state: State): Denied | undefined {
  const last = state.recent.at(-1)
  return last && isUntouched(state, last) ? last.denied : undefined
}

function deniedWords(state: State): readonly string[] {
  const denied = deniedAndIdle(state)
  if (!denied) return []
  return [`In the last attempt the agent changed nothing, and its own rules denied it ${counted(denied.calls, 'call')}.`]
}

function allowing(state: State): readonly string[] {
  const denied = deniedAndIdle(state)
  return denied ? [denied.fix] : []
}

function askingFor(state: State, pattern: Pattern | undefined): string {
  if (deniedAndIdle(state)) return 'May it do what it was denied?'
  switch (pattern?.kind) {
    case 'format-mismatch':
      return 'Which of the two is right?'
    case 'alternating-failures':
    case 'fixed-one-broke-another':
      return 'Can both be had, or do they contradict each other?'
    case 'agent-failed':
      return 'Can the agent work again?'
    case 'nothing-changed':
      return 'What does the agent need to know?'
    default:
      return 'How should it go on?'
  }
}

/** What a person can do before answering, in order: go back to the best verified state, then what helps against each guard. */
export function remediation(state: State, trips: readonly Trip[]): readonly string[] {
  const advice = trips.flatMap((trip) => adviceOn(trip, state.run))
  return [...wayBack(state), ...new Set(advice)].slice(0, STEPS_MAX)
}

const STEPS_MAX = 4

/** Nothing where the files are the best there was. */
function wayBack(state: State): readonly string[] {
  const { run, best, base, tree, recent } = state
  if (!best || best.tree === tree?.tree) return []
  const isWorseNow = (recent.at(-1)?.verdict.score ?? 0) < best.score
  if (!isWorseNow && isFirstOfEqual(state))
    return base?.tree === tree?.tree
      ? []
      : [
          `No iteration was better than another: unless what is there is worth keeping, begin again from before any work: pawl restore ${run} 0`,
        ]
  const which = best.iteration === 0 ? 'the state before any work' : `iteration ${best.iteration}`
  const when = isWorseNow ? '' : ', unless what came after it is worth keeping'
  return [`Go back to ${which}, the best verified state${when}: pawl restore ${run} ${best.iteration}`]
}

/** The best failed, and is called so only because it came first. */
function isFirstOfEqual({ best, baseline }: State): boolean {
  if (!best || best.passed || best.iteration !== 1) return false
  return baseline === undefined || baseline.verdict.score >= best.score
}

/** A guard made of others is helped by what helps its parts; of one that is not ours only its own hint is known. */
function adviceOn({ guard, hint }: Trip, run: string): readonly string[] {
  const names = guard.match(/\w+/g) ?? []
  const known = names.flatMap((name) => (Object.hasOwn(STEPS, name) ? [STEPS[name]?.(run) ?? ''] : []))
  return known.length === 0 ? [hint] : known
}

const STEPS: Readonly<Record<string, (run: string) => string>> = {
  maxIterations: (run) =>
    `See whether it gets better from iteration to iteration (pawl show ${run}): if so, more of them help; if not, say what it does not know, or ask for less.`,
  budget: (run) =>
    `See where it went (pawl show ${run}): a smaller goal, a quicker check or another agent makes an iteration cheaper.`,
  deadline: (run) => `Look at what is done by now (pawl diff ${run} --total): accept it, or give it a later deadline.`,
  circuitBreaker: (run) =>
    `Read what fails now and what was tried (pawl show ${run}), find the one thing the agent cannot know, and tell it with the answer.`,
  sameFailure: () =>
    'Run the failing check once yourself and read all that it prints: tell the agent the cause that it does not see.',
  thrashing: (run) =>
    `Look at what went to and fro in the files named above (pawl diff ${run}): say which of the versions is meant, or that the cause lies elsewhere.`,
  noProgress: () =>
    'Find out whether the edited code runs at all in the failing test: a stale build, another copy or a cached result is a common cause.',
  oscillation: () => 'Two demands may contradict each other: decide which one counts, and say so with the answer.',
  stalledDiff: (run) =>
    `The same change comes again (pawl diff ${run}): say that it is not the way, and name another place or another approach.`,
  emptyIterations: () =>
    'See whether the agent may and can edit (its permissions, its key, its working folder): pawl doctor. Then say what the first edit should be.',
  spinningText: () => 'The agent talks in circles: begin with a fresh context, a smaller goal or another model.',
  repeatedAction: () =>
    'The agent asks the same again: give it what it looks for with the answer, or mend the tool that says nothing.',
  qualityRegression: () => 'What came after the best state made it worse: go on from there, and name what must stay as it was.',
  worthContinuing: () =>
    'Loops that stood like this seldom came to a good end: make the goal smaller, tell the agent what it does not know, or put another one to work.',
  tampering: (run) => `Look at the lines named above (pawl diff ${run}): were they meant to change?`,
}

/** What an agent is told to put back, line by line, because of what it edited in them. */
function disputedLines(state: State, disputes: readonly Trip[]): string {
  const start = state.current.ended?.verdict.passed
    ? 'The checks pass only because of what you changed in them. Put this back, and reach the goal without it:'
    : 'You changed what your work is checked by. Put this back, and reach the goal without it:'
  const found = disputes.flatMap((trip) => linesOf(trip, state))
  const lines = found.length > 0 ? found : disputes.map((trip) => trip.message)
  const more = lines.length > LINES_MAX ? [`- and ${lines.length - LINES_MAX} more like these`] : []
  return [start, ...lines.slice(0, LINES_MAX).map((line) => `- ${line}`), ...more].join('\n')
}

const LINES_MAX = 10

/** The guard says which edits it means; what it does not watch need not be put back. */
function linesOf({ evidence: { measures } }: Trip, { current }: State): readonly string[] {
  const { suspicions, vanished, skipped, counts } = measures
  const edits = Array.isArray(suspicions) ? (suspicions as unknown as readonly Suspicion[]) : []
  const lines = [
    ...edits.map(lineOf),
    ...namesIn(vanished).map((id) => `the test "${id}" does not run any more`),
    ...namesIn(skipped).map((id) => `the test "${id}" is skipped now`),
    ...namesIn(counts),
  ]
  return lines.length > 0 ? lines : (current.observed?.suspicions ?? []).map(lineOf)
}

function namesIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map((name) => shortened(String(name), 120)) : []
}

function lineOf({ kind, file, line, text }: Suspicion): string {
  return `${file}${line === undefined ? '' : `:${line}`} (${WORDS[kind]}): ${shortened(text, 160)}`
}

const WORDS: Readonly<Record<SuspicionKind, string>> = {
  deleted: 'a test was deleted',
  skipped: 'a test is skipped',
  focused: 'only this test runs',
  emptied: 'a test checks nothing any more',
  weakened: 'a check was weakened',
  protected: 'the file must not be changed',
  state: 'this belongs to Pawl',
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
