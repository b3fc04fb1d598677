import { reviewQuestion } from '../shared/questions.ts'
import type { Loop } from '../../core/loop.ts'
import { isDone, type State } from '../../core/state.ts'
import { checkKey, isPersonReview } from './effects.ts'
import { settingsNow, type WholeSettings } from './settings.ts'
import { shellWord } from '../../core/shell-word.ts'

/** Work that passes everything else waits for the person who is to review it, at the maximum too. */
export function awaitsReview(settings: WholeSettings, state: State): ReturnType<NonNullable<Loop['awaits']>> {
  const { checks } = state.current
  if (checks.some((check) => !check.passed)) return undefined
  const index = state.config.checks.findIndex((spec, at) => isPersonReview(spec) && !isDone(state, checkKey(state, at)))
  const spec = state.config.checks[index]
  if (!spec) return undefined
  const question = reviewQuestion(state, settingsNow(settings, state).goal)
  const message = 'Every other check passed on this tree: waiting for a review.'
  return {
    decision: { action: 'wait', message, basis: checks.map((check) => check.seq), question },
    review: { key: checkKey(state, index), name: String(spec.settings['name']) },
  }
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
export function checkLines({ config }: State, reviewed = 'what passes the rest'): readonly string[] {
  return config.checks.map(({ settings: { name, command, review } }) => {
    if (review !== undefined) return `${String(name)}: ${review === 'person' ? 'a person' : 'another agent'} reviews ${reviewed}`
    const shown = Array.isArray(command) ? command.map((word) => shellWord(String(word))).join(' ') : command
    const isNamedAfterIt = typeof shown !== 'string' || shown === name
    return isNamedAfterIt ? String(name) : `${String(name)}: \`${shown}\``
  })
}
