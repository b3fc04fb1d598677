import { isVerified } from '../loops/research/finding.ts'
import type { ResearchResult } from '../loops/research/index.ts'
import { shortened } from '../core/wording.ts'
import type { Screen } from './layout.ts'

/** What research has come to in short: every question with the findings that answer it, each with a place to look at. */
export function answerLines({ questions, findings }: ResearchResult, { paint, columns }: Screen): readonly string[] {
  const width = Math.max(40, columns - 6)
  return questions.flatMap(({ text, status, findings: ids, missing }) => {
    const found = ids.flatMap((id) => findings.find((finding) => finding.id === id) ?? [])
    const shown = found.slice(0, SHOWN_MAX).flatMap(({ description, citations }) => {
      const place = citations.find(isVerified)
      return [`  - ${shortened(description, width)}`, ...(place ? [paint('dim', `    ${place.file}:${place.line}`)] : [])]
    })
    const more = found.length > SHOWN_MAX ? [`  - and ${found.length - SHOWN_MAX} more`] : []
    const open =
      status === 'answered' || missing === undefined ? [] : [paint('yellow', `  missing: ${shortened(missing, width)}`)]
    return ['', `${paint('bold', text)}  ${paint(STYLE[status], WORDS[status])}`, ...shown, ...more, ...open]
  })
}

const SHOWN_MAX = 6
const WORDS = { answered: 'answered', partly: 'partly answered', not: 'not answered' } as const
const STYLE = { answered: 'green', partly: 'yellow', not: 'red' } as const
