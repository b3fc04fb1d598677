import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../../ports/check.ts'
import { expectedReceived } from './expected-received.ts'
import { failureKind } from './test-failure.ts'
import { count, textBlocks, textsByHeading } from './text-blocks.ts'

/** pytest. An error in a fixture or while collecting is a failure too. */
export const pytestText: ReportParser = (output) => {
  const closings = output.match(CLOSING)
  if (closings === null) return undefined
  const closing = closings.join('\n')
  return {
    format: 'pytest',
    counts: {
      passed: count(closing, 'passed') + count(closing, 'xpassed'),
      failed: count(closing, 'failed') + count(closing, 'errors?'),
      skipped: count(closing, 'skipped') + count(closing, 'xfailed'),
    },
    failures: failuresIn(output),
  }
}

const CLOSING =
  /^(?:=+ )?(?:no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected|x?passed|xfailed|warnings?|rerun)(?:, \d+ \w+)*) in \d+(?:\.\d+)?s(?: \([\d:]+\))?(?: =+)?$/gm

/** The summary lists them with shortened messages; the sections above have the whole text under the last parts of the name. */
function failuresIn(output: string): readonly Failure[] {
  const sections = textsByHeading(textBlocks(output, /^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(.+?) _{3,}$/, /^={3,} /))
  const summaries = output.split(/^=+ short test summary info =+$/m).slice(1)
  return summaries.flatMap((summary) =>
    // A parameter may hold ' - ' too, so brackets are taken whole.
    [...summary.matchAll(/^(?:FAILED|ERROR) ([^[\n]*?(?:\[.*?\])?)(?: - (.*))?$/gm)].map((match) => {
      const [, id = '', short = ''] = match
      const section = sections.get(id) ?? sections.get(id.split('::').slice(1).join('.'))
      return failure(id, section ?? '', short)
    }),
  )
}

function failure(id: string, section: string, short: string): Failure {
  const errorLines = [...section.matchAll(/^E(?: {3,}(.*))?$/gm)].map((match) => match[1] ?? '')
  const place = [...section.matchAll(/^([^\s:][^:\n]*\.py):(\d+): /gm)].at(-1)
  const message = errorLines.slice(0, 15).join('\n').trim()
  return {
    id,
    message: message === '' ? short || 'It failed.' : message,
    kind: failureKind(message || short),
    ...(place?.[1] !== undefined && { file: place[1], line: Number(place[2]) }),
    ...expectedReceived(section),
  }
}
