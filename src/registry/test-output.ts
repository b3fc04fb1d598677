import { reportParsers } from '../checks/reports/index.ts'
import { testOutput } from '../loops/task/iteration-check/test-output.ts'

/** Reads the reports that tests print, if a command may have run anything. */
export { reportParsers }

/** Reads what tests printed, in every format that Pawl knows. */
export const readTestOutput = testOutput(reportParsers)
