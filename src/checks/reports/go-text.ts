import type { ReportParser } from '../check.ts'
import { GoPackages, type GoOutcome } from './go-packages.ts'
import { linesOf } from './lines-of.ts'
import { plainText } from './plain-text.ts'

/**
 * `go test`. A package's name stands under its tests, so its lines are kept until then. Ids are the package, the test and its
 * subtests, joined with ' > '. Without -v no passed tests are named, so then packages that passed are counted instead.
 *
 * @part go
 */
export const goText: ReportParser = (output) => {
  const text = plainText(output)
  if (!PACKAGE_ENDS.test(text)) return undefined
  const packages = new GoPackages('go')
  const isVerbose = /^=== RUN /m.test(text)
  let section: string[] = []
  for (const line of linesOf(text)) {
    if (packages.compilerLine(line)) continue
    const [, verdict = '', name = '', rest = ''] = (/^[oF?]/.test(line) ? PACKAGE_END.exec(line) : undefined) ?? []
    if (verdict === '') section.push(line)
    else if (rest.endsWith('failed]')) packages.notBuilt(name)
    else {
      readSection(packages, name, section)
      packages.ended(name, undefined, verdict === 'FAIL' ? 'fail' : 'pass')
      if (verdict === 'ok' && !isVerbose) packages.passedUnlisted(name)
      section = []
    }
  }
  // Left open, so that the report is said to be cut off.
  if (section.some((line) => UNFINISHED.test(line))) readSection(packages, 'a package without a name', section)
  return packages.report({ hasAllTests: isVerbose })
}

const PACKAGE_ENDS = /^(?:ok|FAIL)[ \t]+\S+[ \t]+(?:\d+\.\d+s|\(cached\)|\[(?:build|setup) failed\])/m
const PACKAGE_END = /^(ok|FAIL|\?)[ \t]+(\S+)[ \t]+((?:\d+\.\d+s|\(cached\)|\[(?:build failed|setup failed|no test)).*)$/
const RESULT = /^ *--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)$/
const UNFINISHED = /^(?: *--- (?:PASS|FAIL|SKIP): |=== RUN|panic: |fatal error: )/

/**
 * With -v a test's lines stand under `=== RUN`, else under its result. A result of a subtest stands under that of its test, so the
 * deepest are told first.
 */
function readSection(packages: GoPackages, name: string, lines: readonly string[]): void {
  const results: (readonly [string, GoOutcome])[] = []
  let test: string | undefined
  for (const line of lines) {
    const switched = line.startsWith('=== ') ? /^=== (?:RUN|CONT|NAME) +(\S.*)$/.exec(line)?.[1] : undefined
    const [, verdict = '', ended] = (line.includes('--- ') ? RESULT.exec(line) : undefined) ?? []
    if (switched !== undefined) packages.began(name, (test = switched))
    else if (ended !== undefined) {
      packages.began(name, (test = ended))
      results.push([ended, verdict.toLowerCase() as GoOutcome])
    } else if (!/^(?:PASS|FAIL|=== PAUSE.*)$/.test(line)) packages.printed(name, test, `${line}\n`)
  }
  const depths = new Map(results.map(([ended]) => [ended, depthOf(ended)]))
  const depthFirst = results.toSorted(([a], [b]) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0))
  for (const [ended, outcome] of depthFirst) packages.ended(name, ended, outcome)
}

function depthOf(test: string): number {
  return test.split('/').length
}
