/** Tests with other expected values: on working code they have to fail. */
export interface AlteredTests {
  readonly files: ReadonlyMap<string, string>
  /** The tests, by id, whose own expectations are other ones. */
  readonly ids: readonly string[]
  /** Set if what a test says passes through the project's code: a class or a comparison of its own, or a callback with the assertion in it. */
  readonly isIndirect: boolean
}

/**
 * Alters what these tests expect: `assert.equal(add(1, 2), 3)` expects another number. `texts` are the test files by path. A test that can
 * be found by its title is altered alone; otherwise the whole file that its id names. `scripts` are those that `checks` run, which name no
 * tests. `code` is what the work changed.
 */
export function alterTests(
  ids: readonly string[],
  texts: ReadonlyMap<string, string>,
  {
    checks,
    scripts,
    code = '',
  }: { readonly checks: ReadonlySet<string>; readonly scripts: ReadonlySet<string>; readonly code?: string },
): AlteredTests {
  const spans = new Map<string, Span[]>()
  const found = new Map<string, { readonly path: string; readonly span: Span }>()
  const all = [...texts]
  for (const id of ids) {
    const named = all.filter(([path]) => (checks.has(id) ? scripts.has(path) : isNamedBy(id, path)))
    const places = (named.length > 0 ? named : all).flatMap(([path, text]) =>
      bodiesOf(path, text, titleOf(id)).map((span) => ({ path, span })),
    )
    const [place] = places
    if (place && places.length === 1) found.set(id, place)
    else if (named.length === 0) for (const { path, span } of places) spans.set(path, [...(spans.get(path) ?? []), span])
    else for (const [path, text] of named) spans.set(path, [{ start: 0, end: text.length }])
  }
  for (const { path, span } of found.values()) spans.set(path, [...(spans.get(path) ?? []), span])
  const files = new Map<string, string>()
  const altered = new Set<string>()
  let isIndirect = false
  for (const [path, chosen] of spans) {
    const text = texts.get(path) ?? ''
    const edits = expectationsIn(path, text).filter(({ start, end }) =>
      chosen.some((span) => span.start <= start && end <= span.end),
    )
    if (edits.length === 0) continue
    isIndirect ||= edits.some(({ start, through }) => {
      const span = chosen.find((each) => each.start <= start && start <= each.end)
      const isThrough = through !== undefined && new RegExp(String.raw`(?<![\w$])${through}(?![\w$])`).test(code)
      return isThrough || isHandedOn(path, text, span?.start ?? 0, start)
    })
    files.set(path, withEdits(text, edits))
    for (const [id, { path: file, span }] of found)
      if (file === path && edits.some(({ start, end }) => span.start <= start && end <= span.end)) altered.add(id)
  }
  return { files, ids: [...altered], isIndirect }
}

/** Whether an assertion is in a callback or a block that something other than the runner or the language runs. */
function isHandedOn(path: string, text: string, from: number, index: number): boolean {
  if (path.endsWith('.py')) {
    const before = text
      .slice(0, from)
      .split('\n')
      .slice(-DECORATORS_MAX - 1, -1)
      .toReversed()
    const end = before.findIndex((line) => !/^\s*@/.test(line))
    const decorators = before.slice(0, end < 0 ? undefined : end)
    if (decorators.some((line) => !/^\s*@(?:pytest|unittest|mock|patch|staticmethod|classmethod|parameterized)\b/.test(line)))
      return true
    return text
      .slice(from, index)
      .split('\n')
      .slice(1)
      .some((line) => /^\s*(?:async )?(?:with\s+(?!(?:pytest|self|mock|patch|open|tempfile|warnings)\b)|def\s)/.test(line))
  }
  const open: { readonly name: string; hasCallback: boolean }[] = []
  for (let at = from; at < index; at += 1) {
    const sign = text[at]!
    if (sign === '"' || sign === "'" || sign === '`') at = stringEnd(text, at)
    else if (sign === '(') {
      const name = /[\w$.]*$/.exec(text.slice(Math.max(from, at - NAME_LENGTH_MAX), at))?.[0] ?? ''
      if (FUNCTION.test(name) && open.length > 0) open.at(-1)!.hasCallback = true
      open.push({ name, hasCallback: false })
    } else if (sign === ')') open.pop()
    else if (sign === '=' && text[at + 1] === '>' && open.length > 0) open.at(-1)!.hasCallback = true
  }
  return open.some(({ name, hasCallback }) => hasCallback && name !== '' && !RUNS_CALLBACKS.test(name))
}

const DECORATORS_MAX = 8
const NAME_LENGTH_MAX = 60
/** What runs a callback and lets its failure through: runners, assertions, and the language's own functions. */
const RUNS_CALLBACKS =
  /^(?:(?:\w+\.)*(?:test|it|describe|suite|context|specify|step|subtest)|(?:before|after)(?:Each|All)?|(?:\w+\.)+(?:skip|only|each|concurrent|before|after|Run)|(?:\w+\.)*(?:assert\w*|expect|is|ok|throws|rejects|doesNotThrow|doesNotReject)|[\w$.]*\.(?:forEach|map|filter|some|every|reduce|then|catch|finally|flatMap|find\w*|toSorted|sort|from|all|allSettled|race)|if|for|while|switch|catch|setTimeout|setImmediate|queueMicrotask|Promise)$/i
const FUNCTION = /^(?:function|func|fn)$/

/** Whether a test compares with something that it hasn't written out, so that what it expects may come from elsewhere. */
export function comparesUnwritten(path: string, text: string): boolean {
  const unwritten = expectationsIn(path, text).filter(
    ({ text: to }) => to === UNLIKE.python || to === UNLIKE.script || to.endsWith(FAR_OFF),
  )
  if (unwritten.length === 0) return false
  const imported = [...text.matchAll(path.endsWith('.py') ? PYTHON_IMPORT : IMPORT)]
  const names = new Set(imported.flatMap(([, one = '', two = '']) => `${one} ${two}`.match(/[\w$]+/g) ?? []))
  const starts = [0, ...[...text.matchAll(TEST_BEGIN)].map(({ index }) => index), text.length]
  // Where two files of data are compared, either may be what was to be put right.
  return unwritten.some(({ start }) => {
    const next = starts.findIndex((each) => each > start)
    const calls = text.slice(starts[next - 1], starts[next]).matchAll(/(?<![\w$.])([\w$]+)(?:\.[\w$]+)*\s*\(/g)
    return [...calls].some(([, name = '']) => names.has(name))
  })
}

/** What a test imports from the project. */
const IMPORT =
  /\bimport\s+([^'"]*?)\s+from\s*['"][.#@]|\b(?:const|let|var)\s+([^=\n]*?)=\s*(?:await\s+import|require)\(\s*['"][.#@]/g
const PYTHON_IMPORT = /^[ \t]*(?:from\s+[\w.]+\s+)?import\s+(\([^)]*\)|[^\n]+)/gm
const TEST_BEGIN = /^[ \t]*(?:test|it|async def test\w*|def test\w*)\b/gm

/** Values that equal nothing. */
const UNLIKE = { python: 'object()', script: '({ pawl: 0 })' } as const
const FAR_OFF = ' + 1e6)'

interface Span {
  readonly start: number
  readonly end: number
}

interface Edit extends Span {
  readonly text: string
  /** What decides whether the two are the same, if it may be the project's own: a class, a function, a tolerance. */
  readonly through?: string
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
  if (/\.(?:rs|go)$/.test(path))
    return [...text.matchAll(new RegExp(`\\b(?:fn|func) ${name}\\([^{]*`, 'g'))].flatMap(({ index, 0: heading }) => {
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
    : [
        ...inCalls(text, isPython ? UNLIKE.python : /\.[cm]?[jt]sx?$/.test(path) ? UNLIKE.script : undefined, isPython),
        ...(isPython ? inStatements(text) : []),
        ...(isCompiled ? inComparisons(text) : []),
      ]
  return edits.filter(({ start }) => !isInComment(text, start, isPython || isShell || /\.(?:t|pl|rb)$/.test(path)))
}

const EQUALITY = /(?:equals?|eq!?|same|is|is_deeply|assertIs)$/i
const TRUTH = /^(?:assert|ok|REQUIRE|CHECK|(?:EXPECT|ASSERT)_TRUE|assertTrue)$|\.(?:ok|assertTrue|truthy|true|isTrue)$/
const COMPARES =
  /^(?:\s*\.(?!not\b)\w+)*?\s*\.(?:toBe|toEqual|toStrictEqual|toHaveLength|toContain(?:Equal)?|toMatchObject|equals?|eql|eq)\s*\(/

/** A helper of the tests' own that compares: `checkSum(add(1, 2), 3)`. */
const HELPER = /^(?:check|verify|compare|expect|must|should)(?:[A-Z_]\w*)?$/

/** A comparison of the project's own, by its last name. */
const OWN_COMPARISON =
  /(?:^|[._])(?:(?:[aA]ssert|[cC]heck|[vV]erify|[mM]ust|[sS]hould)(?:[A-Z_]\w*)?|[sS]ame|[eE]quals?|[eE]q|[iI]dentical|[mM]atches)$/

function partOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).replace('!', '')
}

function isEquality(name: string): boolean {
  return (
    (EQUALITY.test(name) && /^(?:(?:\w+\.)*assert|t\.|self\.|is|eq|same|equal)/i.test(name)) ||
    /^(?:EXPECT|ASSERT)_(?:STR)?EQ$/.test(name)
  )
}

/** `unlike` is a value that equals nothing, where the language has one. */
function inCalls(text: string, unlike: string | undefined, isPython: boolean): readonly Edit[] {
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
            .flatMap((each) => otherExpectation(text, each, unlike)),
        )
    } else if (isEquality(name) || (HELPER.test(name) && /^[ \t]*(?:await )?$/.test(lineBefore(text, index)))) {
      const [first, second] = argumentsOf(text, open)
      if (!first || !second) continue
      const [literal] = [second, first].flatMap((each) => otherValue(text, each))
      const other = isEquality(name) ? otherExpectation(text, second, unlike) : otherInside(text, second)
      const edit = literal ?? other[0]
      if (edit) edits.push({ through: partOf(name), ...edit })
    } else if (!TRUTH.test(name) && OWN_COMPARISON.test(name) && /^[ \t]*(?:await )?$/.test(lineBefore(text, index))) {
      // `must.Same(t, Add(1, 2), 3)`.
      const given = argumentsOf(text, open)
      const last = given.length > 1 ? given.at(-1) : undefined
      edits.push(...(last ? otherValue(text, last) : []).map((edit) => ({ ...edit, through: partOf(name) })))
    } else if (TRUTH.test(name)) {
      const [first] = argumentsOf(text, open)
      const [before, after] = isPython ? ['not (', ')'] : ['!(', ')']
      if (!first) continue
      const [other] = inComparison(text, first)
      edits.push(other ?? { ...first, text: `${before}${text.slice(first.start, first.end).trim()}${after}` })
    }
  }
  return edits
}

/** Python's own `assert add(1, 2) == 3` and `assert is_close(add(1, 2), 3)`. */
function inStatements(text: string): readonly Edit[] {
  const compared = [
    ...text.matchAll(/^[ \t]*assert[ \t]+(?!\()([^\n]*?)[ \t]*(?:==|\bis)[ \t]*([^\n#]+?)[ \t]*(?:#[^\n]*)?$/gm),
  ].flatMap(({ index, 0: all, 2: value = '' }) => {
    const start = index + all.lastIndexOf(value)
    return otherExpectation(text, { start, end: start + value.length }, UNLIKE.python)
  })
  const stated = [...text.matchAll(/^[ \t]*assert[ \t]+(?!\(|not\b)([^\n#=]+?)[ \t]*(?:#[^\n]*)?$/gm)].flatMap(
    ({ index, 0: all, 1: value = '' }) => {
      const start = index + all.indexOf(value)
      return inComparison(text, { start, end: start + value.length })
    },
  )
  return [...compared, ...stated]
}

/** `isClose(add(1, 2), 3)`, `sum.equals(new Point(2, 3))` and `Math.abs(add(1, 2) - 3) < EPSILON`, with something else to compare with. */
function inComparison(text: string, { start, end }: Span): readonly Edit[] {
  const value = text.slice(start, end).trimEnd()
  const near = /^(.*\babs\(.*-\s*)(\d+(?:\.\d+)?)\s*\)\s*<=?\s*(?:\w+\.)*([A-Za-z_]\w*)$/.exec(value)
  if (near) {
    const [, before = '', number = '', through = ''] = near
    const at = start + before.length
    return [{ start: at, end: at + number.length, text: `(${number}${FAR_OFF}`, through }]
  }
  const call = [...value.matchAll(COMPARATOR)].find(({ index, 0: name }) => {
    const open = start + index + name.length - 1
    return closingOf(text, open) === start + value.length
  })
  const last = call && argumentsOf(text, start + call.index + call[0].length - 1).at(-1)
  const through = call?.[0].replace(/\s*\($/, '') ?? ''
  return last ? [...otherValue(text, last), ...otherInside(text, last)].slice(0, 1).map((edit) => ({ ...edit, through })) : []
}

const COMPARATOR = /\w*(?:[eE]quals?|[eE]q|[sS]ame|[cC]lose(?:To)?|[nN]ear(?:ly)?|[aA]pprox\w*|[iI]dentical)\s*\(/g

const COMPILED = /\.(?:c|cc|cpp|cxx|m|java|kt|go|cs|swift|scala|php)$/

/** `assert Sums.add(1, 2) == 3 : "why";` and `if got := add(1, 2); got != 3 {`. */
function inComparisons(text: string): readonly Edit[] {
  const found = text.matchAll(/^[ \t]*(?:assert\s[^(\n]|(?:\}\s*else\s+)?if\b)[^\n]*?[!=]=\s*(-?\d+(?:\.\d+)?|"[^"\n]*")/gm)
  const refused = text.matchAll(/^[ \t]*if\s+\(?!([^\n]*?\.?Equals?\([^\n]*\))\)?\s*\{/gm)
  return [
    ...[...found].flatMap(({ index, 0: all, 1: value = '' }) => {
      const end = index + all.length
      return otherValue(text, { start: end - value.length, end })
    }),
    ...[...refused].flatMap(({ index, 0: all, 1: value = '' }) => {
      const start = index + all.indexOf(value)
      return inComparison(text, { start, end: start + value.length })
    }),
  ]
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

/** What an assertion compares with as something else: as little as can be if it is written out, otherwise something that equals nothing. */
function otherExpectation(text: string, span: Span, unlike: string | undefined): readonly Edit[] {
  const written = [...otherValue(text, span), ...otherInside(text, span)]
  if (written.length > 0 || unlike === undefined) return written.slice(0, 1)
  const { length } = text.slice(span.start, span.end).trimEnd()
  const start = span.end - text.slice(span.start, span.end).trimStart().length
  return [{ start, end: span.start + length, text: unlike }]
}

/** An object that is made of values, `new Point(2, 3)` or `V{3}`, made of others. */
function otherInside(text: string, { start, end }: Span): readonly Edit[] {
  const made = /^\s*(?:new\s+|&)?(?:\w+\.)*([A-Z]\w*)\s*[({]/.exec(text.slice(start, end))
  if (!made) return []
  const from = start + made[0].length
  const [literal] = /(?<![\w.])\d[\d_]*(?:\.\d+)?|['"]/.exec(text.slice(from, end)) ?? []
  if (literal === undefined) return []
  const at = text.indexOf(literal, from)
  const isText = literal === '"' || literal === "'"
  const edit = isText
    ? { start: at + 1, end: at + 1, text: '~' }
    : { start: at, end: at + literal.length, text: otherNumber(literal) }
  return [{ ...edit, through: made[1]! }]
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
