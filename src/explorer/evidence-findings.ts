import type { AnswerFinding, AnswerResolution } from '../loops/research/answer.ts'
import type { CitedPlace } from '../loops/research/finding.ts'
import type { RequestFinding, RequestGap } from '../loops/research/prompts.ts'
import { significantWords } from '../loops/research/terms.ts'
import type { Look } from './look.ts'
import { type Ask, type ContentWord, namesIn } from './asks.ts'
import { docLines } from '../codebase/doc-comment.ts'
import { languageOf } from '../codebase/languages.ts'
import type { Declaration } from '../codebase/codebase.ts'

const FINDINGS_MAX = 20
const CITATIONS_MAX = 4
const CONFIDENCE_ENOUGH = 0.8
const WORDS_SHARE_MIN = 0.5

/** More evidence for findings with low confidence: the same words again, with lines that show them. */
export async function evidenceFindings(look: Look): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  for (const finding of lowFindings(look).slice(0, FINDINGS_MAX)) {
    const citations = await evidenceFor(look, finding)
    if (citations.length === 0) {
      const isShown = finding.citations.some(({ status }) => status === 'exact' || status === 'drifted')
      if (isShown) continue
      look.uncertainties.push({ area: finding.description, reason: 'No line of the code could be found that shows it.' })
      continue
    }
    const { description, impact, category } = finding
    // A line that shares a statement's words makes it likely, no more.
    findings.push({ description, impact, category, citations, evidence: 'supporting' })
  }
  return findings
}

/** The findings it was sent for, otherwise all with low confidence. */
function lowFindings({ request }: Look): readonly RequestFinding[] {
  const wanted = new Set(request.gaps.flatMap(({ finding }) => finding ?? []))
  if (wanted.size > 0) return request.findings.filter(({ id }) => wanted.has(id))
  return request.findings.filter(({ confidence }) => confidence < CONFIDENCE_ENOUGH)
}

/** Declarations of the names in the finding, and lines in the files it names or cites that share most of its words. */
async function evidenceFor(look: Look, { description, citations }: RequestFinding): Promise<readonly CitedPlace[]> {
  const paths = look.index.files().filter((file) => description.includes(file))
  const names = namesIn(description)
  const declared = names
    .flatMap((name) => look.index.declarationsOf(name))
    .filter(({ file }) => paths.length === 0 || paths.includes(file))
  const cited = citations.map(({ file }) => file)
  const near = [...new Set([...paths, ...cited, ...declared.map(({ file }) => file)])].filter((file) =>
    look.index.files().includes(file),
  )
  const places = [...declared.map(({ file, line }) => ({ file, line })), ...(await likeliestLines(look, near, description))]
  const isKnown = new Set(citations.filter(({ status }) => status !== 'refuted').map(({ file, line }) => `${file}:${line}`))
  const fresh = places.filter(({ file, line }, index) => {
    const isRepeated = places.findIndex((each) => each.file === file && each.line === line) < index
    return !isRepeated && !isKnown.has(`${file}:${line}`)
  })
  return look.citeAll(fresh, CITATIONS_MAX)
}

async function likeliestLines(
  look: Look,
  files: readonly string[],
  description: string,
): Promise<readonly { file: string; line: number }[]> {
  const words = significantWords(description.replaceAll(/\S+\/\S+/g, ' '))
  const scored: { file: string; line: number; score: number }[] = []
  for (const file of files) {
    for (const [index, text] of (await look.lines(file)).entries()) {
      const own = new Set(significantWords(text))
      const score = words.filter((word) => own.has(word)).length / Math.max(words.length, 1)
      if (score >= WORDS_SHARE_MIN) scored.push({ file, line: index + 1, score })
    }
  }
  return scored.toSorted((one, other) => other.score - one.score).slice(0, CITATIONS_MAX)
}

/**
 * Checks the evidence of both sides of each conflict. Only the cited lines decide: the side whose value they contain wins, or
 * both if each value is in a file of its own. Otherwise nothing is decided, and the answer says so.
 */
export async function settleConflicts(look: Look): Promise<readonly AnswerResolution[]> {
  const resolutions: AnswerResolution[] = []
  for (const gap of look.request.gaps) {
    const resolution = gap.conflict === undefined ? undefined : await settle(look, gap, gap.conflict)
    if (resolution) resolutions.push(resolution)
  }
  return resolutions
}

interface Side {
  readonly finding: string
  readonly shown: readonly CitedPlace[]
}

async function settle(look: Look, { sides = [], area }: RequestGap, conflict: string): Promise<AnswerResolution | undefined> {
  const looked: Side[] = []
  for (const { finding, value } of sides) looked.push({ finding, shown: await placesWith(look, finding, value) })
  const standing = looked.filter(({ shown }) => shown.length > 0)
  const [one, other] = standing
  if (one && !other && looked.length === 2) {
    const reason = `The line cited for ${one.finding} has the value in it; no verified line cited for the other side has.`
    return { conflict, keep: one.finding, reason, citations: one.shown }
  }
  if (one && other) {
    const files = new Set(one.shown.map(({ file }) => file))
    if (other.shown.every(({ file }) => !files.has(file))) {
      const reason = 'Each value is in a file of its own and applies there.'
      return { conflict, keep: 'both', reason, citations: [...one.shown, ...other.shown] }
    }
  }
  look.uncertainties.push({ area, reason: `What the cited lines say does not settle ${conflict}.` })
  return undefined
}

/** A finding's citations that are correct and contain the value. */
async function placesWith(look: Look, id: string, value: string): Promise<readonly CitedPlace[]> {
  const citations = look.request.findings.find((finding) => finding.id === id)?.citations ?? []
  const places = citations.filter(
    ({ file, line, snippet }) => typeof file === 'string' && typeof line === 'number' && typeof snippet === 'string',
  )
  const checks = await look.codebase.verify(places, look.context)
  const wanted = new Set(value.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [])
  const found: CitedPlace[] = []
  for (const [index, check] of checks.entries()) {
    const place = places[index]
    if (!place || check.status === 'refuted') continue
    const words = new Set(place.snippet.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [])
    if (wanted.size > 0 && [...wanted].every((word) => words.has(word))) {
      found.push({ file: place.file, line: check.line, snippet: place.snippet })
    }
  }
  return found
}

const REASONS_MAX = 8
const REASON =
  /\b(?:because|so that|since|otherwise|in order to|the reason|therefore|hence|to avoid|instead of|trade-?off|rationale|why)\b/i

/** Where the authors say why: first at the thing itself, then in comments and documents that name it and give a reason. */
export async function reasonFindings(
  ask: Ask,
  subjects: readonly Declaration[],
  files: readonly string[],
): Promise<readonly AnswerFinding[]> {
  const own = await ownReasons(ask, subjects)
  const around = await reasonsAround(ask, [...new Set([...subjects.map(({ file }) => file), ...files])])
  const seen = new Set(own.flatMap(({ citations }) => citations.map(({ file, line }) => `${file}:${line}`)))
  const others = around.filter(({ citations: [first] }) => !seen.has(`${first?.file}:${first?.line}`))
  if (own.length + others.length === 0) {
    const reason = 'No comment and no document that was looked at gives a reason for it.'
    ask.look.uncertainties.push({ area: ask.question?.text ?? ask.look.request.question, reason })
  }
  return [...own, ...others].slice(0, REASONS_MAX)
}

/** Doc comments of the declarations that the question names. Without a word such as "because", one may not be a reason. */
async function ownReasons({ look, content }: Ask, subjects: readonly Declaration[]): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  for (const subject of subjects) {
    const doc = await docComment(look, subject)
    const told = `${subject.name} ${doc.map(({ text }) => text).join(' ')}`
    const reason = sentenceFrom(doc)
    // A doc comment that gives no reason matters only if the question names the thing exactly.
    const isAsked = content.some(({ isName, word }) => isName && word === subject.name)
    const citations = await look.citeAll(reason.length > 0 || !isAsked ? reason : doc, DOC_LINES_MAX)
    if (citations.length === 0) continue
    const quoted = citations.map(({ snippet }) => bare(snippet)).join(' ')
    const isReason = reason.length > 0 && (isAsked || content.length > 1) && shareIn(content, told) >= SHARE_MIN
    findings.push({
      description: `What is written at \`${subject.name}\` in ${subject.file}: "${quoted}".`,
      impact: 'critical',
      category: 'rationale',
      evidence: isReason ? 'direct' : 'inferred',
      citations,
    })
  }
  return findings
}

const DOC_LINES_MAX = 3

/** The lines from the one that gives a reason to the end of its sentence. */
function sentenceFrom(doc: readonly DocLine[]): readonly DocLine[] {
  const first = doc.findIndex(({ text }) => REASON.test(text))
  if (first === -1) return []
  const end = doc.findIndex(({ text }, index) => index >= first && /[.!?][\s*/"']*$|^[\s*/]*$/.test(text))
  return doc.slice(first, end === -1 ? first + DOC_LINES_MAX : end + 1)
}

async function reasonsAround({ look, content }: Ask, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const reasons: { readonly file: string; readonly line: number; readonly share: number }[] = []
  const known = new Set(look.index.files())
  for (const file of files.filter((each) => known.has(each))) {
    const lines = await proseLines(look, file)
    for (const [index, { text, isProse }] of lines.entries()) {
      const share = isProse && REASON.test(text) ? shareAround(content, lines, index) : 0
      if (share > 0) reasons.push({ file, line: index + 1, share })
    }
  }
  const findings: AnswerFinding[] = []
  for (const { file, line, share } of reasons.toSorted((one, other) => other.share - one.share).slice(0, REASONS_MAX)) {
    const citation = await look.cite(file, line)
    if (!citation) continue
    findings.push({
      description: `${file} gives a reason: "${bare(citation.snippet)}".`,
      impact: 'important',
      category: 'rationale',
      evidence: share >= SHARE_MIN ? 'direct' : 'inferred',
      citations: [citation],
    })
  }
  return findings
}

/** The share of the question's words around a reason, from 0 to 1; 0 if it is a reason for something else. */
function shareAround(content: readonly ContentWord[], lines: readonly ProseLine[], index: number): number {
  const spoken = textOf(proseAround(lines, index))
  // The name may also be in the code that the comment is for.
  const code = textOf(lines.slice(index + 1, index + 1 + CODE_LINES).filter(({ isProse }) => !isProse))
  if (content.some(({ isName, isIn }) => isName && !isIn(spoken) && !isIn(code))) return 0
  const count = content.filter(({ isName, isIn }) => isName || isIn(spoken)).length
  // A reason near a single word may be about anything to do with it.
  if (content.length === 1) return content.every(({ isIn }) => isIn(lines[index]?.text ?? '')) ? SHARE_OF_ONE : 0
  return count >= WORDS_MIN ? count / content.length : 0
}

/** A comment's sentence can span several lines; code in between ends it. */
function proseAround(lines: readonly ProseLine[], index: number): readonly ProseLine[] {
  let [first, last] = [index, index]
  while (first > index - LINES_AROUND && lines[first - 1]?.isProse) first--
  while (last < index + LINES_AROUND && lines[last + 1]?.isProse) last++
  return lines.slice(first, last + 1)
}

const LINES_AROUND = 2
const CODE_LINES = 3
const SHARE_OF_ONE = 0.5

function textOf(lines: readonly ProseLine[]): string {
  return lines.map(({ text }) => text).join(' ')
}

function shareIn(content: readonly ContentWord[], text: string): number {
  return content.filter(({ isIn }) => isIn(text)).length / Math.max(content.length, 1)
}

/** A reason with fewer of the question's words around it is about something else. */
const WORDS_MIN = 2
/** From this share on, it counts as the reason in question; below it only may be related. */
const SHARE_MIN = 0.75

function bare(snippet: string): string {
  return snippet.replaceAll(/^[\s/*#<!"'-]+|[\s*/>"'-]+$/g, '')
}

interface DocLine {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** The lines of the comment above a declaration, or of its docstring in Python. */
async function docComment(look: Look, declared: Declaration): Promise<readonly DocLine[]> {
  const { file } = declared
  const lines = await look.lines(file)
  return docLines(lines, declared, languageOf(file)).map((line) => ({ file, line, text: lines[line - 1] ?? '' }))
}

interface ProseLine {
  readonly text: string
  /** Whether it is written for people: a comment, a docstring, a line of a document. */
  readonly isProse: boolean
}

/** A file's lines, each marked as prose or not. In data files only comments are prose. */
async function proseLines(look: Look, file: string): Promise<readonly ProseLine[]> {
  const lines = await look.lines(file)
  const language = look.index.languageOf(file)
  if (language === 'python') return withDocStrings(lines)
  if (language !== undefined) return lines.map((text) => ({ text, isProse: COMMENT.test(text) }))
  if (DATA.test(file)) return lines.map((text) => ({ text, isProse: false }))
  const isDocument = DOCUMENT.test(file)
  return lines.map((text) => ({ text, isProse: isDocument || /^\s*(?:#|\/\/|;|--)/.test(text) }))
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#|--|<!--)|(?<!:)\/\/|\/\*/
const DATA = /\.(?:json\w?|lock|csv|tsv|xml|svg|html?)$/i
const DOCUMENT = /\.(?:mdx?|rst|txt|adoc|org)$|(?:^|\/)[^./]+$/i

/** Three quotes at the start of a line open a docstring, the next three close it. */
function withDocStrings(lines: readonly string[]): readonly ProseLine[] {
  let quotes: string | undefined
  return lines.map((text) => {
    const opening = quotes === undefined ? /^\s*[rRuU]?("""|''')/.exec(text)?.[1] : undefined
    const isProse = quotes !== undefined || opening !== undefined || /^\s*#|\s#\s/.test(text)
    const mark = quotes ?? opening
    if (mark !== undefined) {
      const count = text.split(mark).length - 1
      quotes = (opening === undefined) === (count % 2 === 1) ? undefined : mark
    }
    return { text, isProse }
  })
}
