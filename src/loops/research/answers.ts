import { type Finding, isVerified, type Passage, type Standing, standingOf } from './finding.ts'
import type { ResearchQuestion } from './progress.ts'
import type { ResearchResult } from './result.ts'

/** A place that is cited for a statement, with the lines around it. */
export interface AnswerPlace {
  readonly file: string
  readonly line: number
  /** The number of the first of `lines`. */
  readonly from: number
  /** Three to ten lines, as they were when Pawl read them; none for a place that it did not read. */
  readonly lines: readonly string[]
}

/** A statement that answers a question, and who vouches for it. */
export interface AnswerStatement {
  readonly finding: string
  readonly statement: string
  /** `verified`, or `claimed`: nobody but its author has judged it. Refuted ones are no answers. */
  readonly standing: Exclude<Standing, 'refuted'>
  /** Who judged it, and what they say. */
  readonly judgedBy?: 'check' | 'agent'
  readonly reason?: string
  readonly agents: readonly string[]
  readonly places: readonly AnswerPlace[]
}

/** What research says to one question. */
export interface QuestionAnswer {
  readonly question: string
  readonly status: ResearchQuestion['status']
  readonly statements: readonly AnswerStatement[]
  /** What is missing, unless it is answered. */
  readonly missing?: string
  /** Files that are worth a look, the most relevant first; none for one that is answered. */
  readonly lookAt: readonly { readonly file: string; readonly why: string }[]
}

/** Every question with its statements, verified ones first, and with where to look for what is open. */
export function answersOf({ questions, findings, coverage }: ResearchResult): readonly QuestionAnswer[] {
  const files = new Map(coverage.files.map((file) => [file.path, file]))
  const missingFiles = coverage.missing.map((file) => ({ file, why: files.get(file)?.reasons[0] ?? 'it seems relevant' }))
  const claimed = new Set(questions.flatMap((question) => question.findings))
  const others = findings.filter((finding) => !claimed.has(finding.id)).flatMap(placeFound)
  return questions.map(({ id, text, status, findings: ids, missing }) => {
    const statements = ids
      .flatMap((each) => findings.find((finding) => finding.id === each) ?? [])
      .filter((finding) => standingOf(finding, id) !== 'refuted')
      .map((finding) => statementOf(finding, id))
      .toSorted((one, other) => Number(one.standing === 'claimed') - Number(other.standing === 'claimed'))
    const isOpen = status !== 'answered'
    return {
      question: text,
      status,
      statements,
      ...(isOpen && missing !== undefined ? { missing } : {}),
      lookAt: isOpen ? distinctFiles([...(statements.length === 0 ? others : []), ...missingFiles]).slice(0, FILES_MAX) : [],
    }
  })
}

type PlaceToLook = QuestionAnswer['lookAt'][number]

/** What was found on the way and answers nothing by itself. */
function placeFound({ citations, description }: Finding): readonly PlaceToLook[] {
  const cited = citations.find(isVerified)
  return cited ? [{ file: cited.file, why: description }] : []
}

function distinctFiles(places: readonly PlaceToLook[]): readonly PlaceToLook[] {
  return places.filter(({ file }, index) => places.findIndex((each) => each.file === file) === index)
}

const FILES_MAX = 5
const PLACES_MAX = 3

function statementOf(finding: Finding, question: string): AnswerStatement {
  const { id, description, sourceAgents, judgements = [] } = finding
  const judged = judgements.find((each) => each.question === question && each.verdict === 'supports')
  return {
    finding: id,
    statement: description,
    standing: judged ? 'verified' : 'claimed',
    ...(judged ? { judgedBy: judged.by, reason: judged.reason } : {}),
    agents: sourceAgents,
    places: placesOf(finding),
  }
}

function placesOf({ citations, passages = [] }: Finding): readonly AnswerPlace[] {
  const good = citations.filter(isVerified)
  const distinct = good.filter(
    ({ file, line }, index) => good.findIndex((each) => each.file === file && each.line === line) === index,
  )
  return distinct.slice(0, PLACES_MAX).map(({ file, line, snippet }) => {
    const passage = passages.find((each) => each.file === file && each.line === line)
    return passage
      ? shownPlace(passage)
      : { file, line, from: line, lines: snippet === '' ? [] : snippet.split('\n').slice(0, LINES_MAX) }
  })
}

const LINES_MAX = 10
const LINES_BEFORE = 3

/** At most ten lines, the cited one among them. */
function shownPlace({ file, line, from, lines }: Passage): AnswerPlace {
  if (lines.length <= LINES_MAX) return { file, line, from, lines }
  const start = Math.max(0, Math.min(line - from - LINES_BEFORE, lines.length - LINES_MAX))
  return { file, line, from: from + start, lines: lines.slice(start, start + LINES_MAX) }
}
