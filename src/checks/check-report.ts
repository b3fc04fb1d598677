import { PawlError } from '../core/pawl-error.ts'
import { readWithoutSecrets } from '../secrets/report.ts'
import type { Report, ReportParser } from './check.ts'
import type { Captured, OutputSpool } from '../process/output.ts'
import { hasFailures, isOfLines } from './check-verdict.ts'
import { withoutPassedRuns } from './passed-runs.ts'
import type { ReportFile } from './report-file.ts'

/** Where a check's report is, where it is not simply in the output. */
export interface ReportOptions {
  /** Name of the format, such as `junit`. Default: found out by trying. */
  readonly format?: string
  /** The file the command writes its report to, from the folder of the work. Default: the report is in the output. */
  readonly file?: string
}

/** Formats and how to read them. */
export interface ReportParsers {
  /** Tried in this order on the report; the first that understands it is believed. Default: all that Pawl knows. */
  readonly parsers?: readonly ReportParser[]
  /** The parser of a format that `report.format` names. Default: those that Pawl knows. */
  readonly parserNamed?: (name: string) => ReportParser | undefined
  /** The names that `parserNamed` knows, for a message about a name it does not know. */
  readonly parserNames?: readonly string[]
}

/** What could be read of a report. */
export interface CheckReport {
  readonly report?: Report
  /** Why the report that was asked for is not there or is not whole. Then exit code 0 proves nothing. */
  readonly problem?: string
  /** Set when the report is out of reach for good, so that the exit code says nothing either way. */
  readonly isFatal?: true
  /** Set when something of the text was cut: what is read proves failures, but no counts. */
  readonly isPartial?: true
}

/** The parsers that `report` leaves to try. Throws a `PawlError` for options that cannot work. */
export function parsersFor(report: ReportOptions | undefined, { parsers = [], parserNamed, parserNames = [] }: ReportParsers) {
  const refuse = (sentence: string): never => {
    throw new PawlError('check.command.report', sentence, { value: report })
  }
  const { format, file } = report ?? {}
  if (file !== undefined && (typeof file !== 'string' || file.trim() === '' || /[*\0\n]/.test(file)))
    refuse('report.file must be the path of one file, without wildcards.')
  if (format === undefined) {
    if (file !== undefined && parsers.length === 0) refuse('report.file needs parsers to read it with.')
    return parsers
  }
  const parser = typeof format === 'string' ? parserNamed?.(format) : undefined
  return parser === undefined
    ? refuse(`There is no report format "${String(format)}"; ${nearest(String(format), parserNames)}.`)
    : [parser]
}

function nearest(name: string, names: readonly string[]): string {
  if (names.length === 0) return 'none is known here'
  const likeness = (other: string) => pairs(name).filter((pair) => pairs(other).includes(pair)).length
  const near = names.filter((each) => likeness(each) > 0).toSorted((a, b) => likeness(b) - likeness(a))
  return near.length > 0 ? `near are ${near.slice(0, 3).join(', ')}` : `there are ${names.join(', ')}`
}

function pairs(name: string): readonly string[] {
  const letters = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, index) => letters.slice(index, index + 2))
}

export interface ReportSource {
  readonly options: ReportOptions | undefined
  readonly parsers: readonly ReportParser[]
  readonly file: ReportFile | undefined
  /** The whole output, where it is kept. */
  readonly spool: OutputSpool | undefined
  readonly output: Captured
  /** Whether the command itself says that the work is right. */
  readonly hasSucceeded: boolean
  /** Told of a parser that failed. */
  readonly say: (line: string) => void
}

/** Reads the report a check was to give: from its file, or from its output. */
export async function readCheckReport(source: ReportSource): Promise<CheckReport> {
  const { options, parsers, file, say } = source
  if (file !== undefined) {
    const reading = await file.read()
    const called = `The report ${options?.file}`
    if (reading.status !== 'read') {
      return { problem: `${called} ${reading.problem}.`, ...(reading.status === 'too-large' && { isFatal: true }) }
    }
    const report = await parsed(parsers, reading.text, say)
    const isKnown = report !== undefined && report.format !== 'general'
    return isKnown ? { report } : { problem: `${called} is not in ${wanted(options)}.` }
  }
  const { output, spool, hasSucceeded } = source
  const read = hasSucceeded && options?.format === undefined ? parsedOfSuccess : parsed
  if (spool === undefined || output.bytesCut === 0) return asked(options, await read(parsers, output.text, say))
  if (spool.problem === undefined) return asked(options, await read(parsers, await spool.text(), say))
  const report = await read(parsers, output.text, say)
  return {
    ...(report && { report }),
    ...(options && { problem: `The output could not be read whole: ${spool.problem}.` }),
    isPartial: true,
  }
}

function asked(options: ReportOptions | undefined, report: Report | undefined): CheckReport {
  if (report !== undefined) return { report }
  return options === undefined ? {} : { problem: `There is no report in ${wanted(options)} in the output.` }
}

function wanted(options: ReportOptions | undefined): string {
  return options?.format === undefined ? 'a format that is known' : `the format ${options.format}`
}

type Say = (line: string) => void

/** What the first parser that understands the text reads out of it, without secrets. */
export async function parsed(parsers: readonly ReportParser[], text: string, say: Say): Promise<Report | undefined> {
  return await readWithoutSecrets(text, (each) => firstParsed(parsers, each, say)?.report)
}

/** The same of a command that succeeded. */
async function parsedOfSuccess(parsers: readonly ReportParser[], text: string, say: Say): Promise<Report | undefined> {
  return await readWithoutSecrets(text, (each) => reportOfSuccess(parsers, each, say))
}

interface Parsed {
  readonly report: Report
  /** The parsers that were not asked any more. */
  readonly later: readonly ReportParser[]
}

function firstParsed(parsers: readonly ReportParser[], text: string, say: Say): Parsed | undefined {
  for (const [index, parser] of parsers.entries()) {
    try {
      const report = parser(text)
      if (report !== undefined) return { report, later: parsers.slice(index + 1) }
    } catch (error) {
      say(`A report parser failed and was passed over: ${(error as Error).message}`)
    }
  }
  return undefined
}

/**
 * What a run that passed has printed proves nothing against it; but a failure that another runner counts is one, though a report before it
 * passed: `vitest run; node --test`.
 */
function reportOfSuccess(parsers: readonly ReportParser[], text: string, say: Say): Report | undefined {
  const first = firstParsed(parsers, text, say)
  if (first === undefined || isOfLines(first.report)) return first?.report
  const rest = withoutPassedRuns(text)
  const outside = isClean(first.report) || rest === text ? undefined : firstParsed(parsers, rest, say)
  const believed = outside !== undefined && isClean(outside.report) && !isOfLines(outside.report) ? outside : first
  const { report } = believed
  if (!isClean(report)) return report
  // What a test printed stands in JUnit's XML as it is.
  const others = report.format === 'junit' ? rest.replaceAll(/<system-(out|err)>[^]*?<\/system-\1>/g, '') : rest
  for (const parser of believed.later) {
    const other = firstParsed([parser], others, say)?.report
    if (isOfLines(other)) break
    if (hasFailures(other)) return other
  }
  return report
}

function isClean(report: Report): boolean {
  return !hasFailures(report) && report.trouble === undefined
}
