import type { Event, EventType } from '../../core/event.ts'
import { sayingIn, type Words } from '../../core/saying.ts'
import type { State } from '../../core/state.ts'
import { counted, duration, percent, shortened } from '../../core/wording.ts'
import type { ResearchEventData } from './events.ts'
import { type Convergence, type CriterionResult, researchOf, unmetCriteria } from './progress.ts'
import type { ResearchSettings } from './settings.ts'
import { SHARED_WORDS } from '../shared/words.ts'

export interface Full {
  readonly iteration: number
  readonly coverage: number
  readonly confidence: number
  readonly skipped?: number
  readonly failed: readonly string[]
}

/** What the research loop says to people. */
export const RESEARCH_WORDS = {
  ...SHARED_WORDS,
  'research.not-converged': ({ unmet }: { unmet: string }) => `Not converged: ${unmet}.`,
  'research.ask': () => 'Continue, or take the findings as they are?',
  'research.accept': () => 'Take the findings as they are',
  'research.decided.nothing-yet': () => 'Nothing is measured yet.',
  'research.decided.silent': ({ failed }: { failed: string }) => `No agent ever answered, so nothing is known: ${failed}`,
  'research.decided.full': ({ iteration, coverage, confidence, skipped, failed }: Full) => {
    const early = skipped === undefined ? '' : ` High confidence reached early: ${counted(skipped, 'iteration')} skipped.`
    const but = failed.length === 0 ? '' : ` But ${counted(failed.length, 'agent')} failed: ${failed.join(', ')}.`
    return `FULL CONVERGENCE in iteration ${iteration}: coverage ${percent(coverage)}, confidence ${percent(confidence)}.${early}${but}`
  },
  'research.decided.partial': ({ reason, unmet, gaps }: { reason: string; unmet: string; gaps: number }) => {
    const open = gaps === 0 ? 'no gap is left open' : `${counted(gaps, 'gap')} still open`
    return `PARTIAL CONVERGENCE: ${reason} Unmet: ${unmet}; ${open}.`
  },
} satisfies Words

/** Names a sentence of the research loop. */
export const researchSaying = sayingIn(RESEARCH_WORDS)

type EventWords = { readonly [Type in keyof ResearchEventData & EventType]: (event: Event<Type>) => string }

/** The loop's events in `pawl log`. */
export const researchEventWords: EventWords = {
  'question.extracted': ({ data: { id, kind, text, isCritical } }) => `${id} (${kind}${isCritical ? ', critical' : ''}): ${text}`,
  'question.answered': ({ data: { id, status, findings, missing } }) =>
    `${id}: ${status}${findings.length === 0 ? '' : ` by ${findings.join(', ')}`}${missing === undefined ? '' : `; missing: ${missing}`}`,
  'strategy.chosen': ({ data: { strategy, iterationsMax, roles, reason } }) =>
    `${strategy}, at most ${counted(iterationsMax, 'iteration')}, first ${roles.join(', ')}: ${reason}`,
  'coverage.estimated': ({ data: { files, filesTotal } }) =>
    `${counted(files.length, 'relevant file')} of ${filesTotal}${files[0] ? `: ${shortened(files.map(({ path }) => path).join(', '), 120)}` : ''}`,
  'specialist.assigned': ({ data: { role, model, description, gapKind } }) =>
    `${role} (${model}): ${description}${gapKind === undefined ? '' : ` (${gapKind})`}`,
  'answer.read': ({ data: { work, findings, questions, verdicts } }) => {
    if (findings) return `${work}: ${counted(findings.findings.length, 'finding')}`
    return questions
      ? `${work}: ${counted(questions.length, 'question')}`
      : `${work}: ${counted(verdicts?.length ?? 0, 'verdict')}`
  },
  'answer.refused': ({ data: { work, errors } }) => `${work}: ${shortened(errors.join('; '), 200)}`,
  'citation.verified': ({ data: { file, line, status, note } }) =>
    `${file}:${line} ${status}${note === undefined ? '' : `: ${note}`}`,
  'citation.refuted': ({ data: { file, line, note } }) => `${file}:${line}: ${note}`,
  'evidence.read': ({ data: { statements } }) => `the lines of ${counted(statements.length, 'statement')}`,
  'finding.judged': ({ data: { finding, judgement } }) =>
    `${finding}${judgement.question === undefined ? '' : ` for ${judgement.question}`}: ${judgement.verdict}, ${judgement.by === 'check' ? 'by Pawl’s own check' : 'by the judge'}: ${shortened(judgement.reason, 160)}`,
  'judge.discarded': () => 'the judge supported lines that show nothing of the kind, so nothing that it said counts',
  'finding.recorded': ({ data: { finding } }) => findingWords(finding),
  'finding.merged': ({ data: { finding, agent } }) => `${findingWords(finding)}, with what ${agent} found`,
  'conflict.raised': ({ data: { conflict } }) =>
    `${conflict.id}, ${conflict.topic}: ${conflict.sides.map(({ finding, value }) => `${finding} says ${value}`).join(', ')}`,
  'conflict.nominated': ({ data: { nomination } }) =>
    `${nomination.id} needs review: ${nomination.findings.join(' and ')} (${nomination.why})`,
  'conflict.dismissed': ({ data: { pair, reason } }) => `${pair}: ${reason}`,
  'conflict.resolved': ({ data: { conflict, keep, agent, reason } }) => `${conflict}: ${keep} holds, says ${agent}: ${reason}`,
  'findings.integrated': ({ data: { recorded, merged, skipped } }) =>
    `${recorded} new, ${merged} merged, ${skipped} known already`,
  'gap.found': ({ data: { gap, seen } }) => `${gap}, ${seen.kind}, priority ${seen.priority}: ${seen.reason}`,
  'gap.closed': ({ data: { gap, reason } }) => `${gap}: ${reason}`,
  'gap.deferred': ({ data: { gap, reason } }) => `${gap}: ${reason}`,
  'gap.unresolved': ({ data: { gap, agent, reason, message } }) => `${gap}: ${reason} (${agent}: ${message})`,
  'convergence.measured': ({ data }) => {
    const unmet = unmetCriteria(data)
    const met = unmet.length === 0 ? 'every criterion holds' : `unmet: ${unmet.join(', ')}`
    return `${data.action} ${data.status}: coverage ${percent(data.coverage)}, confidence ${percent(data.confidence)}, ${met}. ${data.reason}`
  },
  'checkpoint.imported': ({ data: { checkpoint } }) =>
    `${checkpoint.session_id}, iteration ${checkpoint.iteration}, ${counted(checkpoint.findings.length, 'finding')}`,
}

function findingWords({ id, description, confidence }: { id: string; description: string; confidence: number }): string {
  return `${id} (${percent(confidence)}): ${shortened(description, 160)}`
}

/** Colours a part of a text, or returns it as it is. */
type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string

/** A line about a run under way: what it is about, and how all of it is coloured. */
export interface ProgressLine {
  readonly label: string
  readonly text: string
  readonly style?: 'bold' | 'yellow'
}

function row(label: string, text: string, style?: ProgressLine['style']): ProgressLine {
  return { label, text, ...(style ? { style } : {}) }
}

function warning(text: string): ProgressLine {
  return row('note', text, 'yellow')
}

/** What is said of an event of research while it goes; `undefined` for one that looks as in any other run. */
export function researchProgress(event: Event, state: State, paint: Paint): readonly ProgressLine[] | undefined {
  switch (event.type) {
    case 'strategy.chosen':
      return beginning(state, paint)
    case 'specialist.assigned':
      return sent(event, state, paint)
    case 'work.started':
    case 'iteration.ended':
      return []
    case 'work.finished':
      return [row('', `${whose(event.data.key, state)} answered after ${duration(event.data.durationMs)}`)]
    case 'answer.refused':
      return [warning(`${whose(event.data.work, state)}: ${shortened(event.data.errors.join('; '), 200)}`)]
    case 'gap.unresolved':
      return [warning(`${event.data.gap} ${event.data.reason}: ${shortened(event.data.message, 200)}`)]
    case 'conflict.raised':
      return [warning(`conflict: ${event.data.conflict.topic}`)]
    case 'citation.refuted':
      return isRepeated(event, state)
        ? []
        : [warning(`refuted: ${event.data.file}:${event.data.line}, ${shortened(event.data.note, 120)}`)]
    case 'workspace.restored':
      // Without one the files were as they should be, and nothing was put back.
      return event.data.savedAs === undefined ? [] : [warning('an agent changed files; they were put back')]
    case 'convergence.measured':
      return convergenceLines(event.data, paint)
    default:
      return undefined
  }
}

/** The same place is refuted for every agent that cites it, and shown once. */
function isRepeated({ data: { file, line } }: Event<'citation.refuted'>, state: State): boolean {
  const cited = researchOf(state).answers.flatMap(({ citations }) => citations)
  return cited.filter((each) => each.status === 'refuted' && each.file === file && each.line === line).length > 1
}

/** Shown before any work starts: what is asked, how wide it is looked, and where. */
function beginning(state: State, paint: Paint): readonly ProgressLine[] {
  const { questions, strategy, estimate } = researchOf(state)
  const files = estimate?.files ?? []
  const more = files.length > FILES_SHOWN_MAX ? [row('', `and ${files.length - FILES_SHOWN_MAX} more`)] : []
  return [
    ...questions.map(({ text, kind, isCritical }, index) =>
      row(index === 0 ? 'questions' : '', `${text} ${paint('dim', `(${kind}${isCritical ? '' : ', not critical'})`)}`),
    ),
    ...(strategy
      ? [row('strategy', `${strategy.strategy}, at most ${counted(strategy.iterationsMax, 'iteration')}: ${strategy.reason}`)]
      : []),
    row('relevant', `${counted(files.length, 'file')} of ${estimate?.filesTotal ?? 0}`),
    ...files
      .slice(0, FILES_SHOWN_MAX)
      .map(({ path, reasons }) => row('', `${path} ${paint('dim', shortened(reasons.join('; '), 100))}`)),
    ...more,
  ]
}

const FILES_SHOWN_MAX = 5

function sent(event: Event<'specialist.assigned'>, state: State, paint: Paint): readonly ProgressLine[] {
  const { iteration, index, role, description, gapKind, model } = event.data
  const gaps = researchOf(state).gaps.length
  const known = iteration === 1 ? 'first look' : `${counted(gaps, 'gap')} known`
  const head = index > 0 ? [] : [row(`iteration ${iteration}`, known, 'bold')]
  const what = gapKind === undefined ? '' : paint('dim', ` (${gapKind})`)
  return [...head, row('', `[${index + 1}] ${roleTitle(state, role)}, ${model}: ${shortened(description, 100)}${what}`)]
}

/** Every criterion, what it reached and what was wanted, and what follows from it. */
function convergenceLines(measured: Convergence, paint: Paint): readonly ProgressLine[] {
  const { criteria, action, status, reason, early, needsReview, metrics, agentFailures } = measured
  const failing = criteria.filter(({ passed }) => !passed).length
  const overall = failing === 0 ? paint('green', 'converged') : paint('yellow', `not converged (${failingWords(failing)})`)
  const end =
    action === 'CONTINUE' ? 'continues' : `${status}${early ? `, ${counted(early.iterationsSkipped, 'iteration')} early` : ''}`
  return [
    row(
      'found',
      `${metrics.findingsNew} new, ${metrics.findingsMerged} confirmed, ${counted(metrics.citationsAdded, 'citation')} verified, ${metrics.citationsRefuted} refuted`,
    ),
    ...criteria.map((criterion, index) => row(index === 0 ? 'convergence' : '', criterionWords(criterion, paint))),
    ...(needsReview > 0 ? [row('', `${counted(needsReview, 'pair')} of findings may contradict each other: needs review`)] : []),
    ...(agentFailures.length === 0
      ? []
      : [row('', paint('yellow', `${counted(agentFailures.length, 'agent')} failed: ${agentFailures.join(', ')}`))]),
    row('', `${overall}: ${end}. ${shortened(reason, 300)}`),
  ]
}

/** "1 criterion failing", "2 criteria failing". */
export function failingWords(count: number): string {
  return `${count} ${count === 1 ? 'criterion' : 'criteria'} failing`
}

function criterionWords({ criterion, value, threshold, passed }: CriterionResult, paint: Paint): string {
  const isCount = criterion === 'conflicts'
  const shown = (number: number): string => (isCount ? String(number) : percent(number))
  const mark = passed ? paint('green', 'holds') : paint('red', 'does not hold')
  return `${criterion.padEnd(12)} ${shown(value).padStart(5)}  (${isCount ? 'at most' : 'at least'} ${shown(threshold)})  ${mark}`
}

function whose(key: string, state: State): string {
  const role = (key.split('/')[1] ?? '').replace(/\..*$/, '')
  return roleTitle(state, role)
}

/** What a specialist is called in displays: `ExploreAgent` for `explore`. */
export function roleTitle({ config }: State, role: string): string {
  const { roles } = config.loop.settings as unknown as ResearchSettings
  return roles?.[role]?.name ?? role
}
