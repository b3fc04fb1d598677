import { expectedReceived, type ExpectedReceived } from './expected-received.ts'

/**
 * What was expected and what came instead, in the words of Rust, Python's unittest, .NET, AssertJ and hamcrest as well;
 * `undefined` when the text does not plainly say. Where a tool names no sides, the first value is what came, as it is mostly
 * written.
 */
export function valuePair(whole: string): ExpectedReceived | undefined {
  const text = whole.slice(0, CHARACTERS_MAX)
  const known = expectedReceived(text)
  if (known !== undefined) return known
  for (const pattern of PAIRS) {
    const { expected, received } = pattern.exec(text)?.groups ?? {}
    if (expected !== undefined && received !== undefined) return { expected: expected.trim(), received: received.trim() }
  }
  return undefined
}

const CHARACTERS_MAX = 20_000

const PAIRS: readonly RegExp[] = [
  // Rust
  /^[ \t]*left: (?<received>.*)\n[ \t]*right: (?<expected>.*)$/m,
  // NUnit, xUnit, MSTest, hamcrest
  /^[ \t]*Expected: +(?<expected>\S.*)\n[ \t]*(?:But was|Actual|but): +(?:was )?(?<received>\S.*)$/m,
  /Expected:<(?<expected>[^>\n]*)>\. Actual:<(?<received>[^>\n]*)>/,
  // AssertJ
  /^[ \t]*expected: (?<expected>\S.*)\n[ \t]*but was: (?<received>\S.*)$/m,
  // pytest's own words without the E before them
  /^(?:AssertionError: )?assert (?<received>(?:(?! == ).){1,500}) == (?<expected>(?:(?! == ).){1,500})$/m,
  // unittest
  /^AssertionError: (?:\w+ differ: )?(?<received>(?:(?! != ).){1,500}) != (?<expected>(?:(?! != ).){1,500}?)(?: : .*)?$/m,
]
