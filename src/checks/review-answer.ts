import type { Failure } from '../core/failure.ts'
import { jsonAnswer } from '../core/json-answer.ts'
import { ANYTHING, byDefault, listOf, looseMap, oneOf, type OutputOf, TEXT, WORDS } from '../schema/kinds.ts'
import { mismatchesIn, mismatchWords } from '../schema/read-value.ts'

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
  const { output, mismatches } = mismatchesIn(ANSWER, answer)
  if (mismatches.length > 0) return unreadable(mismatches.map(mismatchWords).join('; '))
  const { verdict, summary, items } = output
  const failures = items.slice(0, ITEMS_MAX).map((item) => failureOf(item, check))
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

const ITEM = looseMap('an object', {
  severity: oneOf(['security', 'critical', 'major', 'minor']),
  message: TEXT,
  file: ANYTHING,
  line: ANYTHING,
})

const ANSWER = looseMap('an object', {
  verdict: oneOf(['approve', 'reject']),
  summary: byDefault(WORDS, ''),
  items: byDefault(listOf('a list', ITEM), []),
})

/** A failure's message is its id: a reviewer gives nothing else that stays the same. A place that makes no sense is left out. */
function failureOf({ severity, message, file, line }: OutputOf<typeof ITEM>, check: string): Failure {
  const text = message.trim().slice(0, MESSAGE_CHARACTERS_MAX).toWellFormed()
  const hasFile = typeof file === 'string' && file !== ''
  return {
    id: hasFile ? `${check}: ${file}: ${firstLine(text)}` : `${check}: ${firstLine(text)}`,
    kind: 'review',
    severity,
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
