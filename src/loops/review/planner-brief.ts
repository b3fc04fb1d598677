import type { State } from '../../core/state.ts'
import { checkLines } from '../task/check-lines.ts'
import type { WholeReviewSettings } from './review-settings.ts'
import { REVIEWED } from './review-checks.ts'
import { TASK_TYPES } from './task-type.ts'

/** What the planner is asked: to look, to change nothing, and to answer with items that one coder can do one after the other. */
export function plannerBrief({ goal }: WholeReviewSettings, state: State): string {
  const { slices: { review } = {}, notes } = state
  const sentBack = review?.assigned?.reason ?? ''
  return [
    ...section('Goal', [goal]),
    ...section('Your task', TASK),
    ...section('A person said', notes.map(bullet)),
    ...section('How the work will be judged', checkLines(state, REVIEWED).map(bullet)),
    ...section('Your last plan could not be used', (review?.plannings?.sinceAnswer ?? 0) > 1 ? [sentBack] : []),
    ...section('Your answer', ANSWER),
  ].join('\n')
}

const TASK = [
  'You are the planner. Look at the files as much as you need and change none: what you change is put back.',
  'Divide the goal into items that are done one after the other. Each is small enough for one sitting, leaves everything working, and',
  'says what is to be true when it is done. As few items as that takes; one is enough for a small goal.',
]

const ANSWER = [
  'Answer with one JSON object and nothing else:',
  `{"items": [{"description": "what is to be true when it is done", "type": ${TASK_TYPES.map((type) => `"${type}"`).join(' | ')}}]}`,
]

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`# ${title}`, ...lines, '']
}

/** A text of several lines stays one item. */
function bullet(line: string): string {
  return `- ${line.replaceAll('\n', '\n  ')}`
}
