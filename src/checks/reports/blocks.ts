import type { ReportParser } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { plainText, textBlocks } from './report-text.ts'
import { testFailure, valuePair } from './test-failure.ts'

/**
 * Output of a runner that Pawl doesn't know, if it has a line `FAIL name` for each failure. Each is its own failure, with what is below it:
 * what was expected and received, or which error there was. Lines with nothing of that below them count only if no other has it.
 *
 * @part blocks
 */
export const failBlocks: ReportParser = (output) => {
  const blocks = textBlocks(plainText(output), HEADING, END).map(({ heading, text }) => {
    const told = text.split('\n').slice(0, LINES_MAX).join('\n')
    const values = valuePair(told)
    return { heading, told, values, isExplained: values !== undefined || ERROR.test(told) }
  })
  const explained = blocks.filter(({ isExplained }) => isExplained)
  const shown = explained.length > 0 ? explained : blocks.filter(({ heading }) => !COUNT.test(heading))
  const builder = reportBuilder('blocks')
  for (const { heading, told, values } of shown)
    builder.fail(heading, () => testFailure(heading, told, values ? { ...values, kind: 'assertion' } : {}))
  return shown.length === 0 ? undefined : builder.report()
}

const HEADING = /^ {0,4}(?:FAIL(?:ED|URE)?|✗|✖|×)(?::| ) *(\S.{0,300})$/
/** "FAILED (failures=2)" and "FAIL: 3 of 12" name no test. */
const COUNT = /^\(|^\d+ /
/** Counts, what passed, and rules between blocks. */
const END = /^ {0,4}(?:PASS(?:ED)?|OK|ok|✓|✔|Tests?|\d+ (?:tests?|passed|failed))\b|^[-=─]{3,}$/
const ERROR = /^\s*(?:\w*(?:Error|Exception)\b|Error:|Expected|Received|Actual)/m
const LINES_MAX = 30
