import type { ReportParser } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { plainText, textBlocks } from './report-text.ts'
import { testFailure, valuePair } from './test-failure.ts'

/**
 * Output of a runner that Pawl doesn't know, if it has a line `FAIL name` for each failure and says below it what was expected and what
 * was received, or which error there was. Each is its own failure.
 *
 * @part blocks
 */
export const failBlocks: ReportParser = (output) => {
  const builder = reportBuilder('blocks')
  for (const { heading, text } of textBlocks(plainText(output), HEADING, END)) {
    const told = text.split('\n').slice(0, LINES_MAX).join('\n')
    const values = valuePair(told)
    if (!values && !ERROR.test(told)) continue
    builder.fail(heading, () => testFailure(heading, told, values ? { ...values, kind: 'assertion' } : {}))
  }
  return builder.counts().failed === 0 ? undefined : builder.report()
}

const HEADING = /^ {0,4}(?:FAIL(?:ED|URE)?|✗|✖|×)(?::| ) *(\S.{0,300})$/
/** Counts, what passed, and rules between blocks. */
const END = /^ {0,4}(?:PASS(?:ED)?|OK|ok|✓|✔|Tests?|\d+ (?:tests?|passed|failed))\b|^[-=─]{3,}$/
const ERROR = /^\s*(?:\w*(?:Error|Exception)\b|Error:|Expected|Received|Actual)/m
const LINES_MAX = 30
