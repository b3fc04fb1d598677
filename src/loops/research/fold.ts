import {
  AGENT_FAILURE,
  type AssignmentProgress,
  disputedIn,
  FILES_KNOWN_MAX,
  type Gap,
  initialResearch,
  type PendingAnswer,
  type PendingCitation,
  type ResearchProgress,
  UNCERTAINTIES_MAX,
  workKey,
} from './progress.ts'
import type { Event, Seq } from '../../core/event.ts'
import { foldWith, type LoopFold } from '../../core/loop.ts'
import type { Effectiveness } from './settings.ts'
import { CONVERGENCES_MAX } from './convergence.ts'
import { type ConfidenceRule, DEFAULT_RESEARCH_RULES, GAP_KINDS, type GapKind } from './rules.ts'
import { weigh } from './confidence.ts'
import type { Citation, CitationStatus, Finding } from './finding.ts'
import { type State, withEffectDone, withSlice } from '../../core/state.ts'
import type { AgentAnswer } from './answer.ts'
import type { SeedCheckpoint, SeedFinding, SeedGap } from './seed-checkpoint.ts'

/** Keeps where the research is. */
export const researchFold: LoopFold = foldWith({
  'iteration.started': researchIteration,
  'work.failed': researchFailed,
  'workspace.observed': researchObserved,
  'workspace.restored': researchRestored,
  'question.extracted': (state, { data: { id, text, kind, isCritical } }) =>
    within(state, (research) => ({
      ...research,
      questions: [...research.questions, { id, text, kind, isCritical, status: 'not', findings: [] }],
    })),
  'question.answered': (state, { data: { id, iteration: _at, missing, ...answer } }) =>
    within(state, (research) => ({
      ...research,
      questions: research.questions.map((each) => {
        if (each.id !== id) return each
        const { missing: _before, ...rest } = each
        return { ...rest, ...answer, ...(missing === undefined ? {} : { missing }) }
      }),
    })),
  'strategy.chosen': (state, { data }) => within(state, (research) => ({ ...research, strategy: data })),
  'coverage.estimated': estimated,
  'specialist.assigned': assigned,
  'answer.read': answerRead,
  'answer.refused': answerRefused,
  'citation.verified': (state, event) => citationChecked(state, event, confidenceRuleOf(state)),
  'citation.refuted': (state, event) => citationChecked(state, event, confidenceRuleOf(state)),
  'evidence.read': evidenceRead,
  'finding.judged': (state, { data: { finding: id, judgement } }) =>
    within(state, (research) => {
      const findings = research.findings.map((finding) =>
        finding.id === id ? { ...finding, judgements: [...(finding.judgements ?? []), judgement] } : finding,
      )
      return weighedAnew(state, { ...research, findings }, [id])
    }),
  'judge.discarded': (state) =>
    within(state, ({ judging = { statements: [] }, ...research }) => ({
      ...research,
      judging: { ...judging, isDiscarded: true },
    })),
  'finding.recorded': (state, { data: { finding } }) =>
    within(state, (research) => ({
      ...research,
      findings: [...research.findings, finding],
      lastIds: { ...research.lastIds, finding: research.lastIds.finding + 1 },
    })),
  'finding.merged': (state, { data: { finding } }) =>
    within(state, (research) => ({ ...research, findings: replaced(research.findings, [finding]) })),
  'conflict.raised': (state, { data: { conflict } }) =>
    within(state, (research) => {
      const { lastIds, nominations, conflicts } = research
      const ids = conflict.sides.map(({ finding }) => finding)
      const decided = nominations.map((pair) =>
        pair.status === 'needs review' && pair.findings.every((id) => ids.includes(id))
          ? { ...pair, status: 'contradiction' as const }
          : pair,
      )
      const raised = { ...research, nominations: decided, conflicts: [...conflicts, conflict] }
      return weighedAnew(state, { ...raised, lastIds: { ...lastIds, conflict: lastIds.conflict + 1 } }, ids)
    }),
  'conflict.nominated': (state, { data: { nomination } }) =>
    within(state, (research) => ({
      ...research,
      nominations: [...research.nominations, nomination],
      lastIds: { ...research.lastIds, pair: research.lastIds.pair + 1 },
    })),
  'conflict.dismissed': (state, { data: { pair } }) =>
    within(state, (research) => ({
      ...research,
      nominations: research.nominations.map((each) => (each.id === pair ? { ...each, status: 'no contradiction' } : each)),
    })),
  'conflict.resolved': conflictResolved,
  'findings.integrated': integrated,
  'gap.found': gapFound,
  'gap.closed': gapClosed,
  'gap.deferred': (state, { data: { gap } }) => withGap(state, gap, (each) => ({ ...each, status: 'deferred' })),
  'gap.unresolved': (state, { data: { gap } }) =>
    withGap(state, gap, (each) => ({ ...each, status: AGENT_FAILURE, failures: each.failures + 1 })),
  'convergence.measured': (state, { data }) =>
    within(state, (research) => ({
      ...research,
      convergences: [...research.convergences, data].slice(-CONVERGENCES_MAX),
      answers: [],
    })),
  'checkpoint.imported': (state, { seq, data: { checkpoint } }) =>
    within(state, (research) => ({ ...research, ...importedResearch(checkpoint, seq) })),
})

/** What an iteration begins with: nobody is sent yet, findings without evidence are a little older, and this tree is to stay. */
function researchIteration(state: State): State {
  if (!state.slices?.research) return state
  const { integrated: _done, verdicts: _given, judging: _judged, ...research } = state.slices.research
  const begun: ResearchProgress = {
    ...research,
    iteration: state.current.number,
    assignments: [],
    answers: [],
    ...(state.tree ? { clean: state.tree } : {}),
  }
  return withSlice(state, 'research', weighedAnew(state, begun))
}

/** An agent that failed is sent once more where that is configured; then it is out for this iteration, and the others continue. */
function researchFailed(state: State, { data: { key, fault, reason, message } }: Event<'work.failed'>): State {
  const research = state.slices?.research
  if (!research || fault !== 'agent') return state
  const failure = `${reason === 'timed-out' ? 'it ran out of time' : 'it failed'}: ${message}`
  const retriesMax = Number(state.config.loop.settings['agentRetriesMax'] ?? 0)
  const assignments = research.assignments.map((each): AssignmentProgress => {
    if (workKey(research.iteration, each) !== key) return each
    const { retries = 0 } = each
    return retries < retriesMax ? { ...each, retries: retries + 1 } : { ...each, status: 'failed', failure }
  })
  return withSlice(state, 'research', { ...research, assignments })
}

/** What a person changed is theirs and stays; citations of those files have to be verified again. */
function researchObserved(state: State, event: Event<'workspace.observed'>, before: State): State {
  const { tree } = state
  const research = state.slices?.research
  // What agents left behind is not a person's, whoever looked: it is still to be put back.
  const isClean = research?.clean === undefined || before.tree?.tree === research.clean.tree
  if (!research || !tree || event.by.role === 'workspace' || !isClean) return state
  const changed = new Set(event.data.files.map(({ path }) => path))
  const findings = research.findings.map((finding): Finding => {
    if (!finding.citations.some(({ file }) => changed.has(file))) return finding
    const note = 'the file was changed since it was verified'
    const citations = finding.citations.map((citation) =>
      changed.has(citation.file) ? { ...citation, status: 'unverified' as const, note } : citation,
    )
    return { ...finding, citations }
  })
  return withSlice(state, 'research', { ...research, clean: tree, findings })
}

/** What agents changed is put back: the known tree is again the one they were given. */
function researchRestored(state: State, { data: { key, tree } }: Event<'workspace.restored'>): State {
  const research = state.slices?.research
  if (!research?.clean || research.clean.tree !== tree) return state
  const timesPutBack = research.timesPutBack + (key.includes('/put-back/') ? 1 : 0)
  return withSlice({ ...state, tree: research.clean }, 'research', { ...research, timesPutBack })
}

function estimated(state: State, event: Event<'coverage.estimated'>): State {
  const { key, files, filesTotal, needs } = event.data
  return within(withEffectDone(state, { key, kind: 'examine' }, event.seq), (research) => ({
    ...research,
    estimate: { seq: event.seq, files, filesTotal, ...(needs ? { needs } : {}) },
  }))
}

function assigned(state: State, { data: { iteration, ...assignment } }: Event<'specialist.assigned'>): State {
  const { role, gaps: covered, isForced } = assignment
  const progress: AssignmentProgress = { ...assignment, asked: 1, status: 'at work' }
  return within(state, (research) => ({
    ...research,
    assignments: [...research.assignments, progress],
    ...(isForced ? { forcedIn: iteration } : {}),
    gaps: research.gaps.map((gap) =>
      covered.includes(gap.id) ? { ...gap, status: 'assigned', attempts: gap.attempts + 1, role } : gap,
    ),
    effectiveness: research.gaps
      .filter(({ id }) => covered.includes(id))
      .reduce((known, { kind }) => counted(known, kind, role, { tried: 1, closed: 0 }), research.effectiveness),
  }))
}

/** The lines are kept with their findings, and wait for a judge. */
function evidenceRead(state: State, { seq, data: { key, statements, decoy } }: Event<'evidence.read'>): State {
  return within(withEffectDone(state, { key, kind: 'evidence' }, seq), (research) => {
    const byFinding = new Map(statements.map(({ finding, passages }) => [finding, passages]))
    return {
      ...research,
      judging: { statements, ...(decoy ? { decoy } : {}) },
      findings: research.findings.map((finding) => {
        const passages = byFinding.get(finding.id)
        return passages ? { ...finding, passages: passages.slice(0, PASSAGES_KEPT_MAX) } : finding
      }),
    }
  })
}

/** How many passages a finding keeps. */
const PASSAGES_KEPT_MAX = 3

/** The side that holds stays; what was given up for it no longer counts. */
function conflictResolved(state: State, { data: { conflict: id, ...resolution } }: Event<'conflict.resolved'>): State {
  return within(state, (research) => {
    const conflict = research.conflicts.find((each) => each.id === id)
    if (!conflict) return research
    const { keep } = resolution
    const sides = conflict.sides.map(({ finding }) => finding)
    const findings = research.findings.map((finding): Finding => {
      if (!sides.includes(finding.id) || keep === 'both' || keep === finding.id) return finding
      return keep === 'neither' ? { ...finding, isWithdrawn: true } : { ...finding, supersededBy: keep }
    })
    const conflicts = research.conflicts.map((each) => (each.id === id ? { ...each, resolution } : each))
    return weighedAnew(state, { ...research, findings, conflicts }, sides)
  })
}

function integrated(state: State, { seq, data }: Event<'findings.integrated'>): State {
  const { iteration, dropped, notes, ...counts } = data
  return within(state, (research) => {
    const said = research.answers.flatMap(({ agent, answer }) =>
      answer.uncertainties.map((each) => ({ ...each, agent, iteration })),
    )
    const unused = notes.map((reason) => ({ area: 'integration', reason, iteration }))
    return {
      ...research,
      integrated: { seq, ...counts },
      findingsDropped: research.findingsDropped + dropped,
      uncertainties: [...research.uncertainties, ...said, ...unused].slice(-UNCERTAINTIES_MAX),
      emptyIterations: counts.recorded === 0 ? research.emptyIterations + 1 : 0,
      agentRuns: runsOf(research),
    }
  })
}

function runsOf({ agentRuns, assignments }: ResearchProgress): ResearchProgress['agentRuns'] {
  return assignments.reduce((runs, { role: agent, status }) => {
    const known = runs.find((each) => each.agent === agent) ?? { agent, runs: 0, failures: 0 }
    const more = { agent, runs: known.runs + 1, failures: known.failures + (status === 'failed' ? 1 : 0) }
    return [...runs.filter((each) => each.agent !== agent), more]
  }, agentRuns)
}

function gapFound(state: State, { seq, data: { gap: id, iteration, seen } }: Event<'gap.found'>): State {
  return within(state, (research) => {
    const known = research.gaps.find((gap) => gap.id === id)
    // It has moved: agents that are sent from now on are counted again.
    const moved = (gap: Gap): Gap => ({ ...gap, ...seen, attempts: 0 })
    if (known) return { ...research, gaps: research.gaps.map((gap) => (gap.id === id ? moved(gap) : gap)) }
    const gap: Gap = { ...seen, id, seq, iterationFound: iteration, attempts: 0, failures: 0, status: 'open' }
    return { ...research, gaps: [...research.gaps, gap], lastIds: { ...research.lastIds, gap: research.lastIds.gap + 1 } }
  })
}

function gapClosed(state: State, { data: { gap: id } }: Event<'gap.closed'>): State {
  return within(state, (research) => {
    const gap = research.gaps.find((each) => each.id === id)
    const { effectiveness: known } = research
    return {
      ...research,
      gaps: research.gaps.filter((each) => each.id !== id),
      gapsClosed: research.gapsClosed + 1,
      effectiveness: gap?.role === undefined ? known : counted(known, gap.kind, gap.role, { tried: 0, closed: 1 }),
    }
  })
}

function counted(
  known: readonly Effectiveness[],
  kind: Effectiveness['kind'],
  role: string,
  more: { readonly tried: number; readonly closed: number },
): readonly Effectiveness[] {
  const isSame = (each: Effectiveness): boolean => each.kind === kind && each.role === role
  const before = known.find(isSame) ?? { kind, role, tried: 0, closed: 0 }
  const after = { ...before, tried: before.tried + more.tried, closed: before.closed + more.closed }
  return [...known.filter((each) => !isSame(each)), after]
}

function withGap(state: State, id: string, change: (gap: Gap) => Gap): State {
  return within(state, (research) => ({
    ...research,
    gaps: research.gaps.map((gap) => (gap.id === id ? change(gap) : gap)),
  }))
}

/** Confidence follows the evidence: recomputed for those that something happened to, or for all. */
function weighedAnew(state: State, research: ResearchProgress, ids?: readonly string[]): ResearchProgress {
  const rule = confidenceRuleOf(state)
  const disputed = disputedIn(research)
  const isMeant = (finding: Finding): boolean => ids === undefined || ids.includes(finding.id)
  const findings = research.findings.map((finding) =>
    isMeant(finding)
      ? weigh(finding, { rule, iteration: state.current.number, isInConflict: disputed.has(finding.id) })
      : finding,
  )
  return { ...research, findings }
}

/** The anchors that the run was started with. A run from before findings were judged has no maximum for claims. */
function confidenceRuleOf({ config }: State): ConfidenceRule {
  const given = config.loop.settings['confidence'] as unknown as Partial<ConfidenceRule> | undefined
  return { ...DEFAULT_RESEARCH_RULES.confidence, claimedMax: 1, ...given }
}

function replaced(findings: readonly Finding[], changed: readonly Finding[]): readonly Finding[] {
  const byId = new Map(changed.map((finding) => [finding.id, finding]))
  return findings.map((finding) => byId.get(finding.id) ?? finding)
}

function within(state: State, change: (research: ResearchProgress) => ResearchProgress): State {
  const known = state.slices?.research ?? { ...initialResearch, ...(state.tree ? { clean: state.tree } : {}) }
  return withSlice({ ...state, isReadOnly: true }, 'research', change(known))
}

/** An answer of the right shape waits for its citations to be verified. */
function answerRead(state: State, { seq, data }: Event<'answer.read'>): State {
  const { key, work, index, findings, questions, verdicts, judgements } = data
  const done = withEffectDone(state, { key, kind: 'answer' }, seq)
  const research = done.slices?.research ?? initialResearch
  const more = {
    ...(questions === undefined ? {} : { proposed: questions }),
    ...(verdicts === undefined ? {} : { verdicts }),
    ...(judgements === undefined ? {} : { judging: { ...(research.judging ?? { statements: [] }), answer: judgements } }),
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
function answerRefused(state: State, { seq, data }: Event<'answer.refused'>): State {
  const { key, index, errors, form } = data
  const done = withEffectDone(state, { key, kind: 'answer' }, seq)
  const research = done.slices?.research
  if (research?.judging && form === 'judgements')
    return withSlice(done, 'research', { ...research, judging: { ...research.judging, errors } })
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
function citationChecked(
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
    return weigh(checked, { rule, iteration: state.current.number, isInConflict })
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

type Imported = Pick<
  ResearchProgress,
  'findings' | 'gaps' | 'namedFiles' | 'iterationsBefore' | 'lastIds' | 'checkpointCoverage' | 'checkpointConflicts'
>

/**
 * What a checkpoint in the seed's shape brings. Its citations have no words, so here they would be weak: confidence stays as it was
 * written while a cited place is there, and falls with those that point nowhere and with contradictions.
 */
function importedResearch(checkpoint: SeedCheckpoint, seq: Seq): Imported {
  const { findings, gaps_identified: gaps, files_analyzed: namedFiles, iteration } = checkpoint
  return {
    findings: findings.map(findingFrom),
    gaps: gaps.map((gap, index) => gapFrom(gap, index, iteration, seq)),
    namedFiles,
    iterationsBefore: iteration,
    lastIds: { finding: lastNumber(findings), gap: gaps.length, conflict: 0, pair: 0 },
    checkpointCoverage: checkpoint.coverage,
    checkpointConflicts: checkpoint.unresolved_conflicts,
  }
}

function findingFrom(finding: SeedFinding): Finding {
  const { id, description, confidence, citations, source_agents: agents, iteration_discovered: iteration } = finding
  const sourceAgents = agents.length === 0 ? ['imported'] : agents
  return {
    id,
    description,
    confidence,
    imported: confidence,
    confidenceParts: [{ part: 'imported', value: confidence, why: 'as the checkpoint says' }],
    citations: citations.map((text) => citationFrom(text, sourceAgents[0] ?? 'imported', iteration)),
    sourceAgents: agents,
    sources: sourceAgents.map((agent) => ({ agent, iteration })),
    iterationDiscovered: iteration,
    iterationConfirmed: iteration,
    impact: 'important',
    category: 'imported',
  }
}

/** `path:line`; without a line it is the first. */
function citationFrom(text: string, agent: string, iteration: number): Citation {
  const [, file = text, line = '1'] = /^(.*):(\d+)$/.exec(text) ?? []
  return { file, line: Math.max(1, Number(line)), snippet: '', status: 'unverified', agent, iteration }
}

/** One whose kind is not known here is a missing context. */
function gapFrom({ type, finding_id: finding, reason }: SeedGap, index: number, iteration: number, seq: Seq): Gap {
  const kind: GapKind = GAP_KINDS.find((each) => each === type) ?? 'missing_context'
  return {
    id: `gap-${String(index + 1).padStart(3, '0')}`,
    topic: kind === 'confidence_gap' && finding !== undefined ? `confidence ${finding}` : `imported ${index + 1}`,
    kind,
    priority: kind === 'security_concern' || kind === 'unanswered_critical_questions' ? 1 : 2,
    reason,
    area: reason,
    ...(finding === undefined ? {} : { finding }),
    seq,
    iterationFound: iteration,
    attempts: 0,
    failures: 0,
    status: 'open',
  }
}

/** New findings are numbered on from the highest. */
function lastNumber(findings: readonly SeedFinding[]): number {
  return findings.reduce((last, { id }) => Math.max(last, Number(/(\d+)$/.exec(id)?.[1] ?? 0)), findings.length)
}
