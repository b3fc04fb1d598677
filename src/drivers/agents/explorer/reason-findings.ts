import type { AnswerFinding } from '../../../core/research/agent-answer.ts'
import { significantWords } from '../../../core/research/terms.ts'
import { linesMentioning, type MentioningLine } from './lines-mentioning.ts'
import type { Look } from './look.ts'

const REASONS_MAX = 8
const REASON =
  /\b(?:because|so that|since|otherwise|in order to|the reason|therefore|hence|to avoid|instead of|trade-?off|rationale|why)\b/i
const COMMENT = /^\s*(?:\/\/|\/?\*|#|--|<!--|"""|''')|\/\/|\/\*/

/** Places where the authors say why: comments and documents that speak of the question's words and give a reason. */
export async function reasonFindings(look: Look, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const wanted = wantedWords(look)
  const reasons: { readonly place: MentioningLine; readonly share: number }[] = []
  for (const place of await linesMentioning(look, files)) {
    const isProse = (text: string): boolean => look.index.languageOf(place.file) === undefined || COMMENT.test(text)
    if (!isProse(place.text) || !REASON.test(place.text)) continue
    // A sentence of a comment goes over several lines.
    const around = (await look.lines(place.file)).slice(Math.max(0, place.line - 2), place.line + 1).filter(isProse)
    const spoken = new Set(significantWords(around.join(' ')))
    const count = wanted.filter((forms) => forms.some((form) => spoken.has(form))).length
    if (count >= Math.min(WORDS_MIN, wanted.length)) reasons.push({ place, share: count / wanted.length })
  }
  const findings: AnswerFinding[] = []
  for (const { place, share } of reasons.toSorted((one, other) => other.share - one.share).slice(0, REASONS_MAX)) {
    const citation = await look.cite(place.file, place.line)
    if (!citation) continue
    findings.push({
      description: `${place.file} gives a reason: "${citation.snippet.replaceAll(/^[\s/*#<!-]+|[\s*/>-]+$/g, '')}".`,
      impact: 'important',
      category: 'rationale',
      evidence: share >= SHARE_MIN ? 'direct' : 'inferred',
      citations: [citation],
    })
  }
  return findings
}

/** A reason that has fewer words of the question around it is one for something else. */
const WORDS_MIN = 2
/** With this share of them it may be taken for the reason that is asked for; with less it only may have to do with it. */
const SHARE_MIN = 0.6

function wantedWords({ request, index }: Look): readonly (readonly string[])[] {
  const words = [...new Set(request.terms.flatMap(significantWords))]
  return words.map((word) => [word, ...index.formsOf(word)])
}
