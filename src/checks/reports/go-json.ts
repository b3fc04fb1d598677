import type { ReportParser } from '../check.ts'
import { GoPackages, type GoOutcome } from './go-packages.ts'
import { fieldsOf, textOf } from './json-value.ts'
import { plainText } from './plain-text.ts'

/**
 * `go test -json`: one event a line. Ids are the package, the test and its subtests, joined with ' > '. A test with subtests fails
 * and passes with them, so only leaves count. What the compiler prints between the lines, and Go's own events of it since 1.24,
 * make a package that does not build one failure.
 *
 * @part go-json
 */
export const goJson: ReportParser = (output) => {
  const text = plainText(output)
  if (!/^\{"(?:Time|Action|ImportPath)":".*"Action":"|^\{"Action":"/m.test(text)) return undefined
  const packages = new GoPackages('go-json')
  let events = 0
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    if (text.charCodeAt(from) === BRACE) {
      const isEvent = readEvent(text.slice(from, end), packages)
      if (isEvent) events += 1
    } else readLine(text.slice(from, Math.min(end, from + LINE_CHARACTERS_MAX)), packages)
    from = end + 1
  }
  return events === 0 ? undefined : packages.report({ hasAllTests: true })
}

const BRACE = 123
const LINE_CHARACTERS_MAX = 2000

/** Whether it was an event; a line that only begins like one is broken. */
function readEvent(line: string, packages: GoPackages): boolean {
  const printed = PRINTED.exec(line)
  if (printed !== null) {
    const text = stringIn(printed[3] ?? '')
    if (text !== undefined) packages.printed(printed[1] ?? '', printed[2], text)
    if (text !== undefined) return true
  }
  let event: unknown
  try {
    event = JSON.parse(line)
  } catch {
    // Cut off, or a brace in the print of something else.
    if (line.includes('"Action":"') || EVENT_START.test(line))
      packages.doubt('The report of go test is cut off or broken: a line of it is no JSON.')
    return false
  }
  const { Action: action, Package: name, Test: test, Output: said, ImportPath: built, FailedBuild: failedBuild } = fieldsOf(event)
  if (typeof action !== 'string') return false
  if (action === 'build-output') {
    packages.compiled(textOf(built) ?? '', typeof said === 'string' ? said : '')
    return true
  }
  if (typeof name !== 'string') return action === 'build-fail'
  if (action === 'output') packages.printed(name, textOf(test), typeof said === 'string' ? said : '')
  else if (OUTCOMES.has(action)) packages.ended(name, textOf(test), action as GoOutcome, textOf(failedBuild))
  else packages.began(name, action === 'run' ? textOf(test) : undefined)
  return true
}

/** Nearly every line is one of these, and all of it need not be read as JSON. */
const PRINTED = /^\{(?:"Time":"[^"\\]*",)?"Action":"output","Package":"([^"\\]*)"(?:,"Test":"([^"\\]*)")?,"Output":"(.*)"\}$/

function stringIn(source: string): string | undefined {
  const escape = source.indexOf('\\')
  if (escape === source.length - 2 && source.endsWith('n')) return `${source.slice(0, -2)}\n`
  try {
    return JSON.parse(`"${source}"`) as string
  } catch {
    // Then the line as a whole is looked at.
    return undefined
  }
}

const EVENT_START = /^\{(?:"(?:T|A|P|I)|"?$)/
const OUTCOMES: ReadonlySet<string> = new Set(['pass', 'fail', 'skip'])

/** Go before 1.24 lets the compiler print as it likes. */
function readLine(line: string, packages: GoPackages): void {
  const failed = /^FAIL[ \t]+(\S+) \[(?:build|setup) failed\]/.exec(line)?.[1]
  if (failed !== undefined) packages.notBuilt(failed)
  else packages.compilerLine(line)
}
