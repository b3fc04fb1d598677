/**
 * The text with comments, strings, template texts and regular expressions blanked, character for character: what is left is code,
 * at its old place. Enough for rules that look for words; it is no parser.
 */
export function codeOnly(text: string): string {
  const scan: Scan = { text, at: 0, code: '' }
  readCode(scan, false)
  return scan.code
}

interface Scan {
  readonly text: string
  at: number
  code: string
}

/** Reads to the end, or inside a template to the brace that closes `${`. */
function readCode(scan: Scan, isInTemplate: boolean): void {
  let depth = 0
  while (scan.at < scan.text.length) {
    const char = scan.text[scan.at] as string
    if (scan.text.startsWith('//', scan.at)) blankTo(scan, endOf(scan, '\n', 0))
    else if (scan.text.startsWith('/*', scan.at)) blankTo(scan, endOf(scan, '*/', 2))
    else if (char === "'" || char === '"') readQuoted(scan, char)
    else if (char === '`') readTemplate(scan)
    else if (char === '/' && isRegexNext(scan.code)) readQuoted(scan, '/')
    else {
      if (char === '{') depth += 1
      if (char === '}') depth -= 1
      if (isInTemplate && depth < 0) return
      keep(scan)
    }
  }
}

/** A string or a regular expression, both of which end on their line. */
function readQuoted(scan: Scan, quote: string): void {
  keep(scan)
  let isInClass = false
  while (scan.at < scan.text.length && scan.text[scan.at] !== '\n') {
    const char = scan.text[scan.at]
    if (char === quote && !isInClass) break
    if (quote === '/' && char === '[') isInClass = true
    if (char === ']') isInClass = false
    blankTo(scan, scan.at + (char === '\\' ? 2 : 1))
  }
  keep(scan)
}

function readTemplate(scan: Scan): void {
  keep(scan)
  while (scan.at < scan.text.length && scan.text[scan.at] !== '`') {
    if (scan.text.startsWith('${', scan.at)) {
      keep(scan)
      keep(scan)
      readCode(scan, true)
      keep(scan)
    } else blankTo(scan, scan.at + (scan.text[scan.at] === '\\' ? 2 : 1))
  }
  keep(scan)
}

/** A slash after a value divides; anywhere else it begins a regular expression. */
function isRegexNext(codeBefore: string): boolean {
  const before = codeBefore.trimEnd()
  return (
    before === '' || /[(,=:[!&|?{;+\-*%~^<>]$/.test(before) || /\b(?:return|typeof|case|in|of|throw|else|yield)$/.test(before)
  )
}

function endOf(scan: Scan, mark: string, width: number): number {
  const found = scan.text.indexOf(mark, scan.at + width)
  return found < 0 ? scan.text.length : found + width
}

function keep(scan: Scan): void {
  scan.code += scan.text[scan.at] ?? ''
  scan.at += 1
}

function blankTo(scan: Scan, end: number): void {
  scan.code += scan.text.slice(scan.at, end).replaceAll(/[^\n]/g, ' ')
  scan.at = end
}
