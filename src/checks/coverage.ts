import { stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { EffectContext } from '../process/effect-context.ts'
import type { Check, CheckRequest, CheckResult } from './check.ts'
import {
  coberturaCoverage,
  COVERAGE_SCOPES,
  type CoverageReport,
  type CoverageScope,
  jsonCoverage,
  lcovCoverage,
} from './coverage-formats.ts'
import { readReportFile } from './report-file.ts'
import {
  byDefault,
  type EntriesOf,
  LINE,
  needed,
  numberBetween,
  oneOf,
  optional,
  settingsSchema,
  textThat,
  withRule,
} from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

export type CoverageFormat = 'lcov' | 'json' | 'cobertura'

export interface CoverageOptions {
  readonly name: string
  /** Per cent, 0 to 100. */
  readonly minCoverage: number
  /** Default `lcov`. `json` is Istanbul's, the summary or the whole. */
  readonly format?: CoverageFormat
  /** Default `lines`. Only `json` knows `statements`. */
  readonly scope?: CoverageScope
  /** The report, relative to the workspace's folder. Default: where tools put it, such as `coverage/lcov.info`. */
  readonly path?: string
}

/**
 * How much of the code the tests reach, from the report that an earlier check wrote. A report that is older than one of its files
 * doesn't count.
 *
 * @part coverage
 */
export function coverage(options: CoverageOptions): Check {
  const { path, ...others } = readOptions('coverage', OPTIONS, options)
  const settings = { ...others, ...(path === undefined ? {} : { path }) }
  const { name } = settings
  return { name, spec: { name: 'coverage', v: 1, settings }, run: (request, context) => measure(settings, request, context) }
}

const ENTRIES = {
  minCoverage: needed(numberBetween(0, 100), 'Per cent, 0 to 100'),
  format: byDefault(
    oneOf(['lcov', 'json', 'cobertura'], 'one of lcov, json, cobertura'),
    'lcov',
    "`json` is Istanbul's, the summary or the whole",
  ),
  scope: byDefault(oneOf(COVERAGE_SCOPES), 'lines', 'What is counted; only `json` knows `statements`'),
  path: optional(
    textThat('a path inside the workspace, relative to its folder', (path) => isBelow('.', path)),
    "The report, relative to the workspace's folder. Default: where tools put it, such as `coverage/lcov.info`",
  ),
}

/** The settings of a rule of type `coverage`. */
export const COVERAGE = withRule(settingsSchema(ENTRIES, 'a map of settings'), scopeIsKnown)

const OPTIONS = withRule(settingsSchema({ name: needed(LINE), ...ENTRIES } satisfies EntriesOf<CoverageOptions>), scopeIsKnown)

function scopeIsKnown({ scope, format }: { readonly scope: CoverageScope; readonly format: CoverageFormat }) {
  if (scope !== 'statements' || format === 'json') return undefined
  return { name: 'scope', wanted: `lines, branches or functions, since ${format} has no statements` }
}

const READERS: Readonly<Record<CoverageFormat, (text: string) => CoverageReport | undefined>> = {
  lcov: lcovCoverage,
  json: jsonCoverage,
  cobertura: coberturaCoverage,
}

const PLACES: Readonly<Record<CoverageFormat, readonly string[]>> = {
  lcov: ['coverage/lcov.info', 'lcov.info'],
  json: ['coverage/coverage-summary.json', 'coverage/coverage-final.json'],
  cobertura: ['coverage/cobertura-coverage.xml', 'cobertura-coverage.xml', 'coverage.xml'],
}

const BYTES_MAX = 64 * 1024 * 1024

type Settings = Required<Omit<CoverageOptions, 'path'>> & Pick<CoverageOptions, 'path'>

async function measure(settings: Settings, { cwd }: CheckRequest, { started }: EffectContext): Promise<CheckResult> {
  await started()
  const { name, format, scope, minCoverage } = settings
  const failed = (message: string): CheckResult => ({ status: 'failed', failures: [{ id: name, kind: 'unknown', message }] })
  const places = settings.path === undefined ? PLACES[format] : [settings.path]
  const place = await firstThere(cwd, places)
  if (place === undefined)
    return failed(`There is no report of the coverage (${places.join(', ')}): the tests have to write it each time they run.`)
  const reading = await readReportFile(cwd, place, BYTES_MAX)
  if (reading.status !== 'read') return failed(`The report ${place} ${reading.problem}.`)
  const report = READERS[format](reading.text)
  if (report === undefined) return unusable(`The report ${place} is not whole, or not of the format ${format}.`)
  const files = report.files.flatMap((file) => placesOf(cwd, file, report.roots))
  const { isAnyThere, newer } = await comparedWith(resolve(cwd, place), files)
  if (newer !== undefined)
    return failed(`The report ${place} is older than ${relative(cwd, newer)}: the tests have to write it every time they run.`)
  if (!isAnyThere)
    return unusable(`The report ${place} names no file of this workspace, so nobody can tell whether it is of today.`)
  const { covered, total } = report.figures[scope] ?? { covered: 0, total: 0 }
  if (total === 0) return failed(`The report ${place} counts no ${scope}.`)
  const percent = (100 * covered) / total
  const words = `${covered} of ${total} ${scope} are covered, ${roundedDown(percent)}%`
  if (percent >= minCoverage) return { status: 'passed', summary: `${words}.` }
  return failed(`${words}; ${minCoverage}% are asked for.`)
}

function unusable(message: string): CheckResult {
  const fix = 'Correct format and path of the rule, and let a check before it write the report with the names of its files.'
  return { status: 'errored', fault: 'config', message, fix }
}

/** Never rounded up to what is asked for. */
function roundedDown(percent: number): string {
  return String(Math.floor(percent * 100) / 100)
}

async function firstThere(cwd: string, places: readonly string[]): Promise<string | undefined> {
  for (const place of places) if ((await modifiedAt(resolve(cwd, place))) !== undefined) return place
  return undefined
}

/** Where a file of the report may be: relative to the folder, or to one of the report's own roots. */
function placesOf(cwd: string, file: string, roots: readonly string[]): readonly string[] {
  const places = ['', ...roots].map((root) => resolve(cwd, root, file))
  return [...new Set(places)].filter((place) => isBelow(cwd, place))
}

/** Whether any file of the report exists, and the first that was changed after it. */
async function comparedWith(
  report: string,
  files: readonly string[],
): Promise<{ readonly isAnyThere: boolean; readonly newer?: string }> {
  const written = (await modifiedAt(report)) ?? 0n
  let isAnyThere = false
  for (const file of files) {
    const at = await modifiedAt(file)
    if (at !== undefined && at > written) return { isAnyThere: true, newer: file }
    isAnyThere ||= at !== undefined
  }
  return { isAnyThere }
}

async function modifiedAt(path: string): Promise<bigint | undefined> {
  return (await stat(path, { bigint: true }).catch(() => undefined))?.mtimeNs
}

function isBelow(folder: string, path: string): boolean {
  const from = relative(resolve(folder), resolve(folder, path))
  return from !== '' && from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from)
}
