export interface ExpectedReceived {
  readonly expected: string
  readonly received: string
}

/**
 * What was expected and what came instead, as the common assertion libraries print it; `undefined` when the text does not
 * plainly say.
 */
export function expectedReceived(whole: string): ExpectedReceived | undefined {
  const text = whole.slice(0, 20_000)
  for (const pattern of PAIRS) {
    const { expected, received } = pattern.exec(text)?.groups ?? {}
    if (expected !== undefined && received !== undefined) return { expected: expected.trim(), received: received.trim() }
  }
  return fromDifference(text)
}

const PAIRS: readonly RegExp[] = [
  // vitest
  /^- Expected:\n(?<expected>[^\n]+(?:\n[^\n]+)*)\n\n\+ Received:\n(?<received>[^\n]+(?:\n[^\n]+)*)/m,
  // jest; rspec; JUnit's console
  /^[ \t]*Expected(?: value)?: +(?<expected>\S.*)\n[ \t]*Received(?: value)?: +(?<received>\S.*)$/m,
  /^[ \t]*expected: +(?<expected>\S.*)\n[ \t]*got: +(?<received>\S.*)$/m,
  // node:assert, where the values fit on a line
  /(?:^[ \t]*|: )Expected values to be (?:strictly |loosely )?equal:\n[ \t]*\n[ \t]*(?<received>\S.*?) !==? (?<expected>\S.*)$/m,
  // the properties of Node's AssertionError, where they fit on a line
  /^[ \t]+actual: (?<received>.*[^{[\n]),\n[ \t]+expected: (?<expected>.*[^{[\n]),$/m,
  /expected:? ?<(?<expected>[^>\n]*)> but was:? ?<(?<received>[^>\n]*)>/,
  // pytest shows `assert actual == expected`
  /^E +(?:AssertionError: )?assert (?<received>(?:(?! == ).)+) == (?<expected>(?:(?! == ).)+)$/m,
  // chai and vitest in a sentence
  /expected (?<received>[^\n]{1,200}?) to (?:be|equal|deeply equal|strictly equal|strict equal) (?<expected>[^\n]{1,200}?)(?: \/\/ .*)?$/m,
  // Go
  /\bgot:? (?<received>[^\n]{1,200}?)[,;] want:? (?<expected>[^\n]{1,200})$/m,
  /\b(?:want|expected):? (?<expected>[^\n]{1,200}?)[,;] (?:but )?got:? (?<received>[^\n]{1,200})$/m,
]

/** A difference under a heading that says which sign is which. */
function fromDifference(text: string): ExpectedReceived | undefined {
  const heading =
    /^[ \t]*(?:(?<minus>- Expected.*\n[ \t]*\+ Received|--- expected\n[ \t]*\+\+\+ actual)|(?<plus>\+ expected - actual)|\+ actual - expected)\b.*$/m.exec(
      text,
    )
  if (heading === null) return undefined
  const lines = text
    .slice(heading.index + heading[0].length)
    .split('\n')
    .slice(1)
  // A second difference, as mocha adds one to node:assert's, says the same with its signs the other way round.
  const stop = lines.findIndex((line) => /^\s*(?:❯|at |[-+] (?:expected - actual|actual - expected))/.test(line))
  const shown = stop < 0 ? lines : lines.slice(0, stop)
  const signed = (sign: string) =>
    shown
      .filter((line) => line.trimStart().startsWith(sign))
      .map((line) => line.trimStart().slice(1).trim())
      .join('\n')
  const [plus, minus] = [signed('+'), signed('-')]
  if (plus === '' && minus === '') return undefined
  return heading.groups?.['plus'] === undefined ? { expected: minus, received: plus } : { expected: plus, received: minus }
}
