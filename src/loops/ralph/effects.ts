import { type Effect, effectKey } from '../../core/effect.ts'
import { stage } from '../../core/loop.ts'
import { isDone, type State } from '../../core/state.ts'
import { checkEffects, checkStages, isPersonReview, isReview } from '../shared/checks.ts'
import { isOffered, promisesNow, type WholeRalphSettings } from './settings.ts'
import { PERSON_SAID } from '../shared/brief-sections.ts'
import { proofEffects } from '../shared/proof.ts'
import { failuresNow, feedbackFrom } from '../shared/feedback.ts'
import { untouchable, warnings } from '../task/brief.ts'

/** Work, then a look at what changed, then the checks one after another; the proof and reviewers last, and only for what passes and may be the end. */
export function ralphEffects(settings: WholeRalphSettings, state: State): readonly Effect[] {
  const { number: iteration } = state.current
  const observe: Effect = { kind: 'observe', key: effectKey(iteration, 'observe'), iteration, by: 'agent' }
  const checks = checkStages(state)
  if (iteration === 0) return stage(state, [observe], ...(settings.baseline ? checks : []))
  const key = effectKey(iteration, 'coder')
  if (!isDone(state, key)) return [workEffect(settings, state, key)]
  const before = stage(state, [observe], ...checks)
  if (before.length > 0 || state.current.checks.some((check) => !check.passed) || !isOffered(settings, state)) return before
  const { base } = state
  const review = { brief: `# Goal of the work\n${settings.prompt}\n`, ...(base === undefined ? {} : { since: base.snapshot }) }
  const reviews = checkEffects(state, (spec) => isReview(spec) && !isPersonReview(spec))
  return stage(state, proofEffects(state), ...reviews.map((effect) => [{ ...effect, review }]))
}

/** What was declared up front is looked for, also where the settings were changed since; `BLOCKED` always is. */
function workEffect(settings: WholeRalphSettings, state: State, key: string): Effect {
  const texts = settings.echoesFeedback ? (state.recent.at(-1)?.outputs ?? []) : []
  return {
    kind: 'work',
    key,
    iteration: state.current.number,
    role: 'coder',
    brief: ralphBrief(settings, state),
    promises: promisesNow(settings, state),
    performer: 'promise',
    ...(texts.length === 0 ? {} : { texts }),
  }
}

/**
 * The prompt, word for word, and after it, unless switched off, what the checks said last time, what people said, warnings and what is
 * protected. A prompt that does not speak of promises itself is followed by how to make one.
 */
function ralphBrief(settings: WholeRalphSettings, state: State): string {
  const { prompt, echoesFeedback, feedbackLengthMax } = settings
  const sections = [
    ...(echoesFeedback
      ? [
          section('What the checks said last time', lastTime(state, feedbackLengthMax)),
          section('Your promise', lastPromise(promisesNow(settings, state), state)),
          section(PERSON_SAID, state.notes),
          section('Take care', warnings(state)),
          section('Do not change', untouchable(state)),
          section('How many iterations there are', minimum(settings, state)),
        ]
      : []),
    section('When it is done', prompt.includes('<promise>') ? [] : promising(promisesNow(settings, state))),
  ].filter((text) => text !== '')
  return sections.length === 0 ? prompt : `${prompt.trimEnd()}\n\n${sections.join('\n\n')}\n`
}

/** An agent that is done early has to know why it is called again. */
function minimum({ iterationsMin }: WholeRalphSettings, { current: { number } }: State): readonly string[] {
  if (number >= iterationsMin) return []
  return [
    `This is iteration ${number} of at least ${iterationsMin}: another follows even if everything passes. If all is done, look for what is missing or can be better.`,
  ]
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

/** Why the promise of the last iteration didn't end the loop, or how to make the one that is missing. */
function lastPromise(promises: readonly string[], state: State): readonly string[] {
  const last = state.slices?.promises?.last
  if (last) return last.refutedBy === undefined ? [] : [`You said ${last.promise}, but it doesn't hold. ${last.refutedBy}`]
  if (promises.length === 0 || state.recent.at(-1)?.verdict.passed !== true) return []
  return [
    `Your last message didn't end with a promise. If everything is done, put ${quoted(promises)} between the tags <promise> and </promise>, alone on the last line of your last message. A mention anywhere else doesn't count.`,
  ]
}

function quoted(promises: readonly string[]): string {
  return promises.map((promise) => `"${promise}"`).join(' or ')
}

/** Worded so that an agent which repeats its brief claims nothing by that. */
function promising(promises: readonly string[]): readonly string[] {
  if (promises.length === 0) return []
  return [
    `Only when everything asked for is done and the checks pass, put ${quoted(promises)} between the tags <promise> and </promise>, alone on the last line of your last message. It is checked.`,
    'If you cannot continue without a person, put "BLOCKED: " and the reason between these tags instead.',
  ]
}
