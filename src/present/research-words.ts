import type { Event, EventType } from '../core/event.ts'
import { unmetCriteria } from '../loops/research/convergence.ts'
import type { ResearchEventData } from '../loops/research/events.ts'
import { counted, shortened } from '../core/wording.ts'

type Handlers = { readonly [Type in keyof ResearchEventData & EventType]: (event: Event<Type>) => string }

/** The events of the research loop in words. */
export const researchWords: Handlers = {
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

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}
