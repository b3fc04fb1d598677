import type { ReportParser } from '../check.ts'
import { JunitReader } from './junit-reader.ts'
import { reportBuilder } from './report-builder.ts'
import { plainText } from './report-text.ts'

/**
 * JUnit's XML, as nearly every runner can write it. An id is `classname > name`, or the name alone if it has the class in it
 * already; without a class, the names of the suites are before it. Read as a stream; what is before, between and after
 * documents is passed over, so DOCTYPE and entities are never read. Several documents are added up.
 *
 * @part junit
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
      from = reader.isBetweenTests ? readPlainTests(text, end, reader) : end
    }
    unlisted += reader.end()
    at = rootStart(text, from)
  }
  const counts = builder.counts()
  return builder.report({ hasAllTests: true, counts: { ...counts, failed: counts.failed + unlisted } })
}

/** A root element at the beginning of a line or after the XML declaration; the word alone may be in any text. */
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
 * Text is read in pieces that end where the document may end, so that what is printed after it is never taken for XML, and where a
 * test may begin. The root itself may be empty, so it is a piece.
 */
function pieceEnd(text: string, from: number, isRoot: boolean): number {
  const end = isRoot ? />/g : /<\/test(?:case|suites?)\s*>|<testsuite[^<>]*>|\/>/g
  end.lastIndex = from
  return end.exec(text) === null ? text.length : end.lastIndex
}

/**
 * Reads the tests that passed or were skipped without a word, which are most of a report, and those whose failure is not told any
 * more. Gives the place after the last of them.
 */
function readPlainTests(text: string, from: number, reader: JunitReader): number {
  const test = new RegExp(PLAIN_TEST, 'y')
  const batch = new RegExp(PLAIN_BATCH, 'y')
  let end = from
  // Where a batch is not found, the tests that would be in it are read one by one before the next is looked for.
  for (let singlesLeft = 0; ; singlesLeft -= 1) {
    if (singlesLeft <= 0 && reader.namesLeft <= 0) {
      batch.lastIndex = end
      for (; batch.test(text); end = batch.lastIndex) reader.readBatch(BATCH)
      singlesLeft = BATCH
    }
    test.lastIndex = end
    const match = test.exec(text)
    if (match === null || !reader.readPlain(match[1] ?? '', match[2] ?? match[3])) return end
    end = test.lastIndex
  }
}

/** A test whose attributes have a space between them and neither entities nor line ends in them, which only a parser reads right, with at most one element in it. */
const PLAIN_TEST =
  /\s*<testcase((?: [\w:.-]+="[^"<&\t\n]*")*)\s*(?:\/>|>\s*(?:<(skipped)\s*\/>\s*|<(?=(failure|error)\b)\3[^<>]*>[^<]*<\/\3>\s*)?<\/testcase>)/

const BATCH = 50

/** So many tests that passed. */
const PLAIN_BATCH = new RegExp(
  String.raw`(?:\s*<testcase(?: (?!status=|result=)[\w:.-]+="[^"<&\t\n]*")*\s*(?:/>|>\s*</testcase>)){${BATCH}}`,
)
