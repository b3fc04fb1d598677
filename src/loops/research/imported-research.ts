import type { Seq } from '../../core/event.ts'
import type { Citation, Finding } from './finding.ts'
import { type Gap, GAP_KINDS, type GapKind } from './gap.ts'
import type { ResearchProgress } from './research-progress.ts'
import type { SeedCheckpoint, SeedFinding, SeedGap } from './seed-checkpoint.ts'

type Imported = Pick<
  ResearchProgress,
  'findings' | 'gaps' | 'namedFiles' | 'iterationsBefore' | 'lastIds' | 'checkpointCoverage' | 'checkpointConflicts'
>

/**
 * What a checkpoint in the seed's shape brings. Its citations have no words, so here they would be weak: confidence stands as it was
 * written while a cited place is there, and falls with those that point nowhere and with contradictions.
 */
export function importedResearch(checkpoint: SeedCheckpoint, seq: Seq): Imported {
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
