import type { AnswerFinding } from '../loops/research/answer.ts'
import type { Declaration } from '../codebase/codebase.ts'
import { type Ask, type ContentWord, isNamed } from './subjects.ts'
import type { Look } from './look.ts'

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
  for (const subject of subjects.filter(({ name }) => isNamed(content, name))) {
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

const LINES_MAX = 40

export interface DocLine {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** The lines of the comment above a declaration, or of its docstring in Python. */
async function docComment(look: Look, { file, line, lineEnd }: Declaration): Promise<readonly DocLine[]> {
  const lines = await look.lines(file)
  if (look.index.languageOf(file) === 'python') return docString(lines, { file, line, lineEnd })
  const found: DocLine[] = []
  for (let at = line - 1; at > 0 && found.length < LINES_MAX; at--) {
    const text = lines[at - 1] ?? ''
    const isComment = /^\s*(?:\/\/|\/?\*|#(?!\[|include|define|if|endif)|--)/.test(text) || /\*\/\s*$/.test(text)
    // Skip decorators and attributes in between.
    if (!isComment && !/^\s*(?:@\w|#\[|\[\w)/.test(text)) break
    if (isComment) found.unshift({ file, line: at, text })
  }
  return found
}

/** The string that follows the head, which ends with a colon. */
function docString(
  lines: readonly string[],
  { file, line, lineEnd }: Pick<Declaration, 'file' | 'line' | 'lineEnd'>,
): readonly DocLine[] {
  const last = Math.min(lineEnd, line + LINES_MAX)
  const head = lines.slice(line - 1, last).findIndex((text) => /:\s*(?:#.*)?$/.test(text))
  const blank = head === -1 ? -1 : lines.slice(line + head, last).findIndex((text) => text.trim() !== '')
  const first = line + head + blank
  const quotes = /^\s*[rRuU]?("""|''')/.exec(lines[first] ?? '')?.[1]
  if (blank === -1 || quotes === undefined) return []
  const found: DocLine[] = []
  for (let at = first; at < last; at++) {
    const text = lines[at] ?? ''
    found.push({ file, line: at + 1, text })
    const ends = text.split(quotes).length - 1
    if (ends > 1 || (at > first && ends > 0)) break
  }
  return found
}

export interface ProseLine {
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
