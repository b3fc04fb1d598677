import type { Failure } from './failure.ts'
import { itemOf } from './feedback.ts'
import { failureFingerprint } from './measures/fingerprint.ts'
import type { Option, Question, Raise } from './question.ts'
import type { IterationSummary, Problem, State } from './state.ts'
import type { Trip } from './trip.ts'
import { counted, shortened } from './wording.ts'

/** What to ask when the attempts did not succeed: what was tried, the pattern in it, and options with their consequences. */
export function attemptsQuestion(
  state: State,
  trips: readonly Trip[],
  { includesDiff }: { readonly includesDiff: boolean },
): Question {
  const last = state.recent.at(-1)
  const failure = last?.failures[0]
  const raises = trips.flatMap((trip) => (trip.raise ? [trip.raise] : []))
  const mismatch = failure && formatMismatch(failure)
  const after = `After ${counted(last?.iteration ?? 0, 'attempt')}`
  const still = failure ? `this still fails:\n${shortened(itemOf(failure), 400)}` : 'the checks still do not pass.'
  return {
    text: mismatch ? `${after} ${still}\nWhich of the two is right?` : `${after} ${still}\nHow should it go on?`,
    options: [
      ...(mismatch ?? []).map((option) => withRaises(option, raises)),
      ...(mismatch ? [] : [goOn(raises)]),
      ACCEPT,
      ABORT,
    ],
    ...withPattern(state.recent),
    attempts: attemptLines(state.recent),
    ...(includesDiff && last?.diff ? { diff: last.diff } : {}),
  }
}

/** What to ask when the checks pass but something says that this cannot be believed. */
export function disputedQuestion(state: State, disputes: readonly Trip[]): Question {
  return {
    text: `The checks pass, but:\n${disputes.map((trip) => trip.message).join('\n')}\nIs that meant to be so?`,
    options: [{ ...goOn([]), label: 'No: have it put back' }, { ...ACCEPT, label: 'Yes: accept it as done' }, ABORT],
    attempts: attemptLines(state.recent),
  }
}

/** What to ask the person who is to review work that passes every other check. */
export function reviewQuestion(state: State, goal: string): Question {
  return {
    text: `Every other check passes. Does the work reach the goal?\n${goal}`,
    options: [
      { choice: 'approve', label: 'Approve', consequence: { kind: 'approve' } },
      { choice: 'reject', label: 'Reject (say what is missing)', consequence: { kind: 'reject' } },
      ABORT,
    ],
    attempts: attemptLines(state.recent),
  }
}

/** What to ask when something other than the agent's work stands in the way. */
export function problemQuestion(state: State, problem: Problem): Question {
  const fix = problem.fix === undefined ? '' : `\n${problem.fix}`
  return {
    text: `${problem.what} could not do its job: ${problem.message}${fix}\nThis is not counted as an attempt. What now?`,
    options: [
      { choice: 'continue', label: 'It is mended: try again', consequence: { kind: 'continue' }, recommended: true },
      ABORT,
    ],
    attempts: attemptLines(state.recent),
  }
}

/** What to ask when the checks passed before and after, and nothing was changed. */
export function nothingChangedQuestion(state: State): Question {
  return {
    text: 'The checks passed before the agent began and it changed nothing, so they prove nothing about the goal.\nIs the goal reached?',
    options: [
      { ...ACCEPT, label: 'Yes: accept it as done' },
      { ...goOn([]), label: 'No: go on (tell the agent what is missing)' },
      ABORT,
    ],
    attempts: attemptLines(state.recent),
  }
}

const ACCEPT: Option = { choice: 'accept', label: 'Accept the work as it is', consequence: { kind: 'accept' } }
const ABORT: Option = { choice: 'abort', label: 'End the run here', consequence: { kind: 'abort' } }

function goOn(raises: readonly Raise[]): Option {
  const label = raises.length === 0 ? 'Go on' : `Go on, with ${raises.map((raise) => raise.label).join(' and ')}`
  return { choice: 'continue', label, consequence: { kind: 'continue', raises }, recommended: true }
}

function withRaises(option: Option, raises: readonly Raise[]): Option {
  return option.consequence.kind === 'continue' ? { ...option, consequence: { ...option.consequence, raises } } : option
}

/** Expected and received are the same but for quotes, so code and test disagree about a format and a person knows which is right. */
function formatMismatch({ expected, received, id }: Failure): readonly Option[] | undefined {
  if (expected === undefined || received === undefined || expected === received) return undefined
  if (bare(expected) !== bare(received)) return undefined
  const code = `In "${id}" the test is right: change the code so that it gives ${expected}.`
  const test = `In "${id}" the code is right: change the test so that it expects ${received}.`
  return [
    {
      choice: 'change-code',
      label: `${expected} is right: change the code`,
      consequence: { kind: 'continue', guidance: code },
      recommended: true,
    },
    { choice: 'change-test', label: `${received} is right: change the test`, consequence: { kind: 'continue', guidance: test } },
  ]
}

function bare(value: string): string {
  return value.replaceAll(/["'`]/g, '').trim()
}

function withPattern(recent: readonly IterationSummary[]): { readonly pattern?: string } {
  const last = recent.at(-1)
  if (last && recent.every((iteration) => iteration.agentFailed)) {
    return { pattern: `The agent itself failed every time: ${shortened(last.said ?? '', 200)}` }
  }
  const failed = recent.filter((iteration) => iteration.failures.length > 0)
  if (failed.length < 2) return {}
  const prints = new Set(failed.map((iteration) => failureFingerprint(iteration.failures)))
  if (recent.every((iteration) => iteration.filesChanged === 0)) return { pattern: 'The agent changed nothing in any attempt.' }
  if (prints.size === 1) return { pattern: `The same failure after each of the last ${failed.length} attempts.` }
  const scores = recent.map((iteration) => iteration.verdict.score)
  const isRising = scores.every((score, index) => index === 0 || score >= (scores[index - 1] ?? 0))
  return isRising && (scores.at(-1) ?? 0) > (scores[0] ?? 0) ? { pattern: 'It gets better from attempt to attempt.' } : {}
}

function attemptLines(recent: readonly IterationSummary[]): readonly string[] {
  return recent.map(({ iteration, verdict, failures, filesChanged }) => {
    const [first] = failures
    const what = verdict.passed ? 'passed' : `${verdict.failing} failing${first ? `, ${first.id}: ${first.message}` : ''}`
    return `Iteration ${iteration}: ${shortened(what, 200)} (${counted(filesChanged, 'file')} changed)`
  })
}
