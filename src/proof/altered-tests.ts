/** Tests with other expected values: on working code they have to fail. */
export interface AlteredTests {
  readonly files: ReadonlyMap<string, string>
  /** The tests, by id, whose own expectations are other ones. */
  readonly ids: readonly string[]
  /** Set if a whole file was altered, so that only the check as a whole can tell. */
  readonly isWhole: boolean
}

/**
 * Alters what these tests expect: `assert.equal(add(1, 2), 3)` expects another number. `texts` are the test files by path. A test that can
 * be found by its title is altered alone; otherwise the whole file that its id names. `scripts` are those that `checks` run, which name no
 * tests.
 */
export function alterTests(
  ids: readonly string[],
  texts: ReadonlyMap<string, string>,
  { checks, scripts }: { readonly checks: ReadonlySet<string>; readonly scripts: ReadonlySet<string> },
): AlteredTests {
  const spans = new Map<string, Span[]>()
  const found = new Map<string, { readonly path: string; readonly span: Span }>()
  let isWhole = false
  const all = [...texts]
  for (const id of ids) {
    const named = all.filter(([path]) => (checks.has(id) ? scripts.has(path) : isNamedBy(id, path)))
    const places = (named.length > 0 ? named : all).flatMap(([path, text]) =>
      bodiesOf(path, text, titleOf(id)).map((span) => ({ path, span })),
    )
    const [place] = places
    if (place && places.length === 1) found.set(id, place)
    else for (const [path, text] of named) spans.set(path, [{ start: 0, end: text.length }])
    isWhole ||= places.length !== 1
  }
  for (const { path, span } of found.values()) spans.set(path, [...(spans.get(path) ?? []), span])
  const files = new Map<string, string>()
  const altered = new Set<string>()
  for (const [path, chosen] of spans) {
    const text = texts.get(path) ?? ''
    const edits = expectationsIn(path, text).filter(({ start, end }) =>
      chosen.some((span) => span.start <= start && end <= span.end),
    )
    if (edits.length === 0) continue
    files.set(path, withEdits(text, edits))
    for (const [id, { path: file, span }] of found)
      if (file === path && edits.some(({ start, end }) => span.start <= start && end <= span.end)) altered.add(id)
  }
  return { files, ids: [...altered], isWhole }
}

interface Span {
  readonly start: number
  readonly end: number
}

interface Edit extends Span {
  readonly text: string
}

/** A test's name as its file has it: without file and group, the parameters of pytest, and the module and class of unittest. */
export function titleOf(id: string): string {
  return lastName(id).replace(/\[.*\]$| \([\w.]+\)$|^(?:\w+\.)+(?=test\w*$)/, '')
}

/** Whether a test's id begins with its file: `test/add.test.js > adds`, `tests.test_sums.Sums.test_adds`. */
function isNamedBy(id: string, path: string): boolean {
  return id.startsWith(path) || id.startsWith(`${path.replace(/\.py$/, '').replaceAll('/', '.')}.`)
}

/** The last part of an id: `adds` of `src/add.test.ts > sums > adds`. */
export function lastName(id: string): string {
  return id.split(/ > | › |::/).at(-1) ?? id
}

/** Where tests with this title are, each with its body. */
function bodiesOf(path: string, text: string, title: string): readonly Span[] {
  const name = title.replaceAll(/[^\w\s]/g, String.raw`\$&`)
  if (path.endsWith('.py'))
    return [
      ...text.matchAll(new RegExp(`^([ \\t]*)(?:async )?def ${name}\\(.*(?:\\n(?:\\1[ \\t]+.*|[ \\t]*(?=\\n)))*`, 'gm')),
    ].map(({ index, 0: all }) => ({ start: index, end: index + all.length }))
  if (path.endsWith('.rs'))
    return [...text.matchAll(new RegExp(`\\bfn ${name}\\([^{]*`, 'g'))].flatMap(({ index, 0: heading }) => {
      const end = closingOf(text, index + heading.length)
      return end === undefined ? [] : [{ start: index, end }]
    })
  return [...text.matchAll(new RegExp(`\\(\\s*(['"\`])${name}\\1\\s*,`, 'g'))].flatMap(({ index }) => {
    const end = closingOf(text, index)
    return end === undefined ? [] : [{ start: index, end }]
  })
}

/** What assertions compare with, where it is written as a value, and the edit that makes it another one. */
function expectationsIn(path: string, text: string): readonly Edit[] {
  const isPython = path.endsWith('.py')
  const isShell = /\.(?:sh|bash|bats)$|(?:^|\/)(?:GNU)?[mM]akefile$/.test(path)
  const isCompiled = COMPILED.test(path)
  const edits = isShell
    ? inShell(text)
    : [...inCalls(text, isPython), ...(isPython ? inStatements(text) : []), ...(isCompiled ? inComparisons(text) : [])]
  return edits.filter(({ start }) => !isInComment(text, start, isPython || isShell || /\.(?:t|pl|rb)$/.test(path)))
}

const EQUALITY = /(?:equals?|eq!?|same|is|is_deeply|assertIs)$/i
const TRUTH = /^(?:assert|ok|REQUIRE|CHECK|(?:EXPECT|ASSERT)_TRUE|assertTrue)$|\.(?:ok|assertTrue|truthy|true|isTrue)$/
const COMPARES =
  /^(?:\s*\.(?!not\b)\w+)*?\s*\.(?:toBe|toEqual|toStrictEqual|toHaveLength|toContain(?:Equal)?|toMatchObject|equals?|eql|eq)\s*\(/

/** A helper of the tests' own that compares: `checkSum(add(1, 2), 3)`. */
const HELPER = /^(?:check|verify|compare|expect|must|should)(?:[A-Z_]\w*)?$/

function isEquality(name: string): boolean {
  return (
    (EQUALITY.test(name) && /^(?:(?:\w+\.)*assert|t\.|self\.|is|eq|same|equal)/i.test(name)) ||
    /^(?:EXPECT|ASSERT)_(?:STR)?EQ$/.test(name)
  )
}

function inCalls(text: string, isPython: boolean): readonly Edit[] {
  const edits: Edit[] = []
  for (const { index, 0: call, 1: name = '' } of text.matchAll(/(?<![\w.$])((?:[\w$]+\.)*[\w$]+!?)\s*\(/g)) {
    const open = index + call.length - 1
    if (name === 'expect') {
      const end = closingOf(text, open) ?? text.length
      const [chain] = COMPARES.exec(text.slice(end)) ?? []
      if (chain !== undefined)
        edits.push(
          ...argumentsOf(text, end + chain.length - 1)
            .slice(0, 1)
            .flatMap((each) => otherValue(text, each)),
        )
    } else if (isEquality(name) || (HELPER.test(name) && /^[ \t]*(?:await )?$/.test(lineBefore(text, index)))) {
      const [first, second] = argumentsOf(text, open)
      if (first && second) edits.push(...[second, first].flatMap((each) => otherValue(text, each)).slice(0, 1))
    } else if (TRUTH.test(name)) {
      const [first] = argumentsOf(text, open)
      const [before, after] = isPython ? ['not (', ')'] : ['!(', ')']
      if (first) edits.push({ ...first, text: `${before}${text.slice(first.start, first.end).trim()}${after}` })
    }
  }
  return edits
}

/** Python's own `assert add(1, 2) == 3`. */
function inStatements(text: string): readonly Edit[] {
  return [...text.matchAll(/^[ \t]*assert[ \t]+(?!\()([^\n]*?)[ \t]*(?:==|\bis)[ \t]*([^\n#]+?)[ \t]*(?:#[^\n]*)?$/gm)].flatMap(
    ({ index, 0: all, 2: value = '' }) => {
      const start = index + all.lastIndexOf(value)
      return otherValue(text, { start, end: start + value.length })
    },
  )
}

const COMPILED = /\.(?:c|cc|cpp|cxx|m|java|kt|go|cs|swift|scala|php)$/

/** `assert Sums.add(1, 2) == 3 : "why";` and `if got := add(1, 2); got != 3 {`. */
function inComparisons(text: string): readonly Edit[] {
  const found = text.matchAll(/^[ \t]*(?:assert\s[^(\n]|(?:\}\s*else\s+)?if\b)[^\n]*?[!=]=\s*(-?\d+(?:\.\d+)?|"[^"\n]*")/gm)
  return [...found].flatMap(({ index, 0: all, 1: value = '' }) => {
    const end = index + all.length
    return otherValue(text, { start: end - value.length, end })
  })
}

/** `[ "$(sh sum.sh 1 2)" = 3 ] || exit 1` and `same "$(sh sum.sh 1 2)" 3`. */
function inShell(text: string): readonly Edit[] {
  return [
    ...text.matchAll(/^\s*[a-z]\w*\s+"\$\([^"\n]*\)"\s+["']?(?=\w)/gm),
    ...text.matchAll(/\s(?:==?|-eq)\s+["']?(?=[^\s"'$=][^\n]*\]\s*\|\|[^\n]*\b(?:exit|return|fail|false)\b)/g),
  ].map(({ index, 0: all }) => {
    const start = index + all.length
    return { start, end: start, text: '7' }
  })
}

/** As little different as can be: what equals everything near it equals this, too. */
function otherNumber(number: string): string {
  return `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`
}

/** A value as another one; nothing if it isn't written as a value, so that nobody knows what it is. */
function otherValue(text: string, { start, end }: Span): readonly Edit[] {
  const value = text.slice(start, end)
  const bare = value.replaceAll(STRINGS, '""').replaceAll(/[\w$]+\s*:/g, '')
  if (/[(`=]|\$\{/.test(bare) || bare.match(/(?<![\w.])[A-Za-z_$][\w$]*/g)?.some((word) => !CONSTANTS.has(word))) return []
  const literal = /(['"])|(?<![\w.])(\d[\d_]*(?:\.\d+)?)|\b(?:true|false|True|False|null|undefined|None)\b/.exec(value)
  if (!literal) return []
  const { index, 0: word, 1: quote, 2: number } = literal
  const at = start + index
  if (quote !== undefined) return [{ start: at + 1, end: at + 1, text: '~' }]
  if (number !== undefined) return [{ start: at, end: at + number.length, text: otherNumber(number) }]
  return [{ start: at, end: at + word.length, text: INVERSE[word] ?? '7' }]
}

const STRINGS = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g
const INVERSE: Readonly<Record<string, string>> = { true: 'false', false: 'true', True: 'False', False: 'True' }
const CONSTANTS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'undefined', 'True', 'False', 'None'])

/** What stands between the brackets that open here, separated by commas. */
function argumentsOf(text: string, open: number): readonly Span[] {
  const found: Span[] = []
  let start = open + 1
  const end = closingOf(text, open, (comma) => {
    found.push({ start, end: comma })
    start = comma + 1
  })
  return end === undefined
    ? []
    : [...found, { start, end: end - 1 }].filter((each) => text.slice(each.start, each.end).trim() !== '')
}

/** Where the bracket that opens here is closed; strings are skipped. */
function closingOf(text: string, open: number, onComma?: (index: number) => void): number | undefined {
  let depth = 0
  for (let index = open; index < text.length; index += 1) {
    const sign = text[index]!
    if (sign === '"' || sign === "'" || sign === '`') index = stringEnd(text, index)
    else if ('([{'.includes(sign)) depth += 1
    else if (')]}'.includes(sign)) depth -= 1
    else if (sign === ',' && depth === 1) onComma?.(index)
    if (depth === 0) return index + 1
  }
  return undefined
}

function stringEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1
    else if (text[index] === text[start]) return index
  }
  return text.length
}

function lineBefore(text: string, index: number): string {
  return text.slice(text.lastIndexOf('\n', index - 1) + 1, index)
}

function isInComment(text: string, index: number, hasHash: boolean): boolean {
  const line = lineBefore(text, index)
  return hasHash ? /(?:^|\s)#/.test(line) : /(?:^|\s)\/\/|^\s*\*/.test(line)
}

function withEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (all, { start, end, text: to }, index, list) =>
        end > (list[index - 1]?.start ?? Infinity) ? all : all.slice(0, start) + to + all.slice(end),
      text,
    )
}
