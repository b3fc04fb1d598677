import type { ReportParser } from '../../ports/check.ts'
import { testFailure } from './test-failure.ts'
import { sum, textBlocks, textsByHeading } from './text-blocks.ts'

/** `cargo test`: one closing line for every target. A compiler error has none and is left to the general parser. */
export const cargoText: ReportParser = (output) => {
  const closings = [...output.matchAll(/^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/gm)]
  if (closings.length === 0) return undefined
  const column = (index: number) => sum(closings.map((match) => match[index]))
  const texts = textsByHeading(textBlocks(output, /^---- (.+) stdout ----$/, /^failures:$|^test result:/))
  return {
    format: 'cargo',
    counts: { passed: column(1), failed: column(2), skipped: column(3) },
    failures: [...output.matchAll(/^test (.+?)(?: - should panic)? \.\.\. FAILED$/gm)].map(([, id = '']) => {
      const text = texts.get(id) ?? ''
      const message = text
        .replace(/^\s*thread .* panicked at .*:$/m, '')
        .replace(/^note: run with [\s\S]*/m, '')
        .trim()
      return testFailure(id, text, message === '' ? {} : { message })
    }),
  }
}
