import type { Failure, ReviewSeverity } from '../../../core/failure.ts'

/** What a reviewer's text asks for, point by point: its list items, else its paragraphs. */
export function reviewIssues(feedback: string): readonly Failure[] {
  const points = pointsOf(feedback)
  const messages = points.length === 0 ? ['Rejected without a word on why.'] : points.slice(0, POINTS_MAX)
  return messages.map((message) => ({
    id: 'review',
    kind: 'review',
    severity: severityOf(message),
    message,
    ...placeIn(message),
  }))
}

const POINTS_MAX = 50
const ITEM = /^\s*(?:[-*+•]|\d+[.)])\s+/

function pointsOf(feedback: string): readonly string[] {
  const points: string[] = []
  let isOpen = false
  for (const line of feedback.split(/\r?\n/)) {
    const text = line.replace(ITEM, '').trim()
    const goesOn = isOpen && !ITEM.test(line)
    if (text !== '' && goesOn) points.push(`${points.pop() ?? ''} ${text}`)
    else if (text !== '') points.push(text)
    isOpen = text !== ''
  }
  return points
}

/** Only a word that the reviewer puts first, or in brackets, says how much a point weighs. */
function severityOf(point: string): ReviewSeverity {
  const mark = /^[[(*]*(\w+)[\])*]*\s*[:\]-]/.exec(point)?.[1]?.toLowerCase() ?? ''
  return WEIGHTS[mark] ?? (/\bsecur|\bvulnerab|\binjection\b/i.test(point) ? 'security' : 'major')
}

const WEIGHTS: Readonly<Record<string, ReviewSeverity>> = {
  security: 'security',
  critical: 'critical',
  blocker: 'critical',
  major: 'major',
  minor: 'minor',
  nit: 'minor',
  style: 'minor',
}

function placeIn(point: string): Pick<Failure, 'file' | 'line'> {
  const [, file, line] = /(?:^|[\s(`])([\w@./-]+\.\w+):(\d+)/.exec(point) ?? []
  return file === undefined ? {} : { file, line: Number(line) }
}
