import type { ReportParser } from '../check.ts'
import { REPORT_FORMATS } from './_formats.ts'
import { failBlocks } from './blocks.ts'
import { cargoJson } from './cargo.ts'
import { closingLine } from './closing-line.ts'
import { compiler } from './compiler.ts'
import { eslintJson, eslintText } from './eslint.ts'
import { general } from './general.ts'
import { githubAnnotations } from './github-annotations.ts'
import { goJson } from './go.ts'
import { jestJson } from './jest.ts'
import { junit } from './junit.ts'
import { mochaJson } from './mocha.ts'
import { sarif } from './sarif.ts'
import { tap } from './tap.ts'
import { tsc } from './tsc.ts'
import { vitestJson } from './vitest.ts'

/**
 * The default parsers of `commandCheck`; the first that understands the output wins. Machine formats come first, then test runners' text
 * for people, then compilers and linters, whose lines a passing test may also print, and prose last.
 */
export const reportParsers: readonly ReportParser[] = [
  vitestJson,
  jestJson,
  mochaJson,
  eslintJson,
  sarif,
  junit,
  goJson,
  cargoJson,
  tap,
  closingLine,
  tsc,
  compiler,
  eslintText,
  githubAnnotations,
  failBlocks,
  general,
]

/** The parser of a format by its name (see `reportFormats`); `undefined` for any other name. */
export function reportParserNamed(name: string): ReportParser | undefined {
  return FORMATS.get(name)
}

const FORMATS: ReadonlyMap<string, ReportParser> = new Map<string, ReportParser>(Object.entries(REPORT_FORMATS))

/** The names that `reportParserNamed` knows. */
export const reportFormats: readonly string[] = [...FORMATS.keys()]
