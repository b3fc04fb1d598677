import type { AgentAssignment, AssignmentProgress } from './assignment.ts'
import { initialResearch, type ResearchProgress } from './research-progress.ts'
import type { State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'
import { briefOf, bullets, section } from '../shared/brief-sections.ts'
import { coverageNow } from './analyse-gaps.ts'
import { liveFindings } from './average-confidence.ts'
import { filledModifier } from './filled-modifier.ts'
import { requestBlock, requestFor } from './request-for.ts'
import type { WholeResearchSettings } from './research-settings.ts'

/**
 * The whole prompt of a specialist: who it is, the question, its task with the gap's modifier, its focus, what earlier iterations found, the files
 * that are not to be read again, and the shape of the answer. Every part is bounded.
 */
export function promptFor(
  settings: WholeResearchSettings,
  state: State,
  assignment: AgentAssignment | AssignmentProgress,
): string {
  const research = state.slices?.research ?? initialResearch
  const { goal } = settings
  const { missing, analysed, files } = coverageNow(research, settings)
  const { filesMax = files.length } = research.strategy ?? {}
  const likely = files.filter(({ path }) => missing.includes(path)).slice(0, filesMax)
  const errors = 'errors' in assignment ? (assignment.errors ?? []) : []
  const task = filledModifier(
    assignment,
    { rules: settings, research, prompt: goal },
    likely.map(({ path }) => path),
  )
  return briefOf([
    section('Who you are', settings.roles[assignment.role]?.description ?? `You are the ${assignment.role} specialist.`),
    section('What is asked', goal),
    section('The questions', bullets(research.questions.map(questionLine))),
    section(`Your specific task${assignment.gapKind === undefined ? '' : ` (gap: ${assignment.gapKind})`}`, task),
    section('Focus', `${assignment.focus}\nThis is no new scan of the whole codebase: look only at what serves the task.`),
    section('What earlier iterations found', bullets(foundLines(research))),
    section('Files already analysed: do NOT analyse them again', bullets(named(analysed))),
    section('Files likely to matter and not looked at yet', bullets(likely.slice(0, LIKELY_MAX).map(likelyLine))),
    section('Open conflicts', bullets(conflictLines(research))),
    section('A person said', bullets(state.notes)),
    section('The same as data', requestBlock(requestFor(settings, state, assignment))),
    section('Rules', RULES),
    section('Your answer', ANSWER_SHAPE),
    section(
      'Your last answer could not be used',
      errors.length === 0 ? '' : `${bullets(errors)}\nAnswer again, with the JSON object only.`,
    ),
  ])
}

const LIKELY_MAX = 30
const FOUND_MAX = 40
const NAMED_MAX = 60
const CONFLICTS_MAX = 10

const RULES = bullets([
  'Change no file. Whatever you change is put back.',
  'Every finding needs citations: the path from the root, the line counted from 1, and the words that stand there, copied exactly. We verify each one; one that does not hold counts against the finding.',
  'A file counts as analysed only when a citation in it was verified.',
  'State what can be compared as claims: subject, attribute, value, unit, and the scope (environment, module, version) where it holds.',
  'Nothing you say ends the research: it ends when the evidence is there.',
])

const ANSWER_SHAPE = `Answer with one JSON object at the end, and nothing after it:
{"findings": [{"description": "one statement", "impact": "critical" | "important" | "informational", "category": "architecture", "evidence": "direct" | "supporting" | "inferred", "confidence": 0.9, "citations": [{"file": "src/a.ts", "line": 12, "snippet": "exact words of that line"}], "claims": [{"subject": "session token", "attribute": "lifetime", "value": "30", "unit": "minutes", "scope": "production"}], "answers": ["question-1"]}],
 "files": ["src/a.ts"],
 "questions": [{"id": "question-1", "status": "answered" | "partly" | "not", "missing": "what is still needed"}],
 "unknowns": [{"indicator": "component_interaction_unknown" | "data_flow_not_traced" | "integration_points_missing" | "dependency_graph_incomplete", "area": "what is not known"}],
 "resolutions": [{"conflict": "conflict-001", "keep": "finding-001" | "both" | "neither", "reason": "why", "citations": [{"file": "src/a.ts", "line": 12, "snippet": "exact words"}]}],
 "uncertainties": [{"area": "what", "reason": "why"}]}
"evidence" is "direct" when the cited lines themselves show it. Only "findings" must be there; it may be empty.`

function questionLine({ id, text, kind, status, missing }: ResearchProgress['questions'][number]): string {
  return `${id} (${kind}, ${status === 'not' ? 'not answered' : status}): ${text}${missing === undefined ? '' : ` Needed: ${missing}`}`
}

/** The weightiest first; of the others only how many there are. */
function foundLines(research: ResearchProgress): readonly string[] {
  const live = liveFindings(research).toSorted((one, other) => IMPACTS[one.impact] - IMPACTS[other.impact])
  const lines = live.slice(0, FOUND_MAX).map(({ id, description, confidence, citations, iterationDiscovered }) => {
    const places = citations.filter(({ status }) => status !== 'refuted').map(({ file, line }) => `${file}:${line}`)
    const cited = places.length === 0 ? 'no citation' : places.slice(0, 3).join(', ')
    return `${id} (iteration ${iterationDiscovered}, confidence ${confidence.toFixed(2)}, ${cited}): ${shortened(description, 200)}`
  })
  return live.length > FOUND_MAX ? [...lines, `and ${live.length - FOUND_MAX} more`] : lines
}

const IMPACTS = { critical: 0, important: 1, informational: 2 } as const

function named(files: readonly string[]): readonly string[] {
  return files.length > NAMED_MAX ? [...files.slice(0, NAMED_MAX), `and ${files.length - NAMED_MAX} more`] : files
}

function likelyLine({ path, reasons }: { readonly path: string; readonly reasons: readonly string[] }): string {
  return `${path}${reasons.length === 0 ? '' : `: ${shortened(reasons.join('; '), 160)}`}`
}

function conflictLines({ conflicts }: ResearchProgress): readonly string[] {
  return conflicts
    .filter(({ resolution }) => !resolution)
    .slice(0, CONFLICTS_MAX)
    .map(
      ({ id, topic, sides }) =>
        `${id}, ${topic}: ${sides.map(({ finding, value }) => `${finding} says ${shortened(value, 120)}`).join('; ')}`,
    )
}
