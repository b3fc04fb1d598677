import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import { linesMentioning } from './lines-mentioning.ts'
import { listed } from './listed.ts'
import type { Look } from './look.ts'

/** Texts in a question that no name can be, `Content-Length` or what stands in quotes: they are looked for as they are written. */
export function literalsIn(text: string): readonly string[] {
  const headers = text.match(/(?<![\p{L}\p{N}_-])\p{Lu}[\p{L}\p{N}]*(?:-\p{Lu}[\p{L}\p{N}]*)+/gu) ?? []
  const quoted = [...text.matchAll(/["“`]([^"”`\n]{3,80})["”`]/g)].map((match) => match[1] ?? '')
  return [...new Set([...headers, ...quoted.filter((each) => /[\s/:.-]/.test(each))])]
}

/** The lines in which such a text stands, source before tests and documents. */
export async function literalFindings(look: Look, files: readonly string[]): Promise<readonly AnswerFinding[]> {
  const literals = literalsIn(look.request.question)
  if (literals.length === 0) return []
  const lines = await linesMentioning(look, files)
  const findings: AnswerFinding[] = []
  for (const literal of literals) {
    const places = lines.filter(({ text }) => text.toLowerCase().includes(literal.toLowerCase()))
    // In quotes it is at work, elsewhere it may only be spoken of; and one line of each file comes before many of one.
    const isQuoted = (text: string): boolean => /["'`]/.test(text[text.toLowerCase().indexOf(literal.toLowerCase()) - 1] ?? '')
    const ranked = places.toSorted(
      (one, other) =>
        rankOf(look, one.file) - rankOf(look, other.file) || Number(isQuoted(other.text)) - Number(isQuoted(one.text)),
    )
    const first = [...Map.groupBy(ranked, ({ file }) => file).values()].flatMap(([place]) => place ?? [])
    const citations = await look.citeAll([...first, ...ranked.filter((place) => !first.includes(place))])
    if (citations.length === 0) continue
    findings.push({
      description: `"${literal}" stands in ${listed([...new Set(citations.map(({ file }) => file))])}.`,
      impact: 'critical',
      category: 'location',
      evidence: 'direct',
      citations,
      claims: [{ subject: literal, attribute: 'is written', value: 'yes' }],
    })
  }
  return findings
}

function rankOf({ index }: Look, file: string): number {
  if (index.languageOf(file) === undefined) return 2
  return index.isTest(file) ? 1 : 0
}
