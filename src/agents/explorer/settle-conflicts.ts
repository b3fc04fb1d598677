import type { AnswerResolution } from '../../loops/research/agent-answer.ts'
import type { CitedPlace } from '../../loops/research/finding.ts'
import type { RequestGap } from '../../loops/research/research-request.ts'
import type { Look } from './look.ts'

/**
 * Looks at the evidence of both sides of each conflict. Only what the cited lines themselves say decides: the side whose value stands there
 * holds, and both where each stands in a file of its own. Otherwise nothing is decided, and that is said.
 */
export async function settledConflicts(look: Look): Promise<readonly AnswerResolution[]> {
  const resolutions: AnswerResolution[] = []
  for (const gap of look.request.gaps) {
    const resolution = gap.conflict === undefined ? undefined : await settled(look, gap, gap.conflict)
    if (resolution) resolutions.push(resolution)
  }
  return resolutions
}

interface Side {
  readonly finding: string
  readonly shown: readonly CitedPlace[]
}

async function settled(look: Look, { sides = [], area }: RequestGap, conflict: string): Promise<AnswerResolution | undefined> {
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

/** The citations of a finding that stand as quoted and have the value in them. */
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
