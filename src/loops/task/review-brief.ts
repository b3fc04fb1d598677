import type { State } from '../../core/state.ts'
import type { WholeSettings } from './task-settings.ts'

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
