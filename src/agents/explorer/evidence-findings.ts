import type { AnswerFinding } from '../../loops/research/agent-answer.ts'
import type { CitedPlace } from '../../loops/research/finding.ts'
import type { RequestFinding } from '../../loops/research/research-request.ts'
import { significantWords } from '../../loops/research/terms.ts'
import type { Look } from './look.ts'
import { namesIn } from './subjects.ts'

const FINDINGS_MAX = 20
const CITATIONS_MAX = 4
const CONFIDENCE_ENOUGH = 0.8
const WORDS_SHARE_MIN = 0.5

/** More evidence for findings that are not believed enough: the same words again, with places that show them. */
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
    // That a line has the words of a statement makes it likely, no more.
    findings.push({ description, impact, category, citations, evidence: 'supporting' })
  }
  return findings
}

/** Those that it was sent for; without any, all that are low. */
function lowFindings({ request }: Look): readonly RequestFinding[] {
  const wanted = new Set(request.gaps.flatMap(({ finding }) => finding ?? []))
  if (wanted.size > 0) return request.findings.filter(({ id }) => wanted.has(id))
  return request.findings.filter(({ confidence }) => confidence < CONFIDENCE_ENOUGH)
}

/** Declarations and uses of the names it speaks of, and lines of the files it names or cites that share most of its words. */
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
