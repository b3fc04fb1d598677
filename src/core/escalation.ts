import { attemptLines } from './attempt-lines.ts'
import { consolidatedFeedback } from './consolidated-feedback.ts'
import type { Denied } from './denied.ts'
import { disputedLines } from './disputed-lines.ts'
import { heldTo } from './earlier-answer.ts'
import { checkWords } from './evolve-effect.ts'
import { failureGroups } from './failure-groups.ts'
import { failureItem } from './failure-item.ts'
import { believedAfterAll, guardOptions } from './guard-options.ts'
import type { Failure } from './failure.ts'
import { isUntouched } from './is-untouched.ts'
import { isLimit } from './limits.ts'
import { patternOptions } from './pattern-options.ts'
import { type Pattern, patternOf, workPattern } from './pattern.ts'
import { formatMismatch, mismatchedFailure } from './patterns/format-mismatch.ts'
import { attemptNumber, currentItem } from './plan.ts'
import { ABORT, accept, followedBy, goOn } from './question-options.ts'
import type { Option, Question } from './question.ts'
import { remediation } from './remediation.ts'
import type { Problem, State } from './state.ts'
import { guardsIn, raisesOf, type Trip } from './trip.ts'
import { fileWords } from './tried-lines.ts'
import { counted, shortened } from './wording.ts'

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
function stillFailing({ recent, plan }: State, about?: Failure): readonly string[] {
  const last = recent.at(-1)
  const attempts = counted(last ? attemptNumber(plan, last.iteration) : 0, 'attempt')
  const item = currentItem(plan)
  const after =
    item && plan ? `Task ${plan.index + 1} of ${plan.items.length} (${item.id}): after ${attempts}` : `After ${attempts}`
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
