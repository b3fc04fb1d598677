import { PERSON_SAID } from '../shared/brief-sections.ts'
import { failuresNow, feedbackFrom } from '../shared/feedback.ts'
import type { State } from '../../core/state.ts'
import { untouchable, warnings } from '../task/brief.ts'
import { promisesNow, type WholeRalphSettings } from './settings.ts'

/**
 * The prompt, word for word, and after it, unless switched off, what the checks said last time, what people said, warnings and what is
 * protected. A prompt that does not speak of promises itself is followed by how to make one.
 */
export function ralphBrief(settings: WholeRalphSettings, state: State): string {
  const { prompt, echoesFeedback, feedbackLengthMax } = settings
  const sections = [
    ...(echoesFeedback
      ? [
          section('What the checks said last time', lastTime(state, feedbackLengthMax)),
          section(PERSON_SAID, state.notes),
          section('Take care', warnings(state)),
          section('Do not change', untouchable(state)),
        ]
      : []),
    section('When it is done', prompt.includes('<promise>') ? [] : promising(promisesNow(settings, state))),
  ].filter((text) => text !== '')
  return sections.length === 0 ? prompt : `${prompt.trimEnd()}\n\n${sections.join('\n\n')}\n`
}

/** A text of several lines stays one item. */
function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `# ${title}\n${lines.map((line) => `- ${line.replaceAll('\n', '\n  ')}`).join('\n')}`
}

function lastTime(state: State, feedbackLengthMax: number): readonly string[] {
  if (failuresNow(state).length === 0) return state.recent.at(-1)?.verdict.passed ? ['Everything passed.'] : []
  const { items, itemsLeftOut } = feedbackFrom(state, feedbackLengthMax)
  return [...items, ...(itemsLeftOut > 0 ? [`and ${itemsLeftOut} more: run the checks to see them`] : [])]
}

/** Worded so that an agent which repeats its brief claims nothing by that. */
function promising(promises: readonly string[]): readonly string[] {
  if (promises.length === 0) return []
  const words = promises.map((promise) => `"${promise}"`).join(' or ')
  return [
    `Only when everything asked for is done and the checks pass, end your last message with ${words} between the tags <promise> and </promise>. It is checked.`,
    'If you cannot go on without a person, put "BLOCKED: " and the reason between these tags instead.',
  ]
}
