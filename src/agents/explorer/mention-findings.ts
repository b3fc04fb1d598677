import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import { significantWords } from '../../loops/research/terms.ts'
import type { Declaration } from '../../codebase/codebase.ts'
import { linesMentioning } from './lines-mentioning.ts'
import { listed } from './listed.ts'
import type { Look } from './look.ts'

const PLACES_MAX = 8

/** Where the code speaks of words for which it has no name of its own: lines, source before other text. */
export async function mentionFindings(
  look: Look,
  subjects: readonly Declaration[],
  files: readonly string[],
): Promise<readonly AnswerFinding[]> {
  const named = new Set(subjects.flatMap(({ name }) => significantWords(name)))
  const nameless = [...new Set(look.request.terms.flatMap(significantWords))].filter(
    (word) => !formsIn(look, word).some((form) => named.has(form)),
  )
  if (nameless.length === 0) return []
  const lines = await linesMentioning(
    look,
    files.toSorted((one, other) => rankOf(look, one) - rankOf(look, other)),
  )
  const findings: AnswerFinding[] = []
  for (const word of nameless) {
    const forms = new Set(formsIn(look, word))
    const places = lines.filter(({ text }) => significantWords(text).some((each) => forms.has(each)))
    // One line for each file first: where it is spoken of matters more than how often.
    const first = [...Map.groupBy(places, ({ file }) => file).values()].flatMap(([place]) => place ?? [])
    const citations = await look.citeAll([...first, ...places.filter((place) => !first.includes(place))], PLACES_MAX)
    if (citations.length === 0) continue
    const where = [...new Set(citations.map(({ file }) => file))]
    findings.push({
      description: `\`${word}\` is spoken of in ${listed(where)}; nothing that is declared bears the name.`,
      impact: 'important',
      category: 'location',
      evidence: 'supporting',
      citations,
      claims: [{ subject: word, attribute: 'is spoken of', value: 'yes' }],
    })
  }
  return findings
}

function formsIn({ index }: Look, word: string): readonly string[] {
  return [word, ...index.formsOf(word)]
}

function rankOf({ index }: Look, file: string): number {
  if (index.languageOf(file) === undefined) return 2
  return index.isTest(file) ? 1 : 0
}
