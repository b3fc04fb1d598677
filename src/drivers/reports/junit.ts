import type { ReportParser } from '../../ports/check.ts'
import { JunitReader } from './junit-reader.ts'
import { plainText } from './plain-text.ts'
import { reportBuilder } from './report-builder.ts'

/**
 * JUnit's XML, as nearly every runner can write it. An id is `classname > name`, or the name alone where it has the class in it
 * already; without a class, the names of the suites stand before it. Read as a stream; what stands before, between and after
 * documents is passed over, so DOCTYPE and entities are never read. Several documents are added up.
 */
export const junit: ReportParser = (output) => {
  const text = plainText(output)
  const builder = reportBuilder('junit')
  let at = rootStart(text, 0)
  if (at < 0) return undefined
  let unlisted = 0
  while (at >= 0) {
    const reader = new JunitReader(builder)
    let from = at
    while (from < text.length && !reader.isDone) {
      const end = pieceEnd(text, from, from === at)
      reader.write(text.slice(from, end))
      from = end
    }
    unlisted += reader.end()
    at = rootStart(text, from)
  }
  const counts = builder.counts()
  return builder.report({ hasAllTests: true, counts: { ...counts, failed: counts.failed + unlisted } })
}

/** A root element at the beginning of a line or after the XML declaration; the word alone may stand in any text. */
function rootStart(text: string, from: number): number {
  const root = /<testsuites?(?=[\s/>])/g
  root.lastIndex = from
  for (let match = root.exec(text); match !== null; match = root.exec(text)) {
    let before = match.index - 1
    while (before >= from && (text[before] === ' ' || text[before] === '\t')) before -= 1
    if (before < from || text[before] === '\n' || text[before] === '>') return match.index
  }
  return -1
}

/**
 * Text is read in pieces that end where the document may end, so that what is printed after it is never taken for XML. The root
 * itself may be empty, so it is a piece.
 */
function pieceEnd(text: string, from: number, isRoot: boolean): number {
  const close = isRoot ? from : text.indexOf('</testsuite', from)
  const end = close < 0 ? -1 : text.indexOf('>', close)
  return end < 0 ? text.length : end + 1
}
