import type { ReportParser } from '../check.ts'
import { jestShape } from './jest-shape.ts'

/**
 * `vitest --reporter=json`. Since version 5 it writes a file; `--outputFile=/dev/stdout`, or `cat`, brings it to the check.
 *
 * @part vitest-json
 */
export const vitestJson: ReportParser = (output) =>
  jestShape('vitest-json', output, /^[ \t]{0,20}\{\s{0,20}"numTotalTestSuites"\s{0,20}:/gm)
