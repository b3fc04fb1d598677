import type { AnswerFinding } from '../../../core/research/agent-answer.ts'
import type { Declaration } from '../../../ports/codebase.ts'
import type { Ask } from './asks.ts'
import { type ContentWord, isNamed } from './content-words.ts'
import { docComment, type DocLine } from './doc-comment.ts'
import { linesMentioning, type MentioningLine } from './lines-mentioning.ts'
import type { Look } from './look.ts'

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
    const isReason = reason.length > 0 && shareIn(content, told) >= SHARE_MIN
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
  const reasons: { readonly place: MentioningLine; readonly share: number }[] = []
  for (const place of await linesMentioning(look, files)) {
    if (!REASON.test(place.text) || !isProse(look, place.file, place.text)) continue
    const share = await shareAround({ look, content }, place)
    if (share > 0) reasons.push({ place, share })
  }
  const findings: AnswerFinding[] = []
  for (const { place, share } of reasons.toSorted((one, other) => other.share - one.share).slice(0, REASONS_MAX)) {
    const citation = await look.cite(place.file, place.line)
    if (!citation) continue
    findings.push({
      description: `${place.file} gives a reason: "${bare(citation.snippet)}".`,
      impact: 'important',
      category: 'rationale',
      evidence: share >= SHARE_MIN ? 'direct' : 'inferred',
      citations: [citation],
    })
  }
  return findings
}

/** How much of what is asked stands around a reason, from 0 to 1; nothing where it is a reason for something else. */
async function shareAround({ look, content }: Pick<Ask, 'look' | 'content'>, place: MentioningLine): Promise<number> {
  // A sentence of a comment goes over several lines.
  const lines = (await look.lines(place.file)).slice(Math.max(0, place.line - 2), place.line + 1)
  // A name may also stand in the code that the comment is for.
  const isWanted = ({ isName, isIn }: ContentWord): boolean => !isName || isIn(lines.join(' '))
  if (!content.every(isWanted)) return 0
  const spoken = lines.filter((text) => isProse(look, place.file, text)).join(' ')
  const count = content.filter(({ isName, isIn }) => isName || isIn(spoken)).length
  // One word alone has to stand in the very line.
  if (content.length === 1 && !content.every(({ isIn }) => isIn(place.text))) return 0
  return count >= Math.min(WORDS_MIN, content.length) ? count / Math.max(content.length, 1) : 0
}

function shareIn(content: readonly ContentWord[], text: string): number {
  return content.filter(({ isIn }) => isIn(text)).length / Math.max(content.length, 1)
}

/** A reason that has fewer words of the question around it is one for something else. */
const WORDS_MIN = 2
/** With this share of them it may be taken for the reason that is asked for; with less it only may have to do with it. */
const SHARE_MIN = 0.75

/** Comments and documents. Data gives no reasons, whatever its keys are called. */
function isProse({ index }: Look, file: string, text: string): boolean {
  if (index.languageOf(file) !== undefined) return COMMENT.test(text)
  if (/\.json\w?$|\.lock$|\.csv$|\.xml$|\.svg$|\.html?$/i.test(file)) return false
  return /\.(?:mdx?|rst|txt|adoc|org)$|(?:^|\/)[^./]+$/i.test(file) || /^\s*(?:#|\/\/|;|--)/.test(text)
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#|--|<!--|"""|''')|(?<!:)\/\/|\/\*/

function bare(snippet: string): string {
  return snippet.replaceAll(/^[\s/*#<!"'-]+|[\s*/>"'-]+$/g, '')
}
