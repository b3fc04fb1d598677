import type { AnswerFinding, AnswerQuestion } from '../../../core/research/agent-answer.ts'
import type { ResearchRequest } from '../../../core/research/research-request.ts'

type Asked = ResearchRequest['questions'][number]

/** Findings with the questions they answer, and how far each question is answered by them. Structure is all that a search can show. */
export function answeredBy(
  questions: readonly Asked[],
  findings: readonly AnswerFinding[],
): { readonly findings: readonly AnswerFinding[]; readonly questions: readonly AnswerQuestion[] } {
  const open = questions.filter(({ status }) => status !== 'answered')
  const marked = findings.map((finding) => {
    const answers = open.filter((question) => categoriesFor(question).includes(finding.category)).map(({ id }) => id)
    return answers.length === 0 ? finding : { ...finding, answers }
  })
  const statuses = open.flatMap((question): readonly AnswerQuestion[] => {
    const touching = marked.filter((finding) => finding.answers?.includes(question.id))
    if (touching.length === 0) return []
    const isShown = touching.some(({ evidence }) => evidence !== 'inferred')
    const missing = MISSING[question.kind] ?? (isShown ? undefined : UNSURE)
    return [{ id: question.id, ...(missing === undefined ? { status: 'answered' } : { status: 'partly', missing }) }]
  })
  return { findings: marked, questions: statuses }
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

/** What a search for names cannot tell. */
const MISSING: Readonly<Partial<Record<Asked['kind'], string>>> = {
  architecture: 'what the code does when it runs: only names, imports and uses were read',
  feasibility: 'a judgement: what there is was found, whether it can be done was not weighed',
}
