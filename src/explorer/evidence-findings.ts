import type { AnswerFinding, AnswerResolution } from '../loops/research/answer.ts'
import type { CitedPlace } from '../loops/research/finding.ts'
import type { RequestFinding, RequestGap } from '../loops/research/prompts.ts'
import { significantWords } from '../loops/research/terms.ts'
import type { Look } from './look.ts'
import { namesIn } from './subjects.ts'

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
      const reason = 'Each value stands in a file of its own, and holds there.'
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
