import type { TextRef } from '../../core/event-data.ts'
import type { Author, Fact } from '../../core/event.ts'
import { jsonAnswer } from '../../core/json-answer.ts'
import { readAgentAnswer, type ReadAnswer, readJudgeAnswer, readJudgeVerdicts, readProposedQuestions } from './answer.ts'
import { RELEVANT_FILES_MAX } from './coverage.ts'
import type { CitationCheck, Codebase, CodebaseContext, CodeIndex, Estimate, ReadableCodebase } from '../../codebase/codebase.ts'
import type { AnswerEffect, EvidenceEffect, ExamineEffect } from './events.ts'
import { neededPlaces, readEvidence } from './perform-evidence.ts'
import type { OwnPerformance } from '../../engine/performance.ts'
import { messageOf } from '../../engine/perform-work.ts'

/** Performs the effects of a research loop. */
export const researchPerformers = { answer: performAnswer, examine: performExamine, evidence: performEvidence }

const RUNNER: Author = { role: 'runner' }

/** Reads what an agent answered. Only JSON of the right shape is an answer: nothing else that it says has any effect. */
async function performAnswer(effect: AnswerEffect, { parts, state, post }: OwnPerformance): Promise<void> {
  const { key, work, form, index } = effect
  const record = state.current.work.find((each) => each.key === work)
  const read = async (text: TextRef | undefined) => (text === undefined ? '' : ((await parts.store.getText(text)) ?? ''))
  const texts = [await read(record?.said), await read(record?.output), record?.summary ?? '']
  const value = texts.map(jsonAnswer).find((answer) => answer !== undefined)
  const end = { key, work, form, ...(index === undefined ? {} : { index }) }
  const at = parts.clock.now()
  const answer: ReadAnswer<unknown> = value === undefined ? NO_JSON : READERS[form](value)
  const fact = {
    at,
    by: RUNNER,
    ...(answer.status === 'read'
      ? { type: 'answer.read', data: { ...end, [form]: answer.answer } }
      : { type: 'answer.refused', data: { ...end, errors: answer.errors } }),
  }
  await post([fact as Fact])
}

const READERS = {
  findings: readAgentAnswer,
  questions: readProposedQuestions,
  verdicts: readJudgeVerdicts,
  judgements: readJudgeAnswer,
} as const

const NO_JSON: ReadAnswer<never> = {
  status: 'refused',
  errors: ['there was no JSON object, or not just one, at the end of the answer (of its last 200,000 characters)'],
}

/** Verifies citations and estimates the relevant files. All of it is recorded together, or nothing where it is interrupted. */
async function performExamine(effect: ExamineEffect, performance: OwnPerformance): Promise<void> {
  const { key, iteration, citations, terms } = effect
  await withCodebase(effect, performance, async (codebase, context, at) => {
    const checks = await verified(codebase, citations, context)
    const found = checks.filter(({ check }) => check.status !== 'refuted').map(({ file }) => file)
    const cited = [...new Set([...effect.cited, ...found])]
    const estimate = await codebase.estimate({ terms, cited, filesMax: effect.filesMax, questions: effect.questions }, context)
    const index = await indexOf(codebase, context)
    const needs = index ? await neededPlaces(index, effect.questions, effect.goal) : []
    const facts = checks.map((each): Fact => citationFact(each, codebase, at()))
    const { files, filesTotal, notes = [] } = estimate
    const data = {
      key,
      iteration,
      terms,
      files: files.slice(0, RELEVANT_FILES_MAX).map(shortReasons),
      filesTotal,
      ...(needs.length === 0 ? {} : { needs }),
      ...(notes.length === 0 ? {} : { notes: notes.slice(0, NOTES_MAX) }),
    }
    return [...facts, { type: 'coverage.estimated', at: at(), by: authorOf(codebase), data }]
  })
}

/** Reads the lines that are cited for statements, as they are in the files now. */
async function performEvidence(effect: EvidenceEffect, performance: OwnPerformance): Promise<void> {
  const { key, iteration } = effect
  await withCodebase(effect, performance, async (codebase, context, at) => {
    const data = { key, iteration, ...(await readEvidence(effect, await indexOf(codebase, context))) }
    return [{ type: 'evidence.read', at: at(), by: authorOf(codebase), data }]
  })
}

/** A codebase of the user's own may have no index. */
function indexOf(codebase: Codebase, context: CodebaseContext): Promise<CodeIndex> | undefined {
  return 'index' in codebase ? (codebase as ReadableCodebase).index(context) : undefined
}

/** Posts what was read, all of it together; nothing if it is interrupted. A codebase that can't be read is a problem for a person. */
async function withCodebase(
  { key }: ExamineEffect | EvidenceEffect,
  { parts, signal, post, onProgress }: OwnPerformance,
  read: (codebase: Codebase, context: CodebaseContext, at: () => number) => Promise<readonly Fact[]>,
): Promise<void> {
  const startedAt = parts.clock.now()
  try {
    const { codebase } = parts
    if (!codebase) throw new Error('this run was given no codebase.')
    const context: CodebaseContext = { signal, progress: (line) => onProgress?.({ key, line }) }
    const facts = await read(codebase, context, () => parts.clock.now())
    if (!signal.aborted) await post(facts)
  } catch (error) {
    if (signal.aborted) return
    const at = parts.clock.now()
    const message = `The codebase could not be read: ${messageOf(error)}`
    const data = { key, name: 'codebase', fault: 'environment', message, fix: FIX, durationMs: at - startedAt } as const
    await post([{ type: 'check.errored', at, by: { role: 'check', name: 'codebase' }, data }])
  }
}

const FIX = 'Make sure that the folder exists and can be read, then continue.'
const NOTES_MAX = 20
const REASONS_MAX = 5

interface Checked {
  readonly of: ExamineEffect['citations'][number]['of']
  readonly file: string
  readonly line: number
  readonly check: CitationCheck
}

/** What points outside of the codebase is refuted without looking. */
async function verified(
  codebase: Codebase,
  citations: ExamineEffect['citations'],
  context: CodebaseContext,
): Promise<readonly Checked[]> {
  const places = citations.map((citation) => ({ ...citation, inside: pathInside(citation.file) }))
  const inside = places.flatMap(({ inside: file, line, snippet }) => (file === undefined ? [] : [{ file, line, snippet }]))
  const checks = inside.length === 0 ? [] : await codebase.verify(inside, context)
  if (checks.length !== inside.length)
    throw new Error(
      `${inside.length} citations were to be verified and ${checks.length} answers came; this is a defect of its driver.`,
    )
  const answers = checks.values()
  return places.map(({ of, file, line, inside: path }): Checked => {
    if (path === undefined)
      return { of, file, line, check: { status: 'refuted', note: 'the path leads outside of the codebase' } }
    return { of, file: path, line, check: answers.next().value as CitationCheck }
  })
}

function citationFact({ of, file, line, check }: Checked, codebase: Codebase, at: number): Fact {
  const by = authorOf(codebase)
  if (check.status === 'refuted') return { type: 'citation.refuted', at, by, data: { of, file, line, note: check.note } }
  const note = 'note' in check ? { note: check.note } : {}
  return { type: 'citation.verified', at, by, data: { of, file, line: check.line, status: check.status, ...note } }
}

function shortReasons(file: Estimate['files'][number]): Estimate['files'][number] {
  return { ...file, reasons: file.reasons.slice(0, REASONS_MAX) }
}

function authorOf({ spec }: Codebase): Author {
  return { role: 'check', name: spec.name }
}

/**
 * A path as it is in a codebase: relative, with `/`, without `.` parts. `undefined` for one that leads out of it or is no path at all. A
 * link that leads out is seen only where the file is opened.
 */
function pathInside(path: string): string | undefined {
  const plain = path.replaceAll('\\', '/')
  if (plain.startsWith('/') || /^[a-z]:\//i.test(plain) || plain.includes('\0')) return undefined
  const parts = plain.split('/').filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? undefined : parts.join('/')
}
