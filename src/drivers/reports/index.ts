import type { ReportParser } from '../../ports/check.ts'
import { closingLine } from './closing-line.ts'
import { general } from './general.ts'
import { tap } from './tap.ts'

/** What `commandCheck` is given: machine formats first, text for people next, prose last. */
export const reportParsers: readonly ReportParser[] = [tap, closingLine, general]
