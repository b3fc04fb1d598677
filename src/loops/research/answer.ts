import type { CitedPlace, Claim, EvidenceKind, Impact } from './finding.ts'
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

/** How many findings one answer may have. */
const ANSWER_FINDINGS_MAX = 1000

/** How long a text of an answer may be; what is longer is cut, and stands whole in the agent's output. */
const ANSWER_TEXT_LENGTH_MAX = 1000

/** How much of a quoted snippet is kept: its beginning stands where the whole stands. */
const SNIPPET_LENGTH_MAX = 400

/** Reads values out of JSON that a stranger wrote: what is wrong is noted with its place, and reading goes on. */
export interface AnswerReader {
  readonly errors: readonly string[]
  object(value: unknown, place: string): Readonly<Record<string, unknown>>
  /** A list; missing counts as empty where `isOptional`. Longer ones are an error. */
  list<Item>(
    value: unknown,
    place: string,
    read: (item: unknown, place: string) => Item,
    options?: { readonly isOptional?: boolean; readonly lengthMax?: number },
  ): readonly Item[]
  /** A text that is not blank, cut to `lengthMax`. */
  text(value: unknown, place: string, lengthMax?: number): string
  /** The same, where it may be missing or blank. */
  optionalText(value: unknown, place: string, lengthMax?: number): string | undefined
  oneOf<Choice extends string>(value: unknown, place: string, choices: readonly Choice[]): Choice
  wholeNumber(value: unknown, place: string): number
  share(value: unknown, place: string): number
  fail(message: string): void
}

/** A reader with no errors yet. It keeps at most `ERRORS_MAX`. */
function answerReader(textLengthMax: number): AnswerReader {
  const errors: string[] = []
  const fail = (message: string): void => {
    if (errors.length < ERRORS_MAX) errors.push(message)
  }
  const wrong = (place: string, wanted: string, value: unknown): void => fail(`${place} must be ${wanted}, not ${shown(value)}`)
  return {
    errors,
    fail,
    object(value, place) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
      wrong(place, 'an object', value)
      return {}
    },
    list(value, place, read, { isOptional = false, lengthMax = LIST_LENGTH_MAX } = {}) {
      if ((value === undefined || value === null) && isOptional) return []
      if (!Array.isArray(value)) {
        wrong(place, 'a list', value)
        return []
      }
      if (value.length > lengthMax) fail(`${place} has ${value.length} entries, at most ${lengthMax} are taken`)
      return value.slice(0, lengthMax).map((item: unknown, index) => read(item, `${place}[${index}]`))
    },
    text(value, place, lengthMax = textLengthMax) {
      if (typeof value === 'string' && value.trim() !== '') return cut(value, lengthMax)
      wrong(place, 'a text', value)
      return ''
    },
    optionalText(value, place, lengthMax = textLengthMax) {
      if (value === undefined || value === null || value === '') return undefined
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        return cut(String(value), lengthMax)
      wrong(place, 'a text', value)
      return undefined
    },
    oneOf(value, place, choices) {
      const found = choices.find((choice) => choice === value)
      if (found !== undefined) return found
      wrong(place, `one of ${choices.join(', ')}`, value)
      return choices[0] as (typeof choices)[number]
    },
    wholeNumber(value, place) {
      if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
      wrong(place, 'a whole number of at least 1', value)
      return 1
    },
    share(value, place) {
      if (typeof value === 'number' && value >= 0 && value <= 1) return value
      wrong(place, 'a number from 0 to 1', value)
      return 0
    },
  }
}

/** How many errors are told: an agent mends the first ones, and most of the others with them. */
const ERRORS_MAX = 20
const LIST_LENGTH_MAX = 200

function cut(value: string, lengthMax: number): string {
  return value.trim().slice(0, lengthMax).toWellFormed()
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = JSON.stringify(value) ?? typeof value
  return text.length <= 60 ? text : `${text.slice(0, 60).toWellFormed()}…`
}

/**
 * The beginning of a quoted text, cut between two words: half a word does not stand in a file, and the quotation would be refuted. A single
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

/** A question that an agent reads out of the prompt. */
export interface ProposedQuestion {
  readonly text: string
  readonly kind: QuestionKind
  readonly isCritical: boolean
}

/** Validates `{"questions": [{"text", "kind", "critical"}]}`; at least one. */
export function readProposedQuestions(value: unknown): ReadAnswer<readonly ProposedQuestion[]> {
  const reader = answerReader(TEXT_LENGTH_MAX)
  const answer = reader.list(
    reader.object(value, 'the answer')['questions'],
    'questions',
    (item, place) => {
      const { text, kind, critical } = reader.object(item, place)
      return {
        text: reader.text(text, `${place}.text`),
        kind: reader.oneOf(kind, `${place}.kind`, ['feasibility', 'architecture', 'location', 'rationale']),
        isCritical: critical !== false,
      }
    },
    { lengthMax: QUESTIONS_MAX },
  )
  if (answer.length === 0) reader.fail('questions must have at least one entry')
  return reader.errors.length === 0 ? { status: 'read', answer } : { status: 'refused', errors: reader.errors }
}

const TEXT_LENGTH_MAX = 500

/** What a judge says of two findings in free words. */
export interface JudgeVerdict {
  /** The nomination's id. */
  readonly pair: string
  readonly verdict: 'contradiction' | 'no contradiction'
  readonly reason: string
}

/** Validates `{"verdicts": [{"pair", "verdict", "reason"}]}`. */
export function readJudgeVerdicts(value: unknown): ReadAnswer<readonly JudgeVerdict[]> {
  const reader = answerReader(VERDICT_LENGTH_MAX)
  const answer = reader.list(reader.object(value, 'the answer')['verdicts'], 'verdicts', (item, place) => {
    const { pair, verdict, reason } = reader.object(item, place)
    return {
      pair: reader.text(pair, `${place}.pair`),
      verdict: reader.oneOf(verdict, `${place}.verdict`, ['contradiction', 'no contradiction'] as const),
      reason: reader.text(reason, `${place}.reason`),
    }
  })
  return reader.errors.length === 0 ? { status: 'read', answer } : { status: 'refused', errors: reader.errors }
}

const VERDICT_LENGTH_MAX = 500

/** What became of reading an answer: the answer, or all that is wrong with it, each with its place. */
export type ReadAnswer<Answer> =
  | { readonly status: 'read'; readonly answer: Answer }
  | { readonly status: 'refused'; readonly errors: readonly string[] }

/** Validates what an agent answered. Fields that nobody asked for are ignored; words like "all done" mean nothing. */
export function readAgentAnswer(value: unknown): ReadAnswer<AgentAnswer> {
  const reader = answerReader(ANSWER_TEXT_LENGTH_MAX)
  const whole = reader.object(value, 'the answer')
  const isOptional = true
  const answer: AgentAnswer = {
    findings: reader.list(whole['findings'], 'findings', (item, place) => findingFrom(reader, item, place), {
      lengthMax: ANSWER_FINDINGS_MAX,
    }),
    files: reader.list(whole['files'], 'files', (item, place) => reader.text(item, place, PATH_LENGTH_MAX), {
      isOptional,
      lengthMax: FILES_MAX,
    }),
    questions: reader.list(
      whole['questions'],
      'questions',
      (item, place) => {
        const { id, status, missing } = reader.object(item, place)
        return {
          id: reader.text(id, `${place}.id`),
          status: reader.oneOf(status, `${place}.status`, ['answered', 'partly', 'not']),
          ...optional('missing', reader.optionalText(missing, `${place}.missing`)),
        }
      },
      { isOptional },
    ),
    unknowns: reader.list(
      whole['unknowns'],
      'unknowns',
      (item, place) => {
        const { indicator, area } = reader.object(item, place)
        return { indicator: reader.oneOf(indicator, `${place}.indicator`, INDICATORS), area: reader.text(area, `${place}.area`) }
      },
      { isOptional },
    ),
    resolutions: reader.list(whole['resolutions'], 'resolutions', (item, place) => resolutionFrom(reader, item, place), {
      isOptional,
    }),
    uncertainties: reader.list(
      whole['uncertainties'],
      'uncertainties',
      (item, place) => {
        const { area, reason } = reader.object(item, place)
        return { area: reader.text(area, `${place}.area`), reason: reader.text(reason, `${place}.reason`) }
      },
      { isOptional },
    ),
  }
  return reader.errors.length === 0 ? { status: 'read', answer } : { status: 'refused', errors: reader.errors }
}

const PATH_LENGTH_MAX = 500
const FILES_MAX = 2000
const CITATIONS_MAX = 50
const CLAIMS_MAX = 20

const INDICATORS = [
  'component_interaction_unknown',
  'data_flow_not_traced',
  'integration_points_missing',
  'dependency_graph_incomplete',
] as const

function findingFrom(reader: AnswerReader, item: unknown, place: string): AnswerFinding {
  const { description, impact, category, citations, evidence, confidence, claims, answers } = reader.object(item, place)
  const isOptional = true
  const read = reader.list(claims, `${place}.claims`, (claim, at) => claimFrom(reader, claim, at), {
    isOptional,
    lengthMax: CLAIMS_MAX,
  })
  const answered = reader.list(answers, `${place}.answers`, (id, at) => reader.text(id, at), { isOptional })
  return {
    description: reader.text(description, `${place}.description`),
    impact:
      impact === undefined
        ? 'informational'
        : reader.oneOf(impact, `${place}.impact`, ['critical', 'important', 'informational']),
    category: reader.optionalText(category, `${place}.category`, NAME_LENGTH_MAX) ?? 'general',
    citations: citationsFrom(reader, citations, `${place}.citations`),
    ...(evidence === undefined
      ? {}
      : { evidence: reader.oneOf(evidence, `${place}.evidence`, ['direct', 'supporting', 'inferred']) }),
    ...(confidence === undefined ? {} : { confidence: reader.share(confidence, `${place}.confidence`) }),
    ...(read.length === 0 ? {} : { claims: read }),
    ...(answered.length === 0 ? {} : { answers: answered }),
  }
}

const NAME_LENGTH_MAX = 100

function citationsFrom(reader: AnswerReader, value: unknown, place: string): readonly CitedPlace[] {
  return reader.list(
    value,
    place,
    (item, at) => {
      const { file, line, snippet } = reader.object(item, at)
      return {
        file: reader.text(file, `${at}.file`, PATH_LENGTH_MAX),
        line: reader.wholeNumber(line, `${at}.line`),
        snippet: snippetFrom(reader, snippet, `${at}.snippet`),
      }
    },
    { lengthMax: CITATIONS_MAX },
  )
}

/** Quoted words are kept as they are, indentation too: they are compared with a file. */
function snippetFrom(reader: AnswerReader, value: unknown, place: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') {
    reader.text(value, place)
    return ''
  }
  return cutSnippet(value.toWellFormed(), SNIPPET_LENGTH_MAX).toWellFormed()
}

function claimFrom(reader: AnswerReader, item: unknown, place: string): Claim {
  const { subject, attribute, value, unit, polarity, scope } = reader.object(item, place)
  const plain = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return {
    subject: reader.text(subject, `${place}.subject`, NAME_LENGTH_MAX),
    attribute: reader.text(attribute, `${place}.attribute`, NAME_LENGTH_MAX),
    value: reader.text(plain, `${place}.value`),
    ...optional('unit', reader.optionalText(unit, `${place}.unit`, NAME_LENGTH_MAX)),
    ...(polarity === undefined || polarity === null
      ? {}
      : { polarity: reader.oneOf(polarity, `${place}.polarity`, ['positive', 'negative']) }),
    ...optional('scope', reader.optionalText(scope, `${place}.scope`, NAME_LENGTH_MAX)),
  }
}

function resolutionFrom(reader: AnswerReader, item: unknown, place: string): AnswerResolution {
  const { conflict, keep, reason, citations } = reader.object(item, place)
  return {
    conflict: reader.text(conflict, `${place}.conflict`),
    keep: reader.text(keep, `${place}.keep`),
    reason: reader.text(reason, `${place}.reason`),
    citations: citationsFrom(reader, citations, `${place}.citations`),
  }
}

function optional<Name extends string>(name: Name, value: string | undefined): { readonly [Key in Name]?: string } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: string }
}
