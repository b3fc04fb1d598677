import type { AgentAnswer, AnswerFinding, AnswerQuestion } from '../loops/research/answer.ts'
import { type Ask, asksOf, isNamed, subjectsOf } from './subjects.ts'
import { evidenceFindings, reasonFindings, settleConflicts } from './evidence-findings.ts'
import {
  fileFindings,
  literalFindings,
  mentionFindings,
  PERFORMANCE_RISKS,
  riskFindings,
  SECURITY_RISKS,
  settingFindings,
} from './text-findings.ts'
import { declarationFindings, flowFindings, importFindings, patternFindings, useFindings } from './code-findings.ts'
import type { Look } from './look.ts'
import type { ResearchRequest } from '../loops/research/prompts.ts'

/**
 * Searches for what the request asks, as its role would, and answers in the agents' format. Every citation is a line that was
 * read.
 */
export async function explore(look: Look): Promise<AgentAnswer> {
  const probe = PROBES[look.request.role] ?? broadFindings
  const { findings, questions } = await probe(look)
  const resolutions = await settleConflicts(look)
  reportMissingTerms(look)
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
  citation: async (look) =>
    findingsPerQuestion(
      look,
      await evidenceFindings(look),
      look.request.iteration <= 1 ? usageFindings : () => Promise.resolve([]),
    ),
  pattern: async (look) => withoutQuestions(await patternFindings(look)),
  verification: async (look) =>
    findingsPerQuestion(look, await evidenceFindings(look), (ask) => settingFindings(ask.look, filesOf(look))),
  security: async (look) =>
    withoutQuestions(await riskFindings(look, filesOf(look), { category: 'security', risks: SECURITY_RISKS })),
  performance: async (look) =>
    withoutQuestions(await riskFindings(look, filesOf(look), { category: 'performance', risks: PERFORMANCE_RISKS })),
}

/** Findings that answer no question by themselves. */
function withoutQuestions(findings: readonly AnswerFinding[]): Found {
  return { findings, questions: [] }
}

/** Findings for each question, after those for none. */
async function findingsPerQuestion(
  look: Look,
  before: readonly AnswerFinding[],
  probe: (ask: Ask) => Promise<readonly AnswerFinding[]>,
): Promise<{ findings: AnswerFinding[]; questions: AnswerQuestion[] }> {
  const findings = [...before]
  const questions: AnswerQuestion[] = []
  for (const ask of asksOf(look)) {
    const answered = markAnswers(ask, await probe(ask))
    findings.push(...answered.findings)
    if (answered.status) questions.push(answered.status)
  }
  return { findings, questions }
}

/** What each question asks for, and what unread files contain. */
async function broadFindings(look: Look): Promise<Found> {
  const files = filesOf(look)
  const { findings, questions } = await findingsPerQuestion(look, [], (ask) => questionFindings(ask, files))
  return { findings: [...findings, ...(await fileFindings(look, missingFiles(look)))], questions }
}

/** Where the things in a question are, how they are reached, what is configured and why. */
async function questionFindings(ask: Ask, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const { look, question, content } = ask
  const subjects = subjectsIn(look)
  const findings: AnswerFinding[] = [...(await literalFindings(look, files))]
  if (question?.kind === 'rationale') findings.push(...(await reasonFindings(ask, subjects, files)))
  for (const [index, subject] of subjects.entries()) {
    const declared = await declarationFindings(look, subject, index === 0 ? 'critical' : 'important')
    // If a name only shares a word with the question, the likeliest place is enough.
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
    findings.push(...(await useFindings(look, subject, index === 0 ? 'critical' : 'important')))
  }
  return findings
}

function subjectsIn(look: Look): ReturnType<typeof subjectsOf> {
  return subjectsOf(look, look.request.question, look.request.terms)
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

function reportMissingTerms({ request, index, uncertainties }: Look): void {
  for (const term of request.terms) {
    if (index.formsOf(term).length > 0) continue
    uncertainties.push({ area: term, reason: `Nothing in ${index.filesTotal} files has \`${term}\` in it.` })
  }
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

type Asked = ResearchRequest['questions'][number]

/**
 * The findings for one question, marked with what they answer, and how far the question is answered. A place or a use answers
 * it if its name has everything the question is about. For "how" and "can we", a search can only show structure.
 */
function markAnswers(
  { question, content }: Ask,
  findings: readonly AnswerFinding[],
): { readonly findings: readonly AnswerFinding[]; readonly status?: AnswerQuestion } {
  if (question === undefined || question.status === 'answered') return { findings }
  const categories = categoriesFor(question)
  const near = findings.filter(({ category }) => categories.includes(category))
  const named = near.filter((finding) => isMeant(question, content, finding, isWhole))
  const meant = named.length > 0 ? named : near.filter((finding) => isMeant(question, content, finding, isWholeInFile))
  // Next to the thing itself, findings with only some of its words are about something else.
  const answering = new Set(meant.length > 0 && question.kind === 'location' ? meant : near)
  if (answering.size === 0) return { findings }
  const missing = MISSING[question.kind] ?? (meant.length > 0 ? undefined : question.kind === 'rationale' ? NO_REASON : UNSURE)
  return {
    findings: findings.map((finding) => (answering.has(finding) ? { ...finding, answers: [question.id] } : finding)),
    status: { id: question.id, ...(missing === undefined ? { status: 'answered' } : { status: 'partly', missing }) },
  }
}

type Matches = (content: Ask['content'], name: string, scope: string) => boolean

/** Whether a finding shows everything the question asks for. */
function isMeant({ kind }: Asked, content: Ask['content'], { evidence, claims = [] }: AnswerFinding, matches: Matches): boolean {
  if (kind !== 'location') return evidence === 'direct'
  return claims.some(({ subject, attribute, scope = '' }) => {
    if (attribute === 'is spoken of') return false
    // It was searched for exactly as the question has it.
    return attribute === 'is written' || matches(content, subject, scope)
  })
}

const isWhole: Matches = (content, name) => content.every((word) => word.isIn(name))

/** `parse` in `cookies.ts` is about cookies too. */
const isWholeInFile: Matches = (content, name, scope) => {
  const rest = content.filter((word) => !word.isIn(name))
  return rest.length * 2 <= content.length && isWhole(rest, fileName(scope), '')
}

function fileName(scope: string): string {
  return scope
    .replace(/:\d+$/, '')
    .replace(/^.*\//, '')
    .replace(/\.\w+$/, '')
}

function categoriesFor({ kind, text }: Asked): readonly string[] {
  if (kind === 'rationale') return ['rationale']
  if (kind !== 'location') return [...PLACES, ...USES, 'flow', 'dependency']
  const asksForUses = /\b(?:uses?|used|calls?|called|imports?|imported|depends?)\b/i.test(text)
  const asksForPlace = !asksForUses || /\bwhere\b/i.test(text)
  return [...(asksForPlace ? PLACES : []), ...(asksForUses ? USES : [])]
}

const PLACES = ['location', 'configuration']
const USES = ['usage', 'tests']

const UNSURE = 'a place that speaks of all that is asked: what was found has only some of its words'

const NO_REASON = 'a reason that is surely one for this: what was found only may be'

/** What a search for names can't tell. */
const MISSING: Readonly<Partial<Record<Asked['kind'], string>>> = {
  architecture: 'what the code does when it runs: only names, imports and uses were read',
  feasibility: 'a judgement: what there is was found, whether it can be done was not weighed',
}
