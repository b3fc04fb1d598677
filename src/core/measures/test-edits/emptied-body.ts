import { assertionsIn } from './assertion.ts'
import { indentOf, type TestLine } from './test-lines.ts'

/** The line that shows it, where a test has nothing left to do or leaves before it asserts. */
export function emptiedBody(before: readonly TestLine[], after: readonly TestLine[]): TestLine | undefined {
  return leftEarly(after) ?? nothingLeft(before, after)
}

/** A `return` on the level of the assertions below it, which were there before. */
function leftEarly(after: readonly TestLine[]): TestLine | undefined {
  return after.find((line, index) => {
    if (line.sign !== '+' || line.part !== 'body' || !EARLY_RETURN.test(line.text)) return false
    const kept = assertionsIn(after.slice(index + 1)).filter((each) => !each.isChanged)
    const above = after.slice(0, index).findLast((each) => /\S/.test(each.text))
    const isNested = above !== undefined && above.part === 'body' && indentOf(above.text) < indentOf(line.text)
    return !isNested && kept.some((each) => indentOf(line.text) <= indentOf(each.line.text))
  })
}

const EARLY_RETURN =
  /^\s*(?:if\s*\(?\s*(?:true|True|1)\s*\)?\s*:?\s*)?return(?:\s+(?:true|None|undefined|nil|Promise\.resolve\(\)))?\s*;?\s*$/

/** The heading is followed by its end, and it was not before. */
function nothingLeft(before: readonly TestLine[], after: readonly TestLine[]): TestLine | undefined {
  const lost = before.filter(
    (line) => line.sign === '-' && line.part === 'body' && /\w/.test(line.text) && !NO_BODY.test(line.text),
  )
  const old = before.find((line) => line.part === 'heading')
  const index = after.findIndex((line) => line.part === 'heading')
  const heading = after[index]
  if (!heading || !old) return undefined
  if (heading.sign === '+' && EMPTY_LINE.test(heading.text)) return EMPTY_LINE.test(old.text) ? undefined : heading
  const next = after.slice(index + 1).find((line) => /\S/.test(line.text) && line.part !== 'comment')
  if (lost.length === 0 || !next || !BODY_END.test(next.text)) return undefined
  return indentOf(next.text) <= indentOf(heading.text) || next.text.trim() === 'pass' ? lost[0] : undefined
}

const NO_BODY = /^\s*pass\s*$/
const EMPTY_LINE = /(?:\{\s*\}\s*\)?\s*;?|:\s*(?:pass|\.\.\.))\s*$/
const BODY_END = /^\s*(?:\}\s*\)?[;,]?|\}\s*,\s*[\w\s]*\)?;?|end|pass)\s*$/
