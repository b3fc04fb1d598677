import type { AgentAssignment } from './assignment.ts'
import type { Finding } from './finding.ts'
import type { Gap } from './gap.ts'
import { initialResearch, type ResearchProgress } from './research-progress.ts'
import { RESEARCH_REQUEST_FENCE, type RequestFinding, type RequestGap, type ResearchRequest } from './research-request.ts'
import { termsOf } from './terms.ts'
import type { State } from '../../core/state.ts'
import { coverageNow } from './analyse-gaps.ts'
import { liveFindings } from './average-confidence.ts'
import type { WholeResearchSettings } from './research-settings.ts'

const FILES_MAX = 40
const FINDINGS_MAX = 25
const CITATIONS_MAX = 5

/** What a prompt asks for, as data, for agents that read no prose. Every part is bounded. */
export function requestFor(settings: WholeResearchSettings, state: State, assignment: AgentAssignment): ResearchRequest {
  const research = state.slices?.research ?? initialResearch
  const { goal } = settings
  const { missing, analysed } = coverageNow(research, settings)
  const gaps = research.gaps.filter(({ id }) => assignment.gaps.includes(id))
  return {
    question: goal,
    terms: termsOf(goal),
    questions: research.questions.map(({ id, text, kind, status }) => ({ id, text, kind, status })),
    role: assignment.role,
    iteration: state.current.number,
    focus: assignment.focus,
    gaps: gaps.map((gap) => requestGap(gap, research)),
    missingFiles: missing.slice(0, FILES_MAX),
    analysedFiles: analysed.slice(0, FILES_MAX),
    findings: told(research, gaps).map(requestFinding),
  }
}

/** The request as a block that can be found in a text: one line of JSON between fences. */
export function requestBlock(request: ResearchRequest): string {
  return `\`\`\`${RESEARCH_REQUEST_FENCE}\n${JSON.stringify(request)}\n\`\`\``
}

/** Findings that the gaps are about come first, then the least believed. */
function told(research: ResearchProgress, gaps: readonly Gap[]): readonly Finding[] {
  const sides = research.conflicts
    .filter(({ id }) => gaps.some(({ conflict }) => conflict === id))
    .flatMap(({ sides: each }) => each)
  const wanted = new Set([...gaps.flatMap(({ finding }) => finding ?? []), ...sides.map(({ finding }) => finding)])
  return liveFindings(research)
    .toSorted((one, other) => Number(wanted.has(other.id)) - Number(wanted.has(one.id)) || one.confidence - other.confidence)
    .slice(0, FINDINGS_MAX)
}

function requestGap({ kind, area, finding, question, conflict, files }: Gap, { conflicts }: ResearchProgress): RequestGap {
  const sides = conflicts.find(({ id }) => id === conflict)?.sides
  return {
    kind,
    area,
    ...(finding === undefined ? {} : { finding }),
    ...(question === undefined ? {} : { question }),
    ...(conflict === undefined ? {} : { conflict }),
    ...(sides === undefined ? {} : { sides }),
    ...(files === undefined ? {} : { files: files.slice(0, FILES_MAX) }),
  }
}

function requestFinding({ id, description, confidence, impact, category, citations }: Finding): RequestFinding {
  const places = citations.slice(0, CITATIONS_MAX).map(({ file, line, snippet, status }) => ({ file, line, snippet, status }))
  return { id, description, confidence, impact, category, citations: places }
}
