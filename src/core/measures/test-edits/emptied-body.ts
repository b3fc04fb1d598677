import { assertionsIn } from './assertion.ts'
import { indentOf, type TestLine } from './test-lines.ts'

/** The line that shows it, where a test has nothing left to do or leaves before it asserts. */
export function emptiedBody(before: readonly TestLine[], after: readonly TestLine[]): TestLine | undefined {
  return leftEarly(after) ?? neverReached(after) ?? swallowed(after) ?? nothingLeft(before, after)
}

/** What is never run, put before what was asserted. */
function neverReached(after: readonly TestLine[]): TestLine | undefined {
  return after.find((line, index) => {
    if (line.sign !== '+' || line.part !== 'body' || !NEVER.test(line.text)) return false
    return assertionsIn(after.slice(index, index + NEVER_LINES_MAX)).length > 0
  })
}

const NEVER =
  /^\s*(?:if\s*\(?\s*(?:false|False|0|!1|not True)\s*(?:\)|:|&&|and\b)|while\s*\(?\s*(?:false|False|0)\s*[):]|for\s*\(?\s*(?:(?:const|let|var)\s+)?\w+\s+(?:of|in)\s+(?:\[\]|\(\)|range\(0\))\s*[):])/
const NEVER_LINES_MAX = 5

/** Assertions whose failure is caught and passed over. */
function swallowed(after: readonly TestLine[]): TestLine | undefined {
  return after.find((line, index) => {
    if (line.sign !== '+' || line.part !== 'body' || !CAUGHT.test(line.text)) return false
    const start = after.slice(0, index).findLastIndex((each) => /^\s*try\b/.test(each.text))
    const next = after.slice(index + 1).find((each) => /\S/.test(each.text) && each.part !== 'comment')
    const isPassedOver = /\{\s*\}/.test(line.text) || (next !== undefined && PASSED_OVER.test(next.text))
    return isPassedOver && start !== -1 && after[start]?.sign === '+' && assertionsIn(after.slice(start + 1, index)).length > 0
  })
}

const CAUGHT = /^\s*(?:except(?:\s+\(?(?:AssertionError|Exception|BaseException)\b[^:]*)?\s*:|\}\s*catch\b)/
const PASSED_OVER = /^\s*(?:pass|\.\.\.|return|continue|\}.*)\s*;?\s*$/

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
