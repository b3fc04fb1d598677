import type { AgentAnswer, AnswerFinding, AnswerQuestion } from '../../loops/research/agent-answer.ts'
import { type Ask, asksOf } from './asks.ts'
import { isNamed } from './content-words.ts'
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
  const probe = PROBES[look.request.role] ?? broadFindings
  const { findings, questions } = await probe(look)
  const resolutions = await settledConflicts(look)
  unfoundTerms(look)
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

/** Each role brings something of its own, so that no two of them only repeat each other. */
const PROBES: Readonly<Record<string, Probe>> = {
  explore: broadFindings,
  citation: async (look) =>
    foundFor(look, await evidenceFindings(look), look.request.iteration <= 1 ? usageFindings : () => Promise.resolve([])),
  pattern: async (look) => unasked(await patternFindings(look)),
  verification: async (look) => foundFor(look, await evidenceFindings(look), (ask) => settingFindings(ask.look, filesOf(look))),
  security: async (look) => unasked(await riskFindings(look, filesOf(look), { category: 'security', risks: SECURITY_RISKS })),
  performance: async (look) =>
    unasked(await riskFindings(look, filesOf(look), { category: 'performance', risks: PERFORMANCE_RISKS })),
}

/** What a role brings that answers no question by itself. */
function unasked(findings: readonly AnswerFinding[]): Found {
  return { findings, questions: [] }
}

/** What is found for each question by itself, after what was found for none. */
async function foundFor(
  look: Look,
  before: readonly AnswerFinding[],
  probe: (ask: Ask) => Promise<readonly AnswerFinding[]>,
): Promise<{ findings: AnswerFinding[]; questions: AnswerQuestion[] }> {
  const findings = [...before]
  const questions: AnswerQuestion[] = []
  for (const ask of asksOf(look)) {
    const answered = answeredBy(ask, await probe(ask))
    findings.push(...answered.findings)
    if (answered.status) questions.push(answered.status)
  }
  return { findings, questions }
}

/** What each question asks for, and what the files hold that nobody saw. */
async function broadFindings(look: Look): Promise<Found> {
  const files = filesOf(look)
  const { findings, questions } = await foundFor(look, [], (ask) => askedFindings(ask, files))
  return { findings: [...findings, ...(await fileFindings(look, missingFiles(look)))], questions }
}

/** Where the things are that a question is about, how they are reached, what is set and why. */
async function askedFindings(ask: Ask, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const { look, question, content } = ask
  const subjects = subjectsIn(look)
  const findings: AnswerFinding[] = [...(await literalFindings(look, files))]
  if (question?.kind === 'rationale') findings.push(...(await reasonFindings(ask, subjects, files)))
  for (const [index, subject] of subjects.entries()) {
    const declared = await declaredFindings(look, subject, index === 0 ? 'critical' : 'important')
    // Of a name that only shares a word with the question, the likeliest place is enough.
    findings.push(...(isNamed(content, subject.name) ? declared : declared.slice(0, 1)))
  }
  if (look.request.role !== 'explore' || look.request.iteration > 1) findings.push(...(await usageFindings(ask)))
  for (const file of [...new Set(subjects.map((subject) => subject.file))].slice(0, SUBJECTS_TRACED_MAX)) {
    findings.push(...(await importFindings(look, file)), ...(await flowFindings(look, file)))
  }
  findings.push(...(await mentionFindings(look, subjects, files)))
  return [...findings, ...(await settingFindings(look, files))]
}

async function usageFindings({ look }: Ask): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  for (const [index, subject] of subjectsIn(look).slice(0, SUBJECTS_TRACED_MAX).entries()) {
    findings.push(...(await usedFindings(look, subject, index === 0 ? 'critical' : 'important')))
  }
  return findings
}

function subjectsIn(look: Look): ReturnType<typeof subjectsOf> {
  return subjectsOf(look, look.request.question, look.request.terms)
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

/** What was found for two questions answers both. */
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
