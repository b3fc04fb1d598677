import { type Effect, effectKey } from '../../../core/effect.ts'
import { type CheckEnded, FILES_KEPT_MAX, type TextRef } from '../../../core/event-data.ts'
import type { Fact, Instant } from '../../../core/event.ts'
import type { Failure, ReviewSeverity, TestCounts } from '../../../core/failure.ts'
import { diffFiles } from '../../../core/measures/diff-files.ts'
import type { State } from '../../../core/state.ts'
import { checkKey } from '../../shared/checks.ts'
import type { CheckDocument } from './check-document.ts'

/** One iteration as a caller tells it. */
export interface Attempt {
  readonly document: CheckDocument
  readonly at: Instant
  /** Where its texts are kept. */
  readonly output?: TextRef
  readonly diff?: TextRef
}

/** What a test run's output says; nothing where it says nothing of failures. */
export type OutputReader = (output: string) => { readonly failures: readonly Failure[]; readonly counts?: TestCounts }

/** What the outside would have reported for an effect, had it been asked: the document answers in its place. */
export function attemptFacts(effect: Effect, attempt: Attempt, state: State, read: OutputReader): readonly Fact[] {
  const { at } = attempt
  const { key } = effect
  switch (effect.kind) {
    case 'work':
      return [{ type: 'work.finished', at, by: { role: 'agent', name: 'the caller' }, data: { key, durationMs: 0 } }]
    case 'observe':
      return [effect.by === 'person' ? unchanged(key, at, state) : observation(key, effect.iteration, attempt)]
    case 'check':
      return [...testFacts(key, attempt, state, read), ...reviewFacts(attempt, state)]
    default:
      return []
  }
}

/** The look before any work: a caller's workspace is not ours to see. */
export function unchangedLook(at: Instant): Fact {
  const data = { key: effectKey(0, 'observe'), tree: 'iteration-0', snapshot: 'iteration-0', ...NOTHING }
  return { type: 'workspace.observed', at, by: { role: 'workspace' }, data }
}

const NOTHING = { files: [], filesChanged: 0, insertions: 0, deletions: 0 } as const

/** What a person did meanwhile nobody tells; the next attempt does. */
function unchanged(key: string, at: Instant, { tree }: State): Fact {
  const known = tree ?? { tree: '', snapshot: '' }
  return { type: 'workspace.observed', at, by: { role: 'runner' }, data: { key, ...known, ...NOTHING } }
}

/** The tree is known by its changes, else by its iteration. */
function observation(key: string, iteration: number, { at, diff, document }: Attempt): Fact {
  const files = diffFiles(document.iteration_check.diff ?? '')
  const lines = files.flatMap((file) => file.hunks.flatMap((hunk) => hunk.lines))
  const tree = diff ? diff.sha256 : `iteration-${iteration}`
  const data = {
    key,
    tree,
    snapshot: tree,
    files: files.slice(0, FILES_KEPT_MAX).map(({ path, change }) => ({ path, change })),
    filesChanged: files.length,
    insertions: lines.filter(({ sign }) => sign === '+').length,
    deletions: lines.filter(({ sign }) => sign === '-').length,
    ...(diff ? { diff } : {}),
  }
  return { type: 'workspace.observed', at, by: { role: 'workspace' }, data }
}

function testFacts(key: string, { at, document, output }: Attempt, state: State, read: OutputReader): readonly Fact[] {
  const { status, output: text } = document.iteration_check.test_result
  const by = { role: 'check', name: 'tests' } as const
  const { failures, counts } = read(text ?? '')
  const kept = output ? { output } : {}
  if (status === 'error') {
    const message = failures[0]?.message ?? 'the tests could not be run.'
    const data = { key, name: 'tests', fault: 'environment' as const, message, durationMs: 0, ...kept }
    return [{ type: 'check.errored', at, by, data }]
  }
  const ended = { key, name: 'tests', tree: treeOf(state), durationMs: 0, ...kept }
  // What the caller says goes before what the output says: counts that disagree with it are not taken.
  const agrees = counts !== undefined && counts.failed > 0 === (status === 'fail')
  const data: CheckEnded = { ...ended, ...(agrees ? { counts } : {}), failures: [] }
  if (status === 'pass') return [{ type: 'check.passed', at, by, data }]
  const said = failures.length > 0 ? failures : [{ id: 'tests', kind: 'unknown', message: 'The tests failed.' } as const]
  return [{ type: 'check.failed', at, by, data: { ...data, failures: said } }]
}

/** A review that is pending has not said anything; one of work whose tests could not run says nothing about it. */
function reviewFacts({ at, document }: Attempt, state: State): readonly Fact[] {
  const { test_result, review_result } = document.iteration_check
  if (!review_result || review_result.status === 'pending' || test_result.status === 'error') return []
  const feedback = review_result.feedback?.trim() ?? ''
  const isApproved = review_result.status === 'approve'
  const data: CheckEnded = {
    key: checkKey(state, 1),
    name: 'review',
    tree: treeOf(state),
    durationMs: 0,
    failures: isApproved ? [] : reviewIssues(feedback),
    ...(feedback === '' ? {} : { summary: feedback.slice(0, SUMMARY_LENGTH_MAX).toWellFormed() }),
  }
  return [{ type: isApproved ? 'review.approved' : 'review.rejected', at, by: { role: 'check', name: 'review' }, data }]
}

const SUMMARY_LENGTH_MAX = 1000

function treeOf({ tree }: State): string {
  return tree?.tree ?? ''
}

/**
 * What a reviewer's text asks for, point by point: its list items, else its sentences. Praise is no point, and a heading such as
 * `## Critical` says how much the points below it weigh.
 */
export function reviewIssues(feedback: string): readonly Failure[] {
  const points = pointsOf(feedback)
  const found = points.filter(({ text }) => !PRAISE.test(text) || /\b(?:but|except|however|though)\b/i.test(text))
  // A rejection that only praises still has to say something.
  const said = found.length === 0 ? points : found
  const kept = said.length === 0 ? [{ text: 'Rejected without a word on why.' }] : said.slice(0, POINTS_MAX)
  return kept.map(({ text, severity }: Point) => ({
    id: 'review',
    kind: 'review',
    severity: markedSeverity(text) ?? severity ?? (/\bsecur|\bvulnerab|\binjection\b/i.test(text) ? 'security' : 'major'),
    message: text,
    ...placeIn(text),
  }))
}

interface Point {
  readonly text: string
  /** What the heading above it says. */
  readonly severity?: ReviewSeverity | undefined
}

const POINTS_MAX = 50
const ITEM = /^\s*(?:[-*+•]|\d+[.)])\s+/
const HEADING = /^\s*(?:#{1,6}\s+(?<marked>.+?)\s*#*|\*\*(?<bold>[^*]{1,60}?):?\*\*:?|(?<plain>[A-Z][\w ]{0,40}):)\s*$/
/** What is said below such a heading asks for nothing. */
const GOOD = /\b(?:strengths?|positives?|praise|pros|good|well)\b/i
const PRAISE =
  /^(?:overall[,:]? )?(?:(?:(?:this|it|the (?:code|change|work|rest|implementation)|everything else) )?(?:looks?|is|seems?) (?:mostly |very |really )?(?:good|great|fine|nice|ok|okay|solid)|(?:nice|great|good) (?:job|work|start|change)|well done|lgtm|thanks|thank you)\b/i

function pointsOf(feedback: string): readonly Point[] {
  const points: Point[] = []
  let severity: ReviewSeverity | undefined
  let isGood = false
  let open: { lines: string[]; readonly isItem: boolean } | undefined
  const close = (): void => {
    const text = open?.lines.join(' ') ?? ''
    const texts = open?.isItem ? [text] : sentencesOf(text)
    if (open && !isGood) points.push(...texts.map((each) => ({ text: each, severity })))
    open = undefined
  }
  for (const line of feedback.split(/\r?\n/)) {
    const groups = ITEM.test(line) ? undefined : HEADING.exec(line)?.groups
    const heading = groups?.['marked'] ?? groups?.['bold'] ?? groups?.['plain']
    const text = line.replace(ITEM, '').trim()
    if (heading !== undefined || text === '' || ITEM.test(line)) close()
    if (heading !== undefined) {
      severity = headingSeverity(heading)
      isGood = GOOD.test(heading)
    } else if (text !== '') {
      if (open) open.lines.push(text)
      else open = { lines: [text], isItem: ITEM.test(line) }
    }
  }
  close()
  return points
}

/** A sentence that only explains the one before it belongs to it. */
function sentencesOf(text: string): readonly string[] {
  const sentences: string[] = []
  for (const sentence of text.split(/(?<=[.!?])\s+(?=[A-Z`"'])/)) {
    const before = sentences.at(-1)
    if (before !== undefined && CONTINUES.test(sentence) && !PRAISE.test(before))
      sentences[sentences.length - 1] = `${before} ${sentence}`
    else if (sentence !== '') sentences.push(sentence)
  }
  return sentences
}

const CONTINUES =
  /^(?:it|its|this|that|these|those|they|there|otherwise|because|so|then|instead|for example|for instance|see|as a result)\b/i

function headingSeverity(heading: string): ReviewSeverity | undefined {
  const words = heading.toLowerCase().split(/\W+/)
  return words.map((word) => WEIGHTS[word]).find((weight) => weight !== undefined)
}

/** Only a word that the reviewer puts first, or in brackets, says how much a point weighs. */
function markedSeverity(point: string): ReviewSeverity | undefined {
  const mark = /^[[(*]*(\w+)[\])*]*\s*[:\]-]/.exec(point)?.[1]?.toLowerCase() ?? ''
  return WEIGHTS[mark]
}

const WEIGHTS: Readonly<Record<string, ReviewSeverity>> = {
  security: 'security',
  vulnerability: 'security',
  vulnerabilities: 'security',
  critical: 'critical',
  blocker: 'critical',
  blockers: 'critical',
  blocking: 'critical',
  severe: 'critical',
  high: 'critical',
  major: 'major',
  important: 'major',
  medium: 'major',
  moderate: 'major',
  minor: 'minor',
  low: 'minor',
  nit: 'minor',
  nits: 'minor',
  nitpick: 'minor',
  style: 'minor',
  optional: 'minor',
  suggestion: 'minor',
  suggestions: 'minor',
}

function placeIn(point: string): Pick<Failure, 'file' | 'line'> {
  const [, file, line] = /(?:^|[\s(`])([\w@./-]+\.\w+):(\d+)/.exec(point) ?? []
  return file === undefined ? {} : { file, line: Number(line) }
}
