import { ownFrame, type OwnFrame } from './own-frame.ts'
import { plainPath } from './source-location.ts'

/**
 * The innermost frame in the user's own code of a stack of any language: Python (also as pytest shows it), Go, Rust, Java, .NET and
 * JavaScript; `undefined` where there is none. Of chained errors in Python the last stack counts, elsewhere the first.
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
  // What reads JavaScript would take a frame of Java for its own.
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

/** The function stands on the line above: `example.com/shop/login.read(...)`, then `\t/x/login.go:9 +0x93`. */
function goFrame(line: string, above = ''): Place | undefined {
  if (!line.startsWith('\t')) return undefined
  const place = /^\t(\S.*\.go):(\d+)(?: \+0x[\da-f]+)?$/.exec(line)
  const call = /^(\S+)\([^()]*\)$/.exec(above)
  if (place === null || call === null) return undefined
  return { name: call[1] ?? '', file: place[1] ?? '', line: place[2] ?? '' }
}

/** The function stands on the line above: `5: login::port`, then `at ./src/lib.rs:9:26`. */
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

/** pytest shows the function to the line that failed, so the nearest `def` above is the one. */
function definedAbove(lines: readonly string[], index: number): string {
  for (let at = index - 1; at >= Math.max(0, index - LINES_SHOWN_MAX); at -= 1) {
    const line = lines[at] ?? ''
    if (line.startsWith('_ _ _')) return ''
    const name = /^\s*(?:async )?def (\w+)\(/.exec(line)?.[1]
    if (name !== undefined) return name
  }
  return ''
}
