import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import type { Declaration } from '../../codebase/codebase.ts'
import type { Ask } from './asks.ts'
import { type ContentWord, isNamed } from './content-words.ts'
import { docComment, type DocLine } from './doc-comment.ts'
import { type ProseLine, proseLines } from './prose-lines.ts'

const REASONS_MAX = 8
const REASON =
  /\b(?:because|so that|since|otherwise|in order to|the reason|therefore|hence|to avoid|instead of|trade-?off|rationale|why)\b/i

/** Places where the authors say why: what they wrote at the thing itself first, then comments and documents that name it and give a reason. */
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

/** What is written at the declaration of the thing that the question names. Without a word that gives a reason it only may be one. */
async function ownReasons({ look, content }: Ask, subjects: readonly Declaration[]): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  for (const subject of subjects.filter(({ name }) => isNamed(content, name))) {
    const doc = await docComment(look, subject)
    const told = `${subject.name} ${doc.map(({ text }) => text).join(' ')}`
    const reason = sentenceFrom(doc)
    // What is written at a thing that only bears the words, and gives no reason, tells nothing.
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

/** How much of what is asked stands around a reason, from 0 to 1; nothing where it is a reason for something else. */
function shareAround(content: readonly ContentWord[], lines: readonly ProseLine[], index: number): number {
  const spoken = textOf(proseAround(lines, index))
  // A name may also stand in the code that the comment is for.
  const code = textOf(lines.slice(index + 1, index + 1 + CODE_LINES).filter(({ isProse }) => !isProse))
  if (content.some(({ isName, isIn }) => isName && !isIn(spoken) && !isIn(code))) return 0
  const count = content.filter(({ isName, isIn }) => isName || isIn(spoken)).length
  // What is said of one word alone may be a reason for anything about it.
  if (content.length === 1) return content.every(({ isIn }) => isIn(lines[index]?.text ?? '')) ? SHARE_OF_ONE : 0
  return count >= WORDS_MIN ? count / content.length : 0
}

/** A sentence of a comment goes over several lines; where code stands between, another one begins. */
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

/** A reason that has fewer words of the question around it is one for something else. */
const WORDS_MIN = 2
/** With this share of them it may be taken for the reason that is asked for; with less it only may have to do with it. */
const SHARE_MIN = 0.75

function bare(snippet: string): string {
  return snippet.replaceAll(/^[\s/*#<!"'-]+|[\s*/>"'-]+$/g, '')
}
