import { fileURLToPath } from 'node:url'
import { parseV8OrIeString } from 'error-stack-parser-es/lite'

/**
 * The innermost frame in the user's own code, from a stack of Python (also as pytest shows it), Go, Rust, Java, .NET or JavaScript;
 * `undefined` if there is none. For chained errors the last stack counts in Python, elsewhere the first.
 */
export function stackFrame(text: string): OwnFrame | undefined {
  const shown = text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX / 2)}\n${text.slice(-CHARACTERS_MAX / 2)}` : text
  const lines = shown.split('\n')
  let python: OwnFrame | undefined
  let isManaged = false
  for (const [index, whole] of lines.entries()) {
    if (whole.length > LINE_CHARACTERS_MAX) continue
    const line = whole.trim()
    python = pythonFrame(line, lines, index) ?? python
    const managed = managedFrame(line)
    isManaged ||= managed !== undefined
    const found = own(managed) ?? own(goFrame(whole, lines[index - 1])) ?? own(rustFrame(line, lines[index - 1]))
    if (found !== undefined) return found
  }
  // The JavaScript reader would accept a Java frame.
  return python ?? (isManaged ? undefined : ownFrame(shown))
}

const CHARACTERS_MAX = 60_000
const LINE_CHARACTERS_MAX = 1000

interface Place {
  readonly name: string
  readonly file: string
  readonly line: string
}

function own(place: Place | undefined): OwnFrame | undefined {
  if (place === undefined || FOREIGN_FILE.test(place.file) || FOREIGN_NAME.test(place.name)) return undefined
  const file = plainPath(place.file)
  const at = `${file}:${place.line}`
  return { frame: place.name === '' ? at : `${place.name} (${at})`, file, line: Number(place.line) }
}

/** Of a runtime, a standard library or a dependency. */
const FOREIGN_FILE =
  /(?:^|[/\\])(?:node_modules|site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python\d|^<|^\/rustc\/|[/\\]\.cargo[/\\]registry|[/\\]rustlib[/\\]|[/\\]pkg[/\\]mod[/\\]|[/\\]go(?:-[\d.]+)?[/\\]src[/\\]|^_testmain\.go$|^\/_\/src\//
const FOREIGN_NAME =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|org\.(?:junit|opentest4j|hamcrest|assertj|testng|mockito|apache\.maven|gradle)|System|Microsoft|Xunit|NUnit)\.|^[\w.]+\/(?:java|jdk|sun)\.|^(?:testing|runtime)\.|^panic$/

/** Java and its kin: `at com.example.Login.read(Login.java:15)`; .NET: `at Shop.Login.Read(String key) in /x/Login.cs:line 15`. */
function managedFrame(line: string): Place | undefined {
  if (!line.startsWith('at ')) return undefined
  const java = /^at ([\w.$<>/@-]+)\(([\w$-]+\.(?:java|kt|scala|groovy|clj))?:?(\d+)?[^()]*\)$/.exec(line)
  if (java?.[1] !== undefined && /\((?:Native Method|Unknown Source|[^()]+\.(?:java|kt|scala|groovy|clj)(?::\d+)?)\)$/.test(line))
    return { name: java[1], file: java[2] ?? '<unknown>', line: java[3] ?? '0' }
  const dotnet = /^at ([^()]+)\(.*\) in (.+):line (\d+)$/.exec(line)
  return dotnet === null ? undefined : { name: dotnet[1] ?? '', file: dotnet[2] ?? '', line: dotnet[3] ?? '' }
}

/** The function is on the line above: `example.com/shop/login.read(...)`, then `\t/x/login.go:9 +0x93`. */
function goFrame(line: string, above = ''): Place | undefined {
  if (!line.startsWith('\t')) return undefined
  const place = /^\t(\S.*\.go):(\d+)(?: \+0x[\da-f]+)?$/.exec(line)
  const call = /^(\S+)\([^()]*\)$/.exec(above)
  if (place === null || call === null) return undefined
  return { name: call[1] ?? '', file: place[1] ?? '', line: place[2] ?? '' }
}

/** The function is on the line above: `5: login::port`, then `at ./src/lib.rs:9:26`. */
function rustFrame(line: string, above = ''): Place | undefined {
  const place = line.startsWith('at ') ? /^at (\S.*\.rs):(\d+)(?::\d+)?$/.exec(line) : null
  if (place === null) return undefined
  const name = /^\s*\d+: +(?:0x[\da-f]+ - )?(.+)$/.exec(above)?.[1]
  if (name === undefined) return undefined
  return { name: name.replace(/::h[\da-f]{16}$/, ''), file: place[1] ?? '', line: place[2] ?? '' }
}

/** A traceback's `File "x.py", line 6, in read`; pytest's `x.py:6: in read` and, under a shown function, `x.py:6: KeyError`. */
function pythonFrame(line: string, lines: readonly string[], index: number): OwnFrame | undefined {
  if (!line.includes('.py')) return undefined
  const traced = /^(?:E +)?File "([^"]+)", line (\d+)(?:, in (.+))?$/.exec(line)
  if (traced !== null) return own({ name: functionName(traced[3]), file: traced[1] ?? '', line: traced[2] ?? '' })
  const shown = /^([^\s:][^:]*\.py):(\d+): ?(?:in (\S+)|.*)$/.exec(line)
  if (shown === null) return undefined
  return own({ name: functionName(shown[3] ?? definedAbove(lines, index)), file: shown[1] ?? '', line: shown[2] ?? '' })
}

function functionName(name = ''): string {
  return name === '<module>' ? '' : name
}

const LINES_SHOWN_MAX = 80

/** pytest shows the function up to the failed line, so its `def` is the nearest above. */
function definedAbove(lines: readonly string[], index: number): string {
  for (let at = index - 1; at >= Math.max(0, index - LINES_SHOWN_MAX); at -= 1) {
    const line = lines[at] ?? ''
    if (line.startsWith('_ _ _')) return ''
    const name = /^\s*(?:async )?def (\w+)\(/.exec(line)?.[1]
    if (name !== undefined) return name
  }
  return ''
}

export interface OwnFrame {
  /** `login (src/login.ts:12)`, or only the place if the function has no name. */
  readonly frame: string
  readonly file: string
  readonly line: number
}

/**
 * The innermost frame of a JavaScript stack in the user's own code, not in Node or `node_modules`; `undefined` if there is none. Reads
 * V8's stacks (with or without `at`, as node:test writes them into TAP) and vitest's `❯ fn file:1:2`.
 */
export function ownFrame(stack: string, options: { readonly isBare?: boolean } = {}): OwnFrame | undefined {
  let framesLeft = FRAMES_MAX
  for (let from = 0; from < Math.min(stack.length, OWN_CHARACTERS_MAX) && framesLeft > 0;) {
    const newline = stack.indexOf('\n', from)
    const end = newline < 0 ? stack.length : newline
    const line = end - from <= OWN_LINE_CHARACTERS_MAX ? v8Line(stack.slice(from, end), options.isBare === true) : undefined
    from = end + 1
    if (line === undefined) continue
    framesLeft -= 1
    const found = frameIn(line)
    if (found !== undefined) return found
  }
  return undefined
}

const FRAMES_MAX = 200
const OWN_CHARACTERS_MAX = 100_000
/** The library's patterns go back and forth on long lines. */
const OWN_LINE_CHARACTERS_MAX = 1000

function v8Line(line: string, isBare: boolean): string | undefined {
  const text = line.trim()
  const isMarked = text.startsWith('at ') || text.startsWith('❯ ')
  if ((!isMarked && !isBare) || !/:\d+\)?(?: \{)?$/.test(text)) return undefined
  if (text.startsWith('at ')) return text.replace(/ \{$/, '')
  if (text.startsWith('❯ ')) return text.replace(/^❯ (?:(\S.*) )?(\S+)$/, (_, name, place) => `at ${name ?? ''} (${place})`)
  return `at ${text}`
}

function frameIn(line: string): OwnFrame | undefined {
  const [frame] = parseV8OrIeString(line)
  if (frame?.file === undefined || frame.line === undefined || isForeign(frame.file)) return undefined
  const file = plainPath(frame.file)
  const name = (frame.function ?? '').replace(/^async |^new | \[as [^\]]*\]$/g, '').trim()
  const place = `${file}:${frame.line}`
  return { frame: name === '' || name.includes('<anonymous>') ? place : `${name} (${place})`, file, line: frame.line }
}

function isForeign(file: string): boolean {
  return /(?:^|[/\\])node_modules[/\\]|^(?:node|bun|internal|ext|native|evalmachine)[:/]|^(?:async )?node:|^<|^\/rustc\//.test(
    file,
  )
}

export interface SourceLocation {
  readonly file: string
  readonly line: number
}

/** The place in the user's own code that a stack, a code frame or a compiler's line points to; `undefined` if there is none. */
export function sourceLocation(whole: string): SourceLocation | undefined {
  // The patterns backtrack, so the text is bounded.
  const text = whole.slice(0, 20_000)
  // Python prints the innermost frame last.
  const python = [...text.matchAll(/^[ \t]*File "(?<file>[^"\n]+)", line (?<line>\d+)/gm)].findLast(isOwn)
  const found = python ?? PATTERNS.flatMap((pattern) => [...text.matchAll(pattern)].filter(isOwn).slice(0, 1))[0]
  const { file, line } = found?.groups ?? {}
  return file === undefined ? undefined : { file: plainPath(file), line: Number(line) }
}

/** A path with an ending, the line, perhaps the column. */
const PATTERNS: readonly RegExp[] = [
  // stacks, code frames and most compilers: file:///x/a.mjs:8:47, src/a.ts:3:5, at fn (/x/a.js:1:2), src/lib.rs:6:27:
  /(?<![\w./@~+-])(?<file>(?:file:\/\/)?[\w./@~+-]{1,300}\.[A-Za-z]\w{0,5}):(?<line>\d{1,7})(?::\d+)?\b/g,
  // tsc: src/a.ts(3,5): error
  /(?<![\w./@~+-])(?<file>[\w./@~+-]{1,300}\.[A-Za-z]\w{0,5})\((?<line>\d{1,7}),\d+\)/g,
]

function isOwn(match: RegExpMatchArray): boolean {
  const file = match.groups?.['file'] ?? ''
  const before = match.input?.slice(Math.max(0, (match.index ?? 0) - ADDRESS_LENGTH_MAX), match.index) ?? ''
  if (/(?:^|\/)(?:node_modules|site-packages)\/|^<|^\/rustc\//.test(file) || before.endsWith('node:')) return false
  const [wordBefore = ''] = /[^\s"'`()<>]*$/.exec(before) ?? []
  return !isInAddress(`${wordBefore}${file}`)
}

const ADDRESS_LENGTH_MAX = 400

/** What follows `scheme://`, and `user@host`, whose port looks like a line number, aren't files. */
export function isInAddress(word: string): boolean {
  return /(?<!\bfile):\/\//.test(word) || /@[^/]*$/.test(word)
}

/** A path as people write it: no `file://`, no `./` before it. */
export function plainPath(file: string): string {
  if (!file.startsWith('file://')) return file.replace(/^\.\//, '')
  try {
    return fileURLToPath(file)
  } catch {
    // Not a valid URL (file:// with a host): better than nothing.
    return file
  }
}
