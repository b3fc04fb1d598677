import type { Event } from '../../core/event.ts'
import { type State, withEffectDone, withSlice } from '../../core/state.ts'
import type { AgentAnswer } from './agent-answer.ts'
import { weighed } from './confidence.ts'
import type { CitationStatus } from './finding.ts'
import {
  FILES_KNOWN_MAX,
  initialResearch,
  type PendingAnswer,
  type PendingCitation,
  type ResearchProgress,
} from './research-progress.ts'
import type { ConfidenceRule } from './research-rules.ts'

/** An answer of the right shape waits for its citations to be verified. */
export function answerRead(state: State, { seq, data }: Event<'answer.read'>): State {
  const { key, work, index, findings, questions, verdicts } = data
  const done = withEffectDone(state, { key, kind: 'answer' }, seq)
  const research = done.slices?.research ?? initialResearch
  const more = {
    ...(questions === undefined ? {} : { proposed: questions }),
    ...(verdicts === undefined ? {} : { verdicts }),
  }
  if (findings === undefined || index === undefined)
    return withSlice({ ...done, isReadOnly: true }, 'research', { ...research, ...more })
  const agent = research.assignments.find((each) => each.index === index)?.role ?? 'lead'
  const player = state.current.work.find((each) => each.key === work)?.player
  const pending: PendingAnswer = {
    index,
    agent,
    work,
    answer: findings,
    citations: citationsOf(findings, { agent, ...(player === undefined ? {} : { player }), iteration: state.current.number }),
  }
  return withSlice({ ...done, isReadOnly: true }, 'research', {
    ...research,
    answers: [...research.answers.filter((each) => each.index !== index), pending],
    namedFiles: withFiles(research.namedFiles, findings.files),
    assignments: research.assignments.map(({ errors: _mended, ...each }) =>
      each.index === index ? { ...each, status: 'answered', work } : { ...each, ...(_mended ? { errors: _mended } : {}) },
    ),
  })
}

/** A bad answer is sent back once; then it is that agent's failure. */
export function answerRefused(state: State, { seq, data }: Event<'answer.refused'>): State {
  const { key, index, errors } = data
  const done = withEffectDone(state, { key, kind: 'answer' }, seq)
  const research = done.slices?.research
  if (!research || index === undefined) return done
  const assignments = research.assignments.map((each) => {
    if (each.index !== index) return each
    if (each.asked < ASKED_MAX) return { ...each, asked: each.asked + 1, errors }
    return { ...each, status: 'failed' as const, errors, failure: `its answer was refused twice: ${errors[0] ?? ''}` }
  })
  return withSlice({ ...done, isReadOnly: true }, 'research', { ...research, assignments })
}

/** How often an agent is asked for one answer. */
const ASKED_MAX = 2

/** What verifying one citation came to. */
export function citationChecked(
  state: State,
  event: Event<'citation.verified'> | Event<'citation.refuted'>,
  rule: ConfidenceRule,
): State {
  const research = state.slices?.research
  if (!research) return state
  const { of, line, file, note } = event.data
  const status: CitationStatus = event.type === 'citation.refuted' ? 'refuted' : event.data.status
  const verdict = { status, file, line, ...(note === undefined ? {} : { note }) }
  const verifiedFiles = status === 'refuted' ? research.verifiedFiles : withFiles(research.verifiedFiles, [file])
  const known: ResearchProgress = { ...research, verifiedFiles }
  if ('answer' in of) {
    const answers = known.answers.map((answer) =>
      answer.index === of.answer ? { ...answer, citations: changedAt(answer.citations, of.citation, verdict) } : answer,
    )
    return withSlice(state, 'research', { ...known, answers })
  }
  const isInConflict = known.conflicts.some(
    ({ resolution, sides }) => !resolution && sides.some(({ finding }) => finding === of.finding),
  )
  const findings = known.findings.map((finding) => {
    if (finding.id !== of.finding) return finding
    const { confidenceParts: _old, ...rest } = finding
    const checked = { ...rest, confidenceParts: [], citations: changedAt(finding.citations, of.citation, verdict) }
    return weighed(checked, { rule, iteration: state.current.number, isInConflict })
  })
  return withSlice(state, 'research', { ...known, findings })
}

function changedAt<Item extends object>(items: readonly Item[], index: number, change: Partial<Item>): readonly Item[] {
  const old = items[index]
  if (old === undefined) return items
  const { note: _before, ...rest } = old as Item & { readonly note?: string }
  return items.with(index, { ...rest, ...change } as unknown as Item)
}

/** Those of the findings, then those of the resolutions. */
function citationsOf(
  { findings, resolutions }: AgentAnswer,
  source: Pick<PendingCitation, 'agent' | 'player' | 'iteration'>,
): readonly PendingCitation[] {
  return [...findings, ...resolutions].flatMap(({ citations }, of) =>
    citations.map((place) => ({ ...place, status: 'unverified' as const, ...source, of })),
  )
}

function withFiles(known: readonly string[], files: readonly string[]): readonly string[] {
  const fresh = files.filter((file, index) => !known.includes(file) && files.indexOf(file) === index)
  return fresh.length === 0 ? known : [...known, ...fresh].slice(0, FILES_KNOWN_MAX)
}
