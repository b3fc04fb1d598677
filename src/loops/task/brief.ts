import { shellWord, shortened } from '../../core/wording.ts'
import { failuresNow, type Feedback, feedbackFrom } from '../shared/feedback.ts'
import { adviceFor, subjectOf } from '../shared/options.ts'
import { formatMismatch, type Pattern, patternOf } from '../shared/patterns.ts'
import { attemptNumber, isForUnit, iterationsMaxIn } from '../../core/unit.ts'
import { guidanceNow } from '../../core/ruling.ts'
import { dueChecks } from '../shared/checks.ts'
import { hasEnded } from '../../core/measures/ledger.ts'
import { isBeforeSuccess } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { briefOf, bullets, flakyLines, PERSON_SAID, section } from '../shared/brief-sections.ts'
import type { WholeSettings } from './settings.ts'
import { acceptedFiles, isSyntaxError, newFailures, testsTrouble } from './test-first.ts'
import { TESTS_ADVICE } from './words.ts'
import { failureItem } from '../../core/failure-item.ts'

/**
 * What the agent is asked to do: the goal, where the work is, what fails now, what was tried and what came of it, what people
 * said, what to take care of, what it must not touch, how it is checked. What does not apply is left out.
 */
export function taskBrief({ goal, feedbackLengthMax }: WholeSettings, state: State): string {
  const feedback = feedbackFrom(state, feedbackLengthMax)
  const sections = [
    section('Goal', goalLines(goal, state)),
    section('Where this stands', standing(state, feedback)),
    section('What fails now', failing(state, feedback)),
    section('Tried before, and helped in part', bullets(feedback.helped)),
    section('Tried before, and did not help', bullets(feedback.tried)),
    section('Flaky tests', flakyLines(state)),
    section(PERSON_SAID, bullets(state.notes)),
    section('Take care', bullets(warnings(state))),
    section('Do not change', bullets([...untouchable(state), ...acceptedFiles(state).map((path) => `\`${path}\``)])),
    section('How your work is checked', bullets(checkLines(state))),
  ]
  return briefOf(sections)
}

/**
 * What whoever writes the tests is asked to do: tests that fail now and pass once the goal is reached; `isBefore` the work, or for work
 * that is there already.
 */
export function testBrief({ goal }: WholeSettings, state: State, isBefore: boolean): string {
  const when = isBefore
    ? 'The tests must fail now, since nothing is done yet, and pass once the goal is reached. They may use what does not exist yet.'
    : 'The work is there already, and the checks passed before it too. The tests must pass now, and fail on the files as they were before the work.'
  const rules = [
    when,
    'Put them where the checks below run them, in the style of the tests that are there.',
    'Change nothing but tests, and leave the tests that are there as they are.',
  ]
  return briefOf([
    section('Goal', goalLines(goal, state)),
    section('Your part', `Write the tests for this goal, and do no other work on it.\n${bullets(rules)}`),
    section('What was wrong with your tests', isBefore ? troubleLines(state) : ''),
    section(PERSON_SAID, bullets(state.notes)),
    section('Do not change', bullets(untouchable(state))),
    section('How they are run', bullets(checkLines(state))),
  ])
}

/** What was wrong with the tests of the last iteration. */
function troubleLines(state: State): string {
  const seen = state.slices?.tests?.seen
  const trouble = seen && testsTrouble(state)
  if (!trouble) return ''
  const broken =
    trouble === 'syntax'
      ? newFailures(state)
          .filter(isSyntaxError)
          .map((failure) => failureItem(failure))
      : []
  const lines = trouble === 'others' ? seen.others.map((path) => `\`${path}\``) : broken.slice(0, BROKEN_MAX)
  return [TESTS_ADVICE[trouble], ...(lines.length === 0 ? [] : [bullets(lines)])].join('\n')
}

const BROKEN_MAX = 5

/** With a plan, the task under way, what it is for, and what is done. */
function goalLines(goal: string, { slices: { plan } = {}, config }: State): string {
  if (!plan) return goal
  const whole = config.loop.settings['goal']
  const done = plan.items.slice(0, plan.index).map((item) => shortened(item.goal, 100))
  return [
    plan.items.length === 1 ? goal : `Task ${plan.index + 1} of ${plan.items.length}: ${goal}`,
    ...(config.loop.settings['areOthersOpen'] === true
      ? ['Other agents work on other tasks meanwhile, in folders of their own. Do only this one.']
      : []),
    ...(typeof whole === 'string' && whole !== goal ? [`It is part of: ${whole}`] : []),
    ...(done.length === 0 ? [] : [`Already done, and to be kept working: ${done.join('; ').replace(/[.\s]+$/, '')}.`]),
  ].join('\n')
}

function standing({ unit, current, config, recent }: State, { movement }: Feedback): string {
  const number = attemptNumber(unit, current.number)
  const max = iterationsMaxIn(config.guards, number)
  const of = max === undefined ? '' : ` of at most ${max}`
  const attempt = `This is attempt ${number}${of}${unit ? ' at this task' : ''}.`
  const last = recent.at(-1)
  if (!last) return attempt
  return `${attempt} ${last.verdict.passed ? 'The checks passed after the last one.' : `After the last one: ${movement}.`}`
}

function failing(state: State, { items, itemsLeftOut }: Feedback): string {
  if (failuresNow(state).length === 0) {
    const isFirst = state.recent.length === 0 && state.baseline !== undefined
    if (!isFirst) return ''
    const unknown = state.unit ? dueChecks(state).filter(({ name }) => !hasEnded(state.measures.ledger, name)) : []
    if (unknown.length === 0) return 'Nothing: all checks pass already. The goal may need tests of its own.'
    return `Nothing that has run. Not run yet: ${unknown.map(({ name }) => `\`${name}\``).join(', ')}.`
  }
  return bullets([...items, ...(itemsLeftOut > 0 ? [`and ${itemsLeftOut} more: run the checks to see them`] : [])])
}

/** What guards warn of, and what the attempts show, unless one of them or a person said it already. */
export function warnings(state: State): readonly string[] {
  const { nudges } = state
  const warned = nudges.map((trip) => `${trip.message} ${trip.hint}`)
  const pattern = patternOf(state)
  const mismatch = pattern?.kind === 'format-mismatch' ? undefined : formatMismatch(state)
  return [...warned, ...[pattern, mismatch].flatMap((each) => (each ? shownBy(each, state) : []))]
}

function shownBy(pattern: Pattern, state: State): readonly string[] {
  if (state.nudges.some((trip) => trip.guard === 'sameFailure' && pattern.kind === 'same-failure')) return []
  const advice = adviceFor(pattern)?.text
  const subject = subjectOf(pattern)
  // A person who said what is right in a disagreement has the last word on it.
  const isSettled = subject !== undefined && guidanceNow(state).some(({ settles }) => settles === subject)
  return advice === undefined || isSettled ? [] : [`${pattern.message} ${advice}`]
}

/** Told only where the user named files: no agent has a reason to touch Pawl's own. */
export function untouchable({ config }: State): readonly string[] {
  const globs = config.protect ?? []
  return globs.length === 0 ? [] : [...globs, 'pawl.yaml', '.pawl/'].map((glob) => `\`${glob}\``)
}

/** What a reviewer is asked: whether the change reaches the goal. The patch itself is handed over beside it. */
export function reviewBrief({ goal }: WholeSettings, { current, recent, notes }: State): string {
  const before = recent.flatMap((iteration) => iteration.failures.filter((failure) => failure.kind === 'review'))
  const asked = before.map((failure) => `- ${failure.message}`)
  const passed = current.checks.map((check) => `- ${check.name}: passed`)
  return [
    '# Goal of the work',
    goal,
    ...(passed.length === 0 ? [] : ['', '# Checks', ...passed]),
    ...(asked.length === 0 ? [] : ['', '# What reviews of earlier attempts asked for', ...asked.slice(-EARLIER_MAX)]),
    ...(notes.length === 0 ? [] : ['', '# A person said', ...notes.map((note) => `- ${note}`)]),
    '',
  ].join('\n')
}

const EARLIER_MAX = 10

/** How the work is checked, told plainly, so that the agent can run the checks itself. */
export function checkLines({ config, unit }: State, reviewed = 'what passes the rest'): readonly string[] {
  const due = config.checks.filter((spec) => isForUnit(unit, spec))
  return due.map((spec) => {
    const { name, command, review } = spec.settings
    if (review === 'person') return `${String(name)}: a person reviews what passes the rest`
    if (review !== undefined) return `${String(name)}: another agent reviews ${reviewed}`
    const shown = Array.isArray(command) ? command.map((word) => shellWord(String(word))).join(' ') : command
    const isNamedAfterIt = typeof shown !== 'string' || shown === name
    const later = isBeforeSuccess(spec) ? ' (runs only once the others pass)' : ''
    return `${isNamedAfterIt ? String(name) : `${String(name)}: \`${shown}\``}${later}`
  })
}
