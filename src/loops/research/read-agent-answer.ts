import {
  type AgentAnswer,
  ANSWER_FINDINGS_MAX,
  ANSWER_TEXT_LENGTH_MAX,
  type AnswerFinding,
  type AnswerResolution,
  SNIPPET_LENGTH_MAX,
} from './agent-answer.ts'
import { cutSnippet } from './cut-snippet.ts'
import { type AnswerReader, answerReader } from './answer-reader.ts'
import type { CitedPlace, Claim } from './finding.ts'

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
