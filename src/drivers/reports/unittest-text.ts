import type { ReportParser } from '../../ports/check.ts'
import { testFailure } from './test-failure.ts'
import { sum, textBlocks } from './text-blocks.ts'

/** Python's unittest (and Django's runner, which closes alike). */
export const unittestText: ReportParser = (output) => {
  const closings = [...output.matchAll(/^Ran (\d+) tests? in [\d.]+s\n\n(?:OK|FAILED|NO TESTS RAN)(?: \((.*)\))?$/gm)]
  if (closings.length === 0) return undefined
  const details = closings.map((match) => match[2] ?? '').join(', ')
  const detail = (word: string) => sum([...details.matchAll(new RegExp(`(?:^|, )${word}=(\\d+)`, 'g'))].map((match) => match[1]))
  const failed = detail('failures') + detail('errors') + detail('unexpected successes')
  const skipped = detail('skipped') + detail('expected failures')
  // A broken set-up is an error without a test that ran.
  const passed = Math.max(0, sum(closings.map((match) => match[1])) - failed - skipped)
  return { format: 'unittest', counts: { passed, failed, skipped }, failures: failuresIn(output) }
}

function failuresIn(output: string) {
  return textBlocks(output, /^(?:FAIL|ERROR): (\S.*)$/, /^={70}$|^Ran \d+ tests? in /).map((block) => {
    // `test_a (module.Class.test_a)`; before Python 3.11 without the last name.
    const [, name = block.heading, owner = '', more = ''] = /^(\S+) \((\S+)\)(.*)$/.exec(block.heading) ?? []
    const id = owner === '' ? name : `${owner.endsWith(`.${name}`) ? owner : `${owner}.${name}`}${more}`
    // The error itself is the first line after the frames that is not indented.
    const error = block.text
      .split(/^Traceback .*$/m)
      .at(-1)
      ?.replaceAll(/^[ \t].*$/gm, '')
      .replaceAll(/^-+$/gm, '')
      .trim()
    return testFailure(id, block.text, { message: error === undefined || error === '' ? 'It failed.' : error })
  })
}
