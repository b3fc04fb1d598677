import type { ReportParser } from '../check.ts'
import { jestShape } from './jest-shape.ts'

/**
 * `jest --json`, with or without the text that jest prints beside it.
 *
 * @part jest-json
 */
export const jestJson: ReportParser = (output) =>
  jestShape('jest-json', output, /^[ \t]{0,20}\{\s{0,20}"numFailedTestSuites"\s{0,20}:/gm)
