import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'
import type { JudgeAnswer } from './answer.ts'
import {
  type CitedPlace,
  type Finding,
  IMPACT_RANK,
  isHidden,
  isLive,
  isVerified,
  type Judgement,
  standingOf,
} from './finding.ts'
import {
  type Judging,
  type ReadStatement,
  researchIterationOf,
  researchOf,
  type ResearchProgress,
  type ResearchQuestion,
} from './progress.ts'

/** A statement whose cited lines are to be read: what a finding says, and the question that it answers. */
export interface Statement {
  readonly finding: string
  readonly question?: Pick<ResearchQuestion, 'id' | 'text' | 'kind'>
  readonly text: string
  readonly places: readonly CitedPlace[]
}

/** How many statements one judge is asked about; those beyond stay `claimed` until the next iteration. */
const STATEMENTS_MAX = 24

/** How many places of a statement are read. */
const PLACES_MAX = 3

/** What nobody has judged yet and has a verified place: answers to questions first, the weightiest first. */
export function unjudgedStatements({ findings, questions }: ResearchProgress): readonly Statement[] {
  const critical = new Set(questions.filter(({ isCritical, status }) => isCritical && status !== 'answered').map(({ id }) => id))
  const rank = ({ finding, question }: { finding: Finding; question: string | undefined }): number =>
    (question === undefined ? 2 : critical.has(question) ? 0 : 1) * 10 + IMPACT_RANK[finding.impact]
  return findings
    .filter((finding) => isLive(finding) && finding.citations.some(isReadable))
    .flatMap((finding) => {
      const known = questions.filter(({ id }) => finding.answers?.includes(id)).map(({ id }) => id)
      const asked: readonly (string | undefined)[] = known.length === 0 ? [undefined] : known
      return asked.filter((question) => !judgementOf(finding, question)).map((question) => ({ finding, question }))
    })
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, STATEMENTS_MAX)
    .map(({ finding, question: id }) => {
      const question = questions.find((each) => each.id === id)
      return {
        finding: finding.id,
        ...(question ? { question: { id: question.id, text: question.text, kind: question.kind } } : {}),
        text: finding.description,
        places: finding.citations
          .filter(isReadable)
          .slice(0, PLACES_MAX)
          .map(({ file, line, snippet }) => ({ file, line, snippet })),
      }
    })
}

function isReadable(citation: Finding['citations'][number]): boolean {
  return isVerified(citation) && !isHidden(citation)
}

/** What was said of a finding as an answer to this question. */
function judgementOf({ judgements = [] }: Pick<Finding, 'judgements'>, question: string | undefined): Judgement | undefined {
  return judgements.find((each) => each.question === question)
}

/** Agents that can't judge: the explorer searches, and whatever a lead hands in is the lead's own word. */
const NO_JUDGES: ReadonlySet<string> = new Set(['explorer', 'lead', 'tinker'])

/** Whether there is somebody to judge: the agent of the role `judge`, else that of `deep`, else the run's own, in a fresh context. */
export function hasJudge({ config: { roles = {}, agent } }: Pick<State, 'config'>): boolean {
  const name = [`deep:${JUDGE}`, JUDGE, 'deep'].find((each) => Object.hasOwn(roles, each))
  return !NO_JUDGES.has((name === undefined ? agent : (roles[name] ?? agent)).name)
}

/** The role that judges. */
export const JUDGE = 'judge'

/** A statement as the judge is asked about it. */
export interface JudgedItem {
  /** `s1`, in the order in which the judge sees them. */
  readonly id: string
  readonly statement: ReadStatement
  readonly passages: ReadStatement['passages']
  readonly isDecoy?: true
}

/** What the judge is asked about: all that Pawl's own check did not settle, and a decoy among them. */
export function judgedItems({ judging }: Pick<ResearchProgress, 'judging'>): readonly JudgedItem[] {
  if (!judging) return []
  // By what was read and never by what was judged since: the numbers must stay.
  const open = judging.statements.filter(({ shows, isShownWhole }) => shows === undefined || !isShownWhole)
  const items: Omit<JudgedItem, 'id'>[] = open.map((statement) => ({ statement, passages: statement.passages }))
  const { decoy } = judging
  const of = decoy && (judging.statements[decoy.of] ?? open[0])
  const all =
    decoy && of && items.length > 0
      ? items.toSpliced(decoy.place % (items.length + 1), 0, { statement: of, passages: [decoy.passage], isDecoy: true })
      : items
  return all.map((item, index) => ({ id: `s${index + 1}`, ...item }))
}

/** Those of the statements that nobody has judged. */
export function pendingIn({ statements }: Judging, findings: readonly Finding[]): readonly ReadStatement[] {
  const byId = new Map(findings.map((finding) => [finding.id, finding]))
  return statements.filter(({ finding, question }) => {
    const known = byId.get(finding)
    return known !== undefined && !judgementOf(known, question)
  })
}

/**
 * What Pawl's own check and the judge came to, as facts. The check decides alone if the statement says no more than it saw, or if nobody else can judge. A judge
 * that supports the decoy is discarded, with everything that it said; so is one that supports others and says nothing of the decoy.
 */
export function judgementFacts(state: State): readonly Fact[] {
  const { judging, findings } = researchOf(state)
  if (!judging || judging.isDiscarded) return []
  const iteration = researchIterationOf(state)
  const fact = ({ finding, question }: ReadStatement, judgement: Pick<Judgement, 'verdict' | 'by' | 'reason'>): Fact =>
    concluded(state, LOOP, 'finding.judged', {
      finding,
      judgement: { ...(question === undefined ? {} : { question }), ...judgement, iteration },
    })
  const isAlone = !hasJudge(state)
  const seen = pendingIn(judging, findings).filter(({ shows, isShownWhole }) => shows !== undefined && (isShownWhole || isAlone))
  if (seen.length > 0)
    return seen.map((statement) => fact(statement, { verdict: 'supports', by: 'check', reason: statement.shows ?? '' }))
  const { answer } = judging
  if (!answer) return []
  const items = judgedItems(researchOf(state))
  const verdicts = new Map(answer.judgements.map((each) => [each.id, each]))
  const decoy = items.find(({ isDecoy }) => isDecoy)
  if (decoy && isFooled(decoy, answer)) return [concluded(state, LOOP, 'judge.discarded', { iteration })]
  const pending = new Set(pendingIn(judging, findings))
  return items.flatMap(({ id, statement, isDecoy }) => {
    const given = verdicts.get(id)
    if (isDecoy || !given || !pending.has(statement)) return []
    return [fact(statement, { verdict: given.verdict, by: 'agent', reason: shortened(given.reason, REASON_LENGTH_MAX) })]
  })
}

function isFooled({ id }: JudgedItem, { judgements, more }: JudgeAnswer): boolean {
  const own = judgements.find((each) => each.id === id)
  if (own) return own.verdict === 'supports'
  return !more.some((each) => each.id === id) && judgements.some(({ verdict }) => verdict === 'supports')
}

const REASON_LENGTH_MAX = 300

/** A conflict is settled once the judge has refuted one side and not the other. */
export function judgedConflicts(state: State): readonly Fact[] {
  const { conflicts, findings } = researchOf(state)
  const iteration = researchIterationOf(state)
  const isRefuted = (id: string): boolean => findings.some((finding) => finding.id === id && standingOf(finding) === 'refuted')
  return conflicts.flatMap(({ id, resolution, sides }) => {
    const kept = sides.filter(({ finding }) => !isRefuted(finding))
    if (resolution || kept.length !== 1) return []
    const [{ finding: keep }] = kept as [(typeof kept)[number]]
    const reason = 'the judge found that the lines of the other side do not show it'
    return [concluded(state, LOOP, 'conflict.resolved', { conflict: id, keep, reason, agent: JUDGE, iteration })]
  })
}

/** The lines that the judge wants to see, for the statements that it has said nothing of. */
export function wantedMore(research: ResearchProgress): readonly Statement[] {
  const { judging, findings, questions } = research
  if (!judging?.answer || judging.isDiscarded) return []
  const said = new Set(judging.answer.judgements.map(({ id }) => id))
  return judgedItems(research).flatMap(({ id, statement, isDecoy }) => {
    const places = judging.answer?.more.filter((each) => each.id === id && !said.has(id)).slice(0, PLACES_MAX) ?? []
    const finding = findings.find((each) => each.id === statement.finding)
    const question = questions.find((each) => each.id === statement.question)
    if (places.length === 0 || isDecoy || !finding) return []
    return [
      {
        finding: finding.id,
        ...(question ? { question: { id: question.id, text: question.text, kind: question.kind } } : {}),
        text: finding.description,
        places: places.map(({ file, line }) => ({ file, line, snippet: '' })),
      },
    ]
  })
}
