import type { AgentAnswer, AnswerFinding } from '../../../core/research/agent-answer.ts'
import { evidenceFindings } from './evidence-findings.ts'
import { fileFindings } from './file-findings.ts'
import { flowFindings, importFindings } from './flow-findings.ts'
import { literalFindings } from './literal-findings.ts'
import type { Look } from './look.ts'
import { mentionFindings } from './mention-findings.ts'
import { patternFindings } from './pattern-findings.ts'
import { answeredBy } from './question-answers.ts'
import { reasonFindings } from './reason-findings.ts'
import { PERFORMANCE_RISKS, riskFindings, SECURITY_RISKS } from './risk-findings.ts'
import { settingFindings } from './setting-findings.ts'
import { settledConflicts } from './settle-conflicts.ts'
import { subjectsOf } from './subjects.ts'
import { declaredFindings, usedFindings } from './symbol-findings.ts'

/** Looks for what the request asks for, as its role would, and answers in the agents' shape. Every citation is a line that was read. */
export async function explore(look: Look): Promise<AgentAnswer> {
  const { role, questions } = look.request
  const probe = PROBES[role] ?? broadFindings
  const found = await probe(look)
  const resolutions = await settledConflicts(look)
  unfoundTerms(look)
  const answered = answeredBy(questions, distinct(found).slice(0, FINDINGS_MAX))
  const { uncertainties } = look
  return {
    ...answered,
    files: look.filesRead(),
    unknowns: [],
    resolutions,
    uncertainties: uncertainties.slice(0, UNCERTAINTIES_MAX),
  }
}

const FINDINGS_MAX = 120
const UNCERTAINTIES_MAX = 30
const SUBJECTS_TRACED_MAX = 3

type Probe = (look: Look) => Promise<readonly AnswerFinding[]>

/** Each role brings something of its own, so that no two of them only repeat each other. */
const PROBES: Readonly<Record<string, Probe>> = {
  explore: broadFindings,
  citation: async (look) => [
    ...(await evidenceFindings(look)),
    ...(look.request.iteration <= 1 ? await usageFindings(look) : []),
  ],
  pattern: patternFindings,
  verification: async (look) => [...(await evidenceFindings(look)), ...(await settingFindings(look, filesOf(look)))],
  security: async (look) => riskFindings(look, filesOf(look), { category: 'security', risks: SECURITY_RISKS }),
  performance: async (look) => riskFindings(look, filesOf(look), { category: 'performance', risks: PERFORMANCE_RISKS }),
}

/** Where the things are that the question is about, how they are reached, what is set and why, and what the files hold that nobody saw. */
async function broadFindings(look: Look): Promise<readonly AnswerFinding[]> {
  const subjects = subjectsIn(look)
  const files = filesOf(look)
  const findings: AnswerFinding[] = [...(await literalFindings(look, files))]
  for (const [index, subject] of subjects.entries()) {
    findings.push(...(await declaredFindings(look, subject, index === 0 ? 'critical' : 'important')))
  }
  if (look.request.role !== 'explore' || look.request.iteration > 1) findings.push(...(await usageFindings(look)))
  for (const file of [...new Set(subjects.map((subject) => subject.file))].slice(0, SUBJECTS_TRACED_MAX)) {
    findings.push(...(await importFindings(look, file)), ...(await flowFindings(look, file)))
  }
  findings.push(...(await mentionFindings(look, subjects, files)))
  findings.push(...(await settingFindings(look, files)))
  if (look.request.questions.some(({ kind }) => kind === 'rationale')) findings.push(...(await reasonFindings(look, files)))
  return [...findings, ...(await fileFindings(look, missingFiles(look)))]
}

async function usageFindings(look: Look): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  for (const [index, subject] of subjectsIn(look).slice(0, SUBJECTS_TRACED_MAX).entries()) {
    findings.push(...(await usedFindings(look, subject, index === 0 ? 'critical' : 'important')))
  }
  return findings
}

/** What it was sent for is looked at first; the question itself always. */
function subjectsIn(look: Look): ReturnType<typeof subjectsOf> {
  const { question, terms, gaps } = look.request
  const areas = gaps.map(({ area }) => area).filter((area) => typeof area === 'string')
  return subjectsOf(look, [...areas, question].join(' '), terms)
}

function missingFiles({ request }: Look): readonly string[] {
  return [...new Set([...request.gaps.flatMap(({ files }) => files ?? []), ...request.missingFiles])]
}

/** Files to search line by line: those nobody saw, and those that the findings cite. */
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

function unfoundTerms({ request, index, uncertainties }: Look): void {
  for (const term of request.terms) {
    if (index.formsOf(term).length > 0) continue
    uncertainties.push({ area: term, reason: `Nothing in ${index.filesTotal} files has \`${term}\` in it.` })
  }
}

function distinct(findings: readonly AnswerFinding[]): readonly AnswerFinding[] {
  return [...new Map(findings.map((finding) => [finding.description, finding])).values()]
}
