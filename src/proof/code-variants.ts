import type { Texts } from './crossing.ts'
import { comparesUnwritten } from './altered-tests.ts'
import { closing } from './embedded-tests.ts'

type ChangedTexts = ReadonlyMap<string, Texts>

/**
 * The changed code with the values that tests take from it as they were at the start: constants, and files of data. A test that has what it
 * expects written out compares with nothing else, so its files are left as they are. Without `tests`, whatever may be such a value.
 */
export function withOldValues(code: ChangedTexts, tests?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const texts = tests && [...tests].filter(([path, text]) => comparesUnwritten(path, text)).map(([, text]) => text)
  const isUsed = (name: string): boolean => texts?.some((text) => isWordIn(name, text)) ?? true
  const found = new Map<string, string>()
  for (const [path, { before, now }] of code) {
    if (before === undefined || now === undefined) continue
    const text = DATA.test(path) ? (isUsed(nameOf(path)) ? before : now) : withOldConstants(path, before, now, isUsed)
    if (text !== now) found.set(path, text)
  }
  return found
}

const DATA = /(?<!(?:^|\/)(?:package(?:-lock)?|[jt]sconfig[^/]*))\.(?:json|jsonl|ya?ml|csv|tsv)$/

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function withOldConstants(path: string, before: string, now: string, isUsed: (name: string) => boolean): string {
  const old = constantsIn(path, before)
  return [...constantsIn(path, now)].toReversed().reduce((text, [name, { start, end, value }]) => {
    const was = old.get(name)?.value
    return was === undefined || was === value || !isUsed(name) ? text : text.slice(0, start) + was + text.slice(end)
  }, now)
}

interface Constant {
  readonly start: number
  readonly end: number
  readonly value: string
}

/** What is written out at the top of a file, by name. */
function constantsIn(path: string, text: string): ReadonlyMap<string, Constant> {
  const found = new Map<string, Constant>()
  const pattern = /\.[cm]?[jt]sx?$/.test(path)
    ? /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]+)?=[ \t]*/gm
    : path.endsWith('.py')
      ? /^([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)[ \t]*/gm
      : undefined
  for (const { index, 0: heading, 1: name = '' } of pattern ? text.matchAll(pattern) : []) {
    const start = index + heading.length
    const bracket = text[start] ?? ''
    const line = text.indexOf('\n', start)
    const pair = { '[': '[]', '{': '{}', '(': '()' }[bracket]
    const end = pair === undefined ? (line < 0 ? text.length : line) : closing(text, start, pair)
    const value = text.slice(start, end)
    if (end > start && !COMPUTES.test(value)) found.set(name, { start, end, value })
  }
  return found
}

const COMPUTES = /=>|\b(?:function|class|lambda|await|require|import|async)\b|\w\s*\(/

/** Names by which code sees that a test runs, in new lines of code, changed so that it sees nothing. */
export function withoutTestNames(code: ChangedTexts): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [path, { before = '', now = '' }] of code) {
    if (!/\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|php|java|kt|sh|pl|pm)$/.test(path)) continue
    const known = new Set(before.split('\n'))
    const lines = now.split('\n')
    const text = lines.map((line, at) => {
      // Two services can't listen at the same port, and one that listens keeps the process.
      const starts = lines.slice(at, at + 3).some((each) => /\b(?:listen|serve)\s*\(/.test(each))
      return known.has(line) || starts ? line : line.replaceAll(TEST_NAMES, '$&_')
    })
    if (text.join('\n') !== now) found.set(path, text.join('\n'))
  }
  return found
}

/** Variables that runners and build servers set. */
const TEST_NAMES =
  /(?<![\w$])(?:CI|NODE_ENV|(?<=import\.meta\.env\.)(?:MODE|DEV)|VITEST(?:_\w+)?|JEST_WORKER_ID|NODE_TEST_CONTEXT|PYTEST_\w+|npm_(?:lifecycle|command|execpath)\w*|RAILS_ENV|APP_ENV)(?![\w$])/g

function isWordIn(word: string, text: string): boolean {
  return new RegExp(String.raw`(?<![\w$])${word.replaceAll(/[^\w]/g, String.raw`\$&`)}(?![\w$])`).test(text)
}
