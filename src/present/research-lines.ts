import type { Event } from '../core/event.ts'
import type { Convergence, CriterionResult } from '../core/research/convergence.ts'
import { roleTitle } from '../loops/research/index.ts'
import type { State } from '../core/state.ts'
import { counted, duration, shortened } from '../core/wording.ts'
import type { Terminal } from './terminal.ts'

/** What is said of an event of research while it goes; `undefined` for one that is told as in any other run. */
export function researchLines(event: Event, state: State, { paint }: Terminal): readonly string[] | undefined {
  switch (event.type) {
    case 'strategy.chosen':
      return beginning(state, paint)
    case 'specialist.assigned':
      return sent(event, state, paint)
    case 'work.started':
    case 'iteration.ended':
      return []
    case 'work.finished':
      return [`  ${' '.repeat(15)}  ${whose(event.data.key, state)} answered after ${duration(event.data.durationMs)}`]
    case 'answer.refused':
      return [paint('yellow', note(`${whose(event.data.work, state)}: ${shortened(event.data.errors.join('; '), 200)}`))]
    case 'gap.unresolved':
      return [paint('yellow', note(`${event.data.gap} ${event.data.reason}: ${shortened(event.data.message, 200)}`))]
    case 'conflict.raised':
      return [paint('yellow', note(`conflict: ${event.data.conflict.topic}`))]
    case 'citation.refuted':
      return isToldAlready(event, state)
        ? []
        : [paint('yellow', note(`refuted: ${event.data.file}:${event.data.line}, ${shortened(event.data.note, 120)}`))]
    case 'workspace.restored':
      // Without one the files were as they should be, and nothing was put back.
      return event.data.savedAs === undefined ? [] : [paint('yellow', note('an agent changed files; they were put back'))]
    case 'convergence.measured':
      return convergenceLines(event.data, paint)
    default:
      return undefined
  }
}

/** The same place is refuted for every agent that cites it, and told once. */
function isToldAlready({ data: { file, line: place } }: Event<'citation.refuted'>, { research }: State): boolean {
  const cited = (research?.answers ?? []).flatMap(({ citations }) => citations)
  return cited.filter((each) => each.status === 'refuted' && each.file === file && each.line === place).length > 1
}

type Paint = Terminal['paint']

/** Shown before any work starts: what is asked, how wide it is looked, and where. */
function beginning({ research }: State, paint: Paint): readonly string[] {
  if (!research) return []
  const { questions, strategy, estimate } = research
  const files = estimate?.files ?? []
  const more = files.length > FILES_SHOWN_MAX ? [`  ${' '.repeat(15)}  and ${files.length - FILES_SHOWN_MAX} more`] : []
  return [
    ...questions.map(({ text, kind, isCritical }, index) =>
      line(index === 0 ? 'questions' : '', `${text} ${paint('dim', `(${kind}${isCritical ? '' : ', not critical'})`)}`),
    ),
    ...(strategy
      ? [line('strategy', `${strategy.strategy}, at most ${counted(strategy.iterationsMax, 'iteration')}: ${strategy.reason}`)]
      : []),
    line('relevant', `${counted(files.length, 'file')} of ${estimate?.filesTotal ?? 0}`),
    ...files
      .slice(0, FILES_SHOWN_MAX)
      .map(({ path, reasons }) => line('', `${path} ${paint('dim', shortened(reasons.join('; '), 100))}`)),
    ...more,
  ]
}

const FILES_SHOWN_MAX = 5

function sent(event: Event<'specialist.assigned'>, state: State, paint: Paint): readonly string[] {
  const { iteration, index, role, description, gapKind, model } = event.data
  const gaps = state.research?.gaps.length ?? 0
  const head =
    index > 0
      ? []
      : [paint('bold', line(`iteration ${iteration}`, iteration === 1 ? 'first look' : `${counted(gaps, 'gap')} known`))]
  const what = gapKind === undefined ? '' : paint('dim', ` (${gapKind})`)
  return [...head, line('', `[${index + 1}] ${roleTitle(state, role)}, ${model}: ${shortened(description, 100)}${what}`)]
}

/** Every criterion, what it reached and what was wanted, and what follows from it. */
function convergenceLines(measured: Convergence, paint: Paint): readonly string[] {
  const { criteria, action, status, reason, early, needsReview, metrics, agentFailures } = measured
  const failing = criteria.filter(({ passed }) => !passed).length
  const overall =
    failing === 0
      ? paint('green', 'converged')
      : paint('yellow', `not converged (${counted(failing, 'criterion').replace('criterions', 'criteria')} failing)`)
  const end =
    action === 'CONTINUE' ? 'goes on' : `${status}${early ? `, ${counted(early.iterationsSkipped, 'iteration')} early` : ''}`
  return [
    line(
      'found',
      `${metrics.findingsNew} new, ${metrics.findingsMerged} confirmed, ${counted(metrics.citationsAdded, 'citation')} verified, ${metrics.citationsRefuted} refuted`,
    ),
    ...criteria.map((criterion, index) => line(index === 0 ? 'convergence' : '', criterionWords(criterion, paint))),
    ...(needsReview > 0 ? [line('', `${counted(needsReview, 'pair')} of findings may contradict each other: needs review`)] : []),
    ...(agentFailures.length === 0
      ? []
      : [line('', paint('yellow', `${counted(agentFailures.length, 'agent')} failed: ${agentFailures.join(', ')}`))]),
    line('', `${overall}: ${end}. ${shortened(reason, 300)}`),
  ]
}

function criterionWords({ criterion, value, threshold, passed }: CriterionResult, paint: Paint): string {
  const isCount = criterion === 'conflicts'
  const shown = (number: number): string => (isCount ? String(number) : `${Math.round(number * 100)}%`)
  const mark = passed ? paint('green', 'holds') : paint('red', 'does not hold')
  return `${criterion.padEnd(12)} ${shown(value).padStart(5)}  (${isCount ? 'at most' : 'at least'} ${shown(threshold)})  ${mark}`
}

function whose(key: string, state: State): string {
  const role = (key.split('/')[1] ?? '').replace(/\..*$/, '')
  return roleTitle(state, role)
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(15)}  ${text}`
}

function note(text: string): string {
  return line('note', text)
}
