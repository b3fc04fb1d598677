import type { AnswerFinding } from '../../../core/research/agent-answer.ts'
import { linesMentioning } from './lines-mentioning.ts'
import type { Look } from './look.ts'

const REASONS_MAX = 8
const REASON =
  /\b(?:because|so that|since|otherwise|in order to|the reason|therefore|hence|to avoid|instead of|trade-?off|rationale|why)\b/i
const COMMENT = /^\s*(?:\/\/|\/?\*|#|--|<!--|"""|''')|\/\/|\/\*/

/** Places where the authors say why: comments and documents that speak of the question's words and give a reason. */
export async function reasonFindings(look: Look, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const findings: AnswerFinding[] = []
  for (const { file, line, text } of await linesMentioning(look, files)) {
    const isProse = look.index.languageOf(file) === undefined || COMMENT.test(text)
    const citation = isProse && REASON.test(text) ? await look.cite(file, line) : undefined
    if (!citation) continue
    findings.push({
      description: `${file} gives a reason: "${citation.snippet.replaceAll(/^[\s/*#<!-]+|[\s*/>-]+$/g, '')}".`,
      impact: 'important',
      category: 'rationale',
      evidence: 'direct',
      citations: [citation],
    })
    if (findings.length >= REASONS_MAX) break
  }
  return findings
}
