import type { AnswerFinding, AnswerQuestion } from '../../loops/research/agent-answer.ts'
import type { ResearchRequest } from '../../loops/research/research-request.ts'
import type { Ask } from './asks.ts'

type Asked = ResearchRequest['questions'][number]

/**
 * What was found for one question, with what answers it marked, and how far it is answered. A place or a use answers when its name has all
 * that the question is about; structure is all that a search can show of "how" and "can we".
 */
export function answeredBy(
  { question, content }: Ask,
  findings: readonly AnswerFinding[],
): { readonly findings: readonly AnswerFinding[]; readonly status?: AnswerQuestion } {
  if (question === undefined || question.status === 'answered') return { findings }
  const categories = categoriesFor(question)
  const near = findings.filter(({ category }) => categories.includes(category))
  const named = near.filter((finding) => isMeant(question, content, finding, isWhole))
  const meant = named.length > 0 ? named : near.filter((finding) => isMeant(question, content, finding, isWholeInFile))
  // Beside the thing itself, what only has some of its words is about something else.
  const answering = new Set(meant.length > 0 && question.kind === 'location' ? meant : near)
  if (answering.size === 0) return { findings }
  const missing = MISSING[question.kind] ?? (meant.length > 0 ? undefined : question.kind === 'rationale' ? NO_REASON : UNSURE)
  return {
    findings: findings.map((finding) => (answering.has(finding) ? { ...finding, answers: [question.id] } : finding)),
    status: { id: question.id, ...(missing === undefined ? { status: 'answered' } : { status: 'partly', missing }) },
  }
}

type Matches = (content: Ask['content'], name: string, scope: string) => boolean

/** Whether a finding is about all that is asked for, and shows it. */
function isMeant({ kind }: Asked, content: Ask['content'], { evidence, claims = [] }: AnswerFinding, matches: Matches): boolean {
  if (kind !== 'location') return evidence === 'direct'
  return claims.some(({ subject, attribute, scope = '' }) => {
    if (attribute === 'is spoken of') return false
    // It was looked for as it is written in the question.
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

/** What a search for names cannot tell. */
const MISSING: Readonly<Partial<Record<Asked['kind'], string>>> = {
  architecture: 'what the code does when it runs: only names, imports and uses were read',
  feasibility: 'a judgement: what there is was found, whether it can be done was not weighed',
}
