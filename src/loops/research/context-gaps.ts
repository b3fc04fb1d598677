import { isLive, isVerified } from './finding.ts'
import type { GapSeen } from './gap.ts'
import type { ResearchProgress } from './research-progress.ts'
import { shortened } from '../../core/wording.ts'

/** What agents saw that they do not know, and a flow that was asked for and that nobody traced over two files. */
export function contextGaps(research: ResearchProgress, filesRelevant: number): readonly Omit<GapSeen, 'priority'>[] {
  const told = [
    ...research.gaps.filter(({ kind, attempts }) => kind === 'missing_context' && attempts === 0).map(toldBefore),
    ...research.answers.flatMap(({ answer }) => answer.unknowns),
  ].map(({ indicator, area }) => contextGap(indicator, area))
  // One that an agent was sent for stays while that agent brought nothing.
  const tried = research.gaps
    .filter(({ kind, attempts, id }) => kind === 'missing_context' && attempts > 0 && !hasBroughtSomething(research, id))
    .map(toldBefore)
    .map(({ indicator, area }) => contextGap(indicator, area))
  const isTraced = research.findings.some(
    (finding) => isLive(finding) && new Set(finding.citations.filter(isVerified).map(({ file }) => file)).size >= 2,
  )
  const asksForFlow = research.questions.some(({ kind, status }) => kind === 'architecture' && status !== 'answered')
  const flow =
    asksForFlow && !isTraced && filesRelevant >= 2 && research.findings.length > 0
      ? [contextGap('data_flow_not_traced', research.questions.find(({ kind }) => kind === 'architecture')?.text ?? '')]
      : []
  const all = [...told, ...tried, ...flow]
  return all.filter(({ topic }, index) => all.findIndex((each) => each.topic === topic) === index).slice(0, CONTEXTS_MAX)
}

const CONTEXTS_MAX = 20

function toldBefore({ indicator, area }: GapSeen): Pick<Required<GapSeen>, 'indicator' | 'area'> {
  return { indicator: indicator ?? 'component_interaction_unknown', area }
}

function contextGap(indicator: Required<GapSeen>['indicator'], area: string): Omit<GapSeen, 'priority'> {
  const reason = `${indicator.replaceAll('_', ' ')}: ${shortened(area, 160)}`
  return { topic: `context ${indicator} ${area.toLowerCase()}`, kind: 'missing_context', reason, area, indicator }
}

/** Whether the agent that was sent for a gap in this iteration has a verified finding to show for it. */
function hasBroughtSomething({ assignments, answers }: ResearchProgress, gap: string): boolean {
  const sent = new Set(assignments.filter(({ gaps }) => gaps.includes(gap)).map(({ index }) => index))
  return answers.some(({ index, citations }) => sent.has(index) && citations.some(isVerified))
}
