import { DEFAULT_RESEARCH_RULES } from '../src/loops/research/rules.ts'
import { initialResearch, type PendingAnswer } from '../src/loops/research/progress.ts'
import { integrate } from '../src/loops/research/integrate.ts'
import { processorMs } from './processor-ms.ts'

/** Findings as agents give them: some in the same words, some in nearly the same, most of their own; with citations and claims. */
export function researchAnswers(count: number): readonly PendingAnswer[] {
  return Array.from({ length: AGENTS }, (_, index) => answerOf(index, count))
}

/** The processor time that integrating them takes. */
export function integrationMs(answers: readonly PendingAnswer[]): number {
  return processorMs(() => integrate(initialResearch, answers, { iteration: 1, rules: DEFAULT_RESEARCH_RULES }))
}

const AGENTS = 5
const ROLES = ['explore', 'citation', 'pattern', 'security', 'performance'] as const
const SUBJECTS = [
  'login',
  'session',
  'token',
  'cache',
  'queue',
  'parser',
  'router',
  'worker',
  'ledger',
  'cursor',
  'schema',
] as const
const ACTS = ['checks', 'stores', 'rejects', 'loads', 'merges', 'expires', 'retries', 'signs', 'encodes'] as const

function answerOf(index: number, count: number): PendingAnswer {
  const agent = ROLES[index] ?? 'explore'
  const findings = Array.from({ length: count / AGENTS }, (_, place) => findingOf(index, place))
  const citations = findings.flatMap(({ citations: cited }, of) =>
    cited.map((each) => ({ ...each, status: 'exact' as const, agent, iteration: 1, of })),
  )
  const answer = { findings, files: [], questions: [], unknowns: [], resolutions: [], uncertainties: [] }
  return { index, agent, work: `1/${agent}/${index}`, answer, citations }
}

/** Every tenth is what every agent says; the others are an agent's own. */
function findingOf(index: number, place: number): PendingAnswer['answer']['findings'][number] {
  const own = place % 10 === 0 ? place : place + index * 100_003
  const subject = SUBJECTS[own % SUBJECTS.length] ?? ''
  const act = ACTS[(own * 7) % ACTS.length] ?? ''
  const file = `src/${subject}/part-${own % 997}.ts`
  return {
    description: `The ${subject} of module${own} ${act} entry${own % 613} before item${(own * 31) % 1009} in ${file}`,
    impact: 'important',
    category: 'architecture',
    evidence: 'direct',
    citations: [{ file, line: (own % 400) + 1, snippet: `export function ${act}${subject}${own}(` }],
    ...(own % 3 === 0 ? { claims: [{ subject: `${subject}${own}`, attribute: 'limit', value: String(own % 17) }] } : {}),
  }
}
