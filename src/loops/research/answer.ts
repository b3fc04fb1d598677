import {
  ANYTHING,
  emptyAs,
  fitting,
  fittingKind,
  listOf,
  looseMap,
  notBlank,
  oneOf,
  optional,
  optionalOrEmpty,
  readAs,
  SHARE_FROM_0,
  WORDS,
  wholeNumber,
} from '../../schema/kinds.ts'
import { isJsonObject } from '../../core/json.ts'
import { safeText } from '../../core/safe-text.ts'
import type { SettingsSchema } from '../../schema/read-options.ts'
import { mismatchesIn, mismatchWords } from '../../schema/read-value.ts'
import type { CitedPlace, Claim, EvidenceKind, Impact, JudgeWord } from './finding.ts'
import type { ContextIndicator, QuestionKind, QuestionStatus } from './rules.ts'

/** What an agent answers with: one JSON object of this shape. `readAgentAnswer` validates it. */
export interface AgentAnswer {
  readonly findings: readonly AnswerFinding[]
  /** Paths of the files it read. */
  readonly files: readonly string[]
  /** How far the questions are answered, by their ids. */
  readonly questions: readonly AnswerQuestion[]
  /** What it saw that it does not know: how parts interact, how data flows. */
  readonly unknowns: readonly AnswerUnknown[]
  /** How conflicts end that it was asked to settle. */
  readonly resolutions: readonly AnswerResolution[]
  readonly uncertainties: readonly AnswerUncertainty[]
}

export interface AnswerFinding {
  readonly description: string
  readonly impact: Impact
  readonly category: string
  readonly citations: readonly CitedPlace[]
  readonly evidence?: EvidenceKind
  readonly confidence?: number
  readonly claims?: readonly Claim[]
  /** Ids of the questions it answers. */
  readonly answers?: readonly string[]
}

export interface AnswerQuestion {
  readonly id: string
  readonly status: QuestionStatus
  readonly missing?: string
}

export interface AnswerUnknown {
  readonly indicator: ContextIndicator
  readonly area: string
}

export interface AnswerResolution {
  readonly conflict: string
  /** The id of the finding that holds, `both` or `neither`. */
  readonly keep: string
  readonly reason: string
  readonly citations: readonly CitedPlace[]
}

export interface AnswerUncertainty {
  readonly area: string
  readonly reason: string
}

/** How many questions a prompt gives. */
export const QUESTIONS_MAX = 20

/** A question that an agent reads out of the prompt. */
export interface ProposedQuestion {
  readonly text: string
  readonly kind: QuestionKind
  readonly isCritical: boolean
}

/** What a judge says of two findings in free words. */
export interface JudgeVerdict {
  /** The nomination's id. */
  readonly pair: string
  readonly verdict: 'contradiction' | 'no contradiction'
  readonly reason: string
}

/** What a judge says of statements and the lines that are cited for them. */
export interface JudgeAnswer {
  readonly judgements: readonly { readonly id: string; readonly verdict: JudgeWord; readonly reason: string }[]
  /** Lines that it wants to see before it says something of a statement; asked for once. */
  readonly more: readonly { readonly id: string; readonly file: string; readonly line: number }[]
}

/** What became of reading an answer: the answer, or all that is wrong with it, each with its place. */
export type ReadAnswer<Answer> =
  | { readonly status: 'read'; readonly answer: Answer }
  | { readonly status: 'refused'; readonly errors: readonly string[] }

type Kind = SettingsSchema['entries'][string]

function choice(...words: readonly string[]): Kind {
  return oneOf(words, `one of ${words.join(', ')}`)
}

/** A text that is not blank, cut to `lengthMax`. */
function text(lengthMax = TEXT_LENGTH_MAX): Kind {
  return readAs(notBlank('a text'), (value) => cut(value, lengthMax))
}

const PATH_LENGTH_MAX = 500

/** A path stays as it is: it is looked for in the codebase. */
const PATH: Kind = readAs(notBlank('a text'), (value) => String(value).trim().slice(0, PATH_LENGTH_MAX).toWellFormed())

/** The same, where it may be missing or blank. */
function optionalText(lengthMax = TEXT_LENGTH_MAX): Kind {
  return optionalOrEmpty(readAs(fitting('a text', isPlain), (value) => cut(value, lengthMax) || undefined))
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isPlainText(value: unknown): boolean {
  return isPlain(value) && String(value).trim() !== ''
}

function cut(value: unknown, lengthMax: number): string {
  return safeText(String(value)).trim().slice(0, lengthMax).toWellFormed()
}

/** Fields that nobody asked for are left out, and so are those that say nothing. */
function object(entries: Readonly<Record<string, Kind>>): Kind {
  return readAs(looseMap('an object', entries), (fields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)),
  )
}

function list(item: Kind, lengthMax = LIST_LENGTH_MAX): Kind {
  return fittingKind(`a list of at most ${lengthMax} entries`, listOf('a list', item), ({ length }) => length <= lengthMax)
}

function optionalList(item: Kind, lengthMax?: number): Kind {
  return emptyAs(list(item, lengthMax), [])
}

/** Texts that are longer are cut; they are whole in the agent's output. */
const TEXT_LENGTH_MAX = 1000
const NAME_LENGTH_MAX = 100
const SHORT_LENGTH_MAX = 500
/** How much of a quoted snippet is kept: if the whole is in the file, its beginning is too. */
const SNIPPET_LENGTH_MAX = 400
const LIST_LENGTH_MAX = 200

const CITATION = object({
  file: PATH,
  line: wholeNumber(1),
  // Kept as it is, indentation too: it is compared with a file.
  snippet: readAs(emptyAs(WORDS, ''), (snippet) => cutSnippet(String(snippet).toWellFormed(), SNIPPET_LENGTH_MAX)),
})

/** A citation that can't be read costs that citation, and the answer says so; the others count. */
const CITATIONS = readAs(list(ANYTHING, 50), (given): ReadCitations => {
  const entries = (given as readonly unknown[]).map((each) => mismatchesIn(CITATION, citationFrom(each)))
  return {
    citations: entries.flatMap(({ output, mismatches }) => (mismatches.length === 0 ? [output as CitedPlace] : [])),
    unread: entries.flatMap(({ mismatches }) => (mismatches[0] ? [mismatchWords(mismatches[0])] : [])),
  }
})

interface ReadCitations {
  readonly citations: readonly CitedPlace[]
  readonly unread: readonly string[]
}

/** `path:line`, `path:line-line` and `path:line: words` are citations too. */
function citationFrom(given: unknown): unknown {
  if (isJsonObject(given) && typeof given['line'] === 'string' && /^\d+$/.test(given['line']))
    return { ...given, line: Number(given['line']) }
  if (typeof given !== 'string') return given
  const [, file, line, snippet = ''] = /^\s*(.+?):(\d+)(?:-\d+)?(?::\s*([^]*))?$/.exec(given) ?? []
  return file === undefined ? { file: given } : { file, line: Number(line), snippet }
}

const CLAIM = object({
  subject: text(NAME_LENGTH_MAX),
  attribute: text(NAME_LENGTH_MAX),
  value: readAs(fitting('a text', isPlainText), (value) => cut(value, TEXT_LENGTH_MAX)),
  unit: optionalText(NAME_LENGTH_MAX),
  polarity: optionalOrEmpty(choice('positive', 'negative')),
  scope: optionalText(NAME_LENGTH_MAX),
})

const FINDING = readAs(
  object({
    claims: optionalList(CLAIM, 20),
    answers: optionalList(text()),
    description: text(),
    impact: optional(choice('critical', 'important', 'informational')),
    category: optionalText(NAME_LENGTH_MAX),
    citations: CITATIONS,
    evidence: optional(choice('direct', 'supporting', 'inferred')),
    confidence: optional(SHARE_FROM_0),
  }),
  (given) => {
    const {
      claims,
      answers,
      citations: cited,
      ...finding
    } = given as Required<Omit<AnswerFinding, 'citations'>> & {
      readonly citations: ReadCitations
    }
    return {
      ...finding,
      ...cited,
      impact: finding.impact ?? 'informational',
      category: finding.category ?? 'general',
      ...(claims.length === 0 ? {} : { claims }),
      ...(answers.length === 0 ? {} : { answers }),
    }
  },
)

const RESOLUTION = readAs(object({ conflict: text(), keep: text(), reason: text(), citations: CITATIONS }), (given) => {
  const { citations: cited, ...resolution } = given as Omit<AnswerResolution, 'citations'> & { readonly citations: ReadCitations }
  return { ...resolution, citations: cited.citations }
})

const ANSWER = object({
  findings: list(FINDING, 1000),
  files: optionalList(PATH, 2000),
  questions: optionalList(object({ id: text(), status: choice('answered', 'partly', 'not'), missing: optionalText() })),
  unknowns: optionalList(
    object({
      indicator: choice(
        'component_interaction_unknown',
        'data_flow_not_traced',
        'integration_points_missing',
        'dependency_graph_incomplete',
      ),
      area: text(),
    }),
  ),
  resolutions: optionalList(RESOLUTION),
  uncertainties: optionalList(object({ area: text(), reason: text() })),
})

const QUESTIONS = object({
  questions: list(
    readAs(
      object({
        text: text(SHORT_LENGTH_MAX),
        kind: choice('feasibility', 'architecture', 'location', 'rationale'),
        critical: optional(ANYTHING),
      }),
      (given) => {
        const { critical, ...question } = given as Omit<ProposedQuestion, 'isCritical'> & { readonly critical?: unknown }
        return { ...question, isCritical: critical !== false }
      },
    ),
    QUESTIONS_MAX,
  ),
})

const VERDICTS = object({
  verdicts: list(
    object({
      pair: text(SHORT_LENGTH_MAX),
      verdict: choice('contradiction', 'no contradiction'),
      reason: text(SHORT_LENGTH_MAX),
    }),
  ),
})

const JUDGEMENTS = object({
  judgements: list(
    object({
      id: text(NAME_LENGTH_MAX),
      verdict: choice('supports', 'contradicts', 'unrelated'),
      reason: emptyAs(text(SHORT_LENGTH_MAX), 'no reason was given'),
    }),
  ),
  more: optionalList(object({ id: text(NAME_LENGTH_MAX), file: PATH, line: wholeNumber(1) }), 20),
})

/** Validates what an agent answered. Fields that nobody asked for are ignored; words like "all done" mean nothing. */
export function readAgentAnswer(value: unknown): ReadAnswer<AgentAnswer> {
  type Read = Omit<AgentAnswer, 'findings'> & { readonly findings: readonly (AnswerFinding & Pick<ReadCitations, 'unread'>)[] }
  const given = read<Read>(ANSWER, value)
  if (given.status === 'refused') return given
  const { findings, uncertainties, ...rest } = given.answer
  const lost = findings.flatMap(({ description, unread }) =>
    unread.map((reason) => ({ area: description, reason: `a citation could not be read: ${reason}` })),
  )
  const answer = {
    ...rest,
    findings: findings.map(({ unread: _told, ...finding }) => finding),
    uncertainties: [...uncertainties, ...lost].slice(0, LIST_LENGTH_MAX),
  }
  return { status: 'read', answer }
}

/** Validates `{"judgements": [{"id", "verdict", "reason"}], "more": [{"id", "file", "line"}]}`. */
export function readJudgeAnswer(value: unknown): ReadAnswer<JudgeAnswer> {
  return read<JudgeAnswer>(JUDGEMENTS, value)
}

/** Validates `{"questions": [{"text", "kind", "critical"}]}`; at least one. */
export function readProposedQuestions(value: unknown): ReadAnswer<readonly ProposedQuestion[]> {
  const given = read<{ readonly questions: readonly ProposedQuestion[] }>(QUESTIONS, value)
  if (given.status === 'refused') return given
  const { questions } = given.answer
  if (questions.length === 0) return { status: 'refused', errors: ['questions must have at least one entry'] }
  return { status: 'read', answer: questions }
}

/** Validates `{"verdicts": [{"pair", "verdict", "reason"}]}`. */
export function readJudgeVerdicts(value: unknown): ReadAnswer<readonly JudgeVerdict[]> {
  const given = read<{ readonly verdicts: readonly JudgeVerdict[] }>(VERDICTS, value)
  return given.status === 'refused' ? given : { status: 'read', answer: given.answer.verdicts }
}

function read<Answer>(schema: Kind, value: unknown): ReadAnswer<Answer> {
  const { output, mismatches } = mismatchesIn(schema, value)
  if (mismatches.length === 0) return { status: 'read', answer: output as Answer }
  const errors = mismatches.map(mismatchWords)
  return { status: 'refused', errors: errors.slice(0, ERRORS_MAX) }
}

/** How many errors are reported: an agent fixes the first ones, and most of the others with them. */
const ERRORS_MAX = 20

/**
 * The beginning of a quoted text, cut between two words: half a word is in no file, and the quotation would be refuted. A single
 * word that is too long by itself is cut where it must be.
 */
export function cutSnippet(snippet: string, lengthMax: number): string {
  if (snippet.length <= lengthMax) return snippet
  const start = snippet.slice(0, lengthMax)
  const isBetween = !WORD.test(start.at(-1) ?? '') || !WORD.test(snippet[lengthMax] ?? '')
  const whole = isBetween ? start : start.replace(/[\p{L}\p{N}_]+$/u, '')
  return whole.trim() === '' ? start : whole.trimEnd()
}

const WORD = /[\p{L}\p{N}_]/u
