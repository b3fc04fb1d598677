import type { Failure, ReviewSeverity } from '../core/failure.ts'
import { jsonAnswer } from '../core/json-answer.ts'

export type ReviewAnswer =
  | { readonly verdict: 'approve'; readonly summary: string }
  | { readonly verdict: 'reject'; readonly summary: string; readonly items: readonly Failure[] }
  /** Not a verdict; `problem` tells the reviewer why. */
  | { readonly verdict: 'unreadable'; readonly problem: string }

/**
 * Reads a reviewer's verdict. Only the requested JSON counts, not a text that merely contains the word "approve". An approval that lists
 * a grave problem contradicts itself.
 */
export function reviewAnswer(text: string, check: string): ReviewAnswer {
  const answer = jsonAnswer(text)
  if (!answer) return unreadable('there was no JSON object, or not just one, at the end of the answer')
  const { verdict, summary = '', items = [] } = answer
  if (verdict !== 'approve' && verdict !== 'reject')
    return unreadable(`"verdict" must be "approve" or "reject", not ${JSON.stringify(verdict) ?? 'missing'}`)
  if (typeof summary !== 'string') return unreadable('"summary" must be a text')
  if (!Array.isArray(items)) return unreadable('"items" must be a list')
  const read = items.map((item: unknown, index) => itemFrom(item, index, check))
  const problems = read.filter((item) => typeof item === 'string')
  if (problems.length > 0) return unreadable(problems.join('; '))
  const failures = read.filter((item) => typeof item !== 'string').slice(0, ITEMS_MAX)
  const short = summary.trim().slice(0, SUMMARY_CHARACTERS_MAX).toWellFormed()
  if (verdict === 'approve') {
    const grave = failures.find(({ severity }) => severity === 'security' || severity === 'critical')
    if (grave) return unreadable(`it approves and lists a ${grave.severity} item ("${grave.message}"): only one can be meant`)
    return { verdict, summary: short }
  }
  if (failures.length === 0 && short === '') return unreadable('a rejection must say what is wrong, in "items" or "summary"')
  const own: Failure = { id: check, kind: 'review', severity: 'major', message: short }
  return { verdict, summary: short, items: failures.length === 0 ? [own] : failures }
}

const ITEMS_MAX = 50
const SUMMARY_CHARACTERS_MAX = 1000
const MESSAGE_CHARACTERS_MAX = 1000

const SEVERITIES: readonly ReviewSeverity[] = ['security', 'critical', 'major', 'minor']

/** The item as a failure, or what is wrong with it. Its message is its id: a reviewer gives nothing else that stays the same. */
function itemFrom(item: unknown, index: number, check: string): Failure | string {
  const place = `items[${index}]`
  if (typeof item !== 'object' || item === null) return `${place} must be an object`
  const { severity, message, file, line } = item as Readonly<Record<string, unknown>>
  if (typeof message !== 'string' || message.trim() === '') return `${place}.message must be a text`
  if (!SEVERITIES.includes(severity as ReviewSeverity)) return `${place}.severity must be one of ${SEVERITIES.join(', ')}`
  const text = message.trim().slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed()
  const hasFile = typeof file === 'string' && file !== ''
  return {
    id: hasFile ? `${check}: ${file}: ${firstLine(text)}` : `${check}: ${firstLine(text)}`,
    kind: 'review',
    severity: severity as ReviewSeverity,
    message: text,
    ...(hasFile ? { file } : {}),
    ...(typeof line === 'number' && Number.isInteger(line) && line > 0 ? { line } : {}),
  }
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, 120)
}

function unreadable(problem: string): ReviewAnswer {
  return { verdict: 'unreadable', problem }
}
