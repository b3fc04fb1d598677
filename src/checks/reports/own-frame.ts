import { parseV8OrIeString } from 'error-stack-parser-es/lite'
import { plainPath } from './source-location.ts'

export interface OwnFrame {
  /** `login (src/login.ts:12)`, or only the place where the function has no name. */
  readonly frame: string
  readonly file: string
  readonly line: number
}

/**
 * The innermost frame of a JavaScript stack that lies in the user's own code, not in Node or in `node_modules`; `undefined` where
 * there is none. Reads the stacks of V8 (with or without `at`, as node:test writes them into TAP) and vitest's `❯ fn file:1:2`.
 */
export function ownFrame(stack: string, options: { readonly isBare?: boolean } = {}): OwnFrame | undefined {
  let framesLeft = FRAMES_MAX
  for (let from = 0; from < Math.min(stack.length, CHARACTERS_MAX) && framesLeft > 0;) {
    const newline = stack.indexOf('\n', from)
    const end = newline < 0 ? stack.length : newline
    const line = end - from <= LINE_CHARACTERS_MAX ? v8Line(stack.slice(from, end), options.isBare === true) : undefined
    from = end + 1
    if (line === undefined) continue
    framesLeft -= 1
    const found = frameIn(line)
    if (found !== undefined) return found
  }
  return undefined
}

const FRAMES_MAX = 200
const CHARACTERS_MAX = 100_000
/** The library's patterns go back and forth on long lines. */
const LINE_CHARACTERS_MAX = 1000

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
