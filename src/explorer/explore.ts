import type { AgentAnswer, AnswerFinding, AnswerQuestion } from '../loops/research/answer.ts'
import { type Ask, asksOf } from './asks.ts'
import { answerFrom, likelyPlaces } from './answers.ts'
import { evidenceFindings, reasonFindings, settleConflicts } from './evidence-findings.ts'
import { fileFindings, PERFORMANCE_RISKS, riskFindings, SECURITY_RISKS, settingFindings } from './text-findings.ts'
import { flowFindings, importFindings, patternFindings, useFindings } from './code-findings.ts'
import type { Look } from './look.ts'
import { asksForCalls } from '../codebase/question.ts'

/**
 * Searches for what the request asks, as its role would, and answers in the agents' format. Every citation is a line that was
 * read.
 */
export async function explore(look: Look): Promise<AgentAnswer> {
  const probe = PROBES[look.request.role] ?? broadFindings
  const { findings, questions } = await probe(look)
  const resolutions = await settleConflicts(look)
  const { uncertainties } = look
  return {
    findings: distinct(findings).slice(0, FINDINGS_MAX),
    questions,
    files: look.filesRead(),
    unknowns: [],
    resolutions,
    uncertainties: distinctUncertainties(uncertainties).slice(0, UNCERTAINTIES_MAX),
  }
}

const FINDINGS_MAX = 120
const UNCERTAINTIES_MAX = 30
const SUBJECTS_TRACED_MAX = 3

type Found = Pick<AgentAnswer, 'findings' | 'questions'>
type Probe = (look: Look) => Promise<Found>

/** Each role contributes something of its own, so that no two only repeat each other. */
const PROBES: Readonly<Record<string, Probe>> = {
  explore: broadFindings,
  citation: async (look) => {
    const found = look.request.iteration <= 1 ? await usageFindings(look) : withoutQuestions([])
    return { ...found, findings: [...(await evidenceFindings(look)), ...found.findings] }
  },
  pattern: async (look) => withoutQuestions(await patternFindings(look)),
  verification: async (look) =>
    withoutQuestions([...(await evidenceFindings(look)), ...(await settingFindings(look, filesOf(look)))]),
  security: async (look) =>
    withoutQuestions(await riskFindings(look, filesOf(look), { category: 'security', risks: SECURITY_RISKS })),
  performance: async (look) =>
    withoutQuestions(await riskFindings(look, filesOf(look), { category: 'performance', risks: PERFORMANCE_RISKS })),
}

/** Findings that answer no question by themselves. */
function withoutQuestions(findings: readonly AnswerFinding[]): Found {
  return { findings, questions: [] }
}

/** What the code says to each question, and what unread files have to do with it. */
async function broadFindings(look: Look): Promise<Found> {
  const findings: AnswerFinding[] = []
  const questions: AnswerQuestion[] = []
  for (const ask of asksOf(look)) {
    const found = await questionFindings(ask, filesOf(look))
    findings.push(...found.findings)
    questions.push(...found.questions)
  }
  return { findings: [...findings, ...(await fileFindings(look, missingFiles(look)))], questions }
}

/** The answer or the best places first, then how they are reached, and what is configured or explained. */
async function questionFindings(ask: Ask, files: readonly string[]): Promise<Found> {
  const { look, question, read } = ask
  const things = look.index.thingsIn(read).flatMap(({ declarations }) => declarations)
  if (question?.kind === 'rationale') {
    const reasons = await reasonFindings(ask, things.slice(0, SUBJECTS_TRACED_MAX), files)
    if (reasons.length > 0) return marked(ask, reasons, { status: 'partly', missing: NO_REASON })
    const places = await likelyPlaces(ask)
    return marked(ask, places, notAnswered(places))
  }
  const { findings, isAnswered } = await answerFrom(ask)
  const answer = marked(ask, findings, isAnswered ? { status: 'answered' } : notAnswered([...findings, ...things]))
  const context: AnswerFinding[] = []
  for (const file of [...new Set(things.map((each) => each.file))].slice(0, SUBJECTS_TRACED_MAX))
    context.push(...(await importFindings(look, file, 'importers')), ...(await flowFindings(look, file)))
  return { ...answer, findings: [...answer.findings, ...context, ...(await settingFindings(look, files))] }
}

const NO_REASON = 'somebody who judges whether it is the reason'
const NOT_ANSWERED =
  'more than a search: it finds declarations, calls, imports and quoted texts. The findings are the best places to look'

const NOTHING_FOUND = 'a place to look that has its names, or most of its words'

function notAnswered({ length }: readonly unknown[]): Omit<AnswerQuestion, 'id'> {
  return { status: 'not', missing: length > 0 ? NOT_ANSWERED : NOTHING_FOUND }
}

/** Findings that belong to the question, and what became of it. */
function marked({ question }: Ask, findings: readonly AnswerFinding[], status: Omit<AnswerQuestion, 'id'>): Found {
  if (question === undefined || question.status === 'answered') return { findings, questions: [] }
  return {
    findings: findings.map((finding) => ({ ...finding, answers: [question.id] })),
    questions: [{ id: question.id, ...status }],
  }
}

/** What uses the things that are asked about; it answers only a question that asks for it. */
async function usageFindings(look: Look): Promise<Found> {
  const findings: AnswerFinding[] = []
  for (const { read, question } of asksOf(look)) {
    const names = look.index.thingsIn(read).map(({ name }) => name)
    for (const name of names.slice(0, SUBJECTS_TRACED_MAX)) {
      const uses = await useFindings(look, name, asksForCalls(read))
      findings.push(...uses.map((each) => (read.asks === 'uses' && question ? { ...each, answers: [question.id] } : each)))
    }
  }
  return withoutQuestions(findings)
}

function missingFiles({ request }: Look): readonly string[] {
  return [...new Set([...request.gaps.flatMap(({ files }) => files ?? []), ...request.missingFiles])]
}

/** Files to search line by line: unread ones and those that findings cite. */
function filesOf(look: Look): readonly string[] {
  const { analysedFiles, findings } = look.request
  return [
    ...new Set([
      ...missingFiles(look),
      ...analysedFiles,
      ...findings.flatMap(({ citations }) => citations.map(({ file }) => file)),
    ]),
  ]
}

/** A finding for two questions answers both. */
function distinct(findings: readonly AnswerFinding[]): readonly AnswerFinding[] {
  const byDescription = new Map<string, AnswerFinding>()
  for (const finding of findings) {
    const known = byDescription.get(finding.description)
    const answers = [...new Set([...(known?.answers ?? []), ...(finding.answers ?? [])])]
    byDescription.set(finding.description, { ...(known ?? finding), ...(answers.length === 0 ? {} : { answers }) })
  }
  return [...byDescription.values()]
}

function distinctUncertainties(uncertainties: Look['uncertainties']): Look['uncertainties'] {
  return [...new Map(uncertainties.map((each) => [`${each.area}\n${each.reason}`, each])).values()]
}
