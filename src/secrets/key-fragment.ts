import type { SecretSpan } from './secret-span.ts'

/**
 * Finds lines out of the middle of a private key, where neither its beginning nor its end is to be seen: a diff that changes one line of it, or
 * a few lines that a program printed. They are at least three lines below each other, of 64 characters of base64 each (70 as OpenSSH writes
 * them), with what a diff puts before them. Nobody can tell such lines from those of a certificate, so they stay only where something says
 * that everybody may know them: the mark of such a block around them, or the name of the file in the diff. Fingerprints do not mix capitals and
 * small letters, integrities of packages stand alone, and pictures and maps in base64 have lines of other lengths.
 */
export function findKeyFragments(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  let run: Run | undefined
  let isPublicFile = false
  let sincePublicMark = Infinity
  const close = (end: number) => {
    if (run !== undefined && run.lines >= LINES_MIN && !run.isPublic) spans.push({ start: run.start, end, kind: 'private-key' })
    run = undefined
  }
  for (let start = 0; start <= text.length;) {
    const end = endOfLine(text, start)
    const line = end - start > LINE_LENGTH_MAX ? '' : text.slice(start, end)
    const length = keyLineLength(line)
    if (length !== undefined && (run === undefined || run.length === length)) {
      run ??= { start, end, length, lines: 0, isPublic: isPublicFile || sincePublicMark <= HEADER_LINES_MAX }
      run.lines++
      run.end = end
    } else if (run !== undefined) {
      const isLast = isLastLine(line, run.length)
      if (isPublicEnd(text, isLast ? end : start - 1)) run.isPublic = true
      close(isLast ? end : run.end)
    }
    sincePublicMark = PUBLIC_MARK.test(line) ? 0 : sincePublicMark + 1
    if (FILE.test(line)) isPublicFile = PUBLIC_FILE.test(line)
    start = end + 1
  }
  close(run?.end ?? text.length)
  return spans
}

interface Run {
  readonly start: number
  readonly length: number
  end: number
  lines: number
  isPublic: boolean
}

const LINES_MIN = 3
const LINE_LENGTH_MAX = 200

/** A line `Version:`, one `Comment:` and an empty one may stand between the mark of a block and what it holds. */
const HEADER_LINES_MAX = 4

/** What stands before a line of a key: the signs of a diff, also the head of a hunk, in which git repeats a line from above, its number, blanks and quotation marks. */
const BEFORE = String.raw`^(?:@@ [-+0-9, ]{1,60}@@ |[ \t]{0,8}[0-9]{1,6}[:|\t→])?(?=([ \t|>"'${'`'}]*))\1[-+]?(?=([ \t|>"'${'`'}]*))\2`
const AFTER = String.raw`(?:\\n)?[\s"'${'`'},+\\]*$`
const KEY_LINE = new RegExp(`${BEFORE}([A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{6})?)${AFTER}`)
const LAST_LINE = new RegExp(
  `${BEFORE}((?:[A-Za-z0-9+/]{4}){1,17}(?:[A-Za-z0-9+/]{2,3}={1,2})?|[A-Za-z0-9+/]{2,3}={1,2})${AFTER}`,
)
const PUBLIC_MARK = /---- ?BEGIN (?![A-Z0-9 ]*PRIVATE)/
const PUBLIC_END = /---- ?END (?![A-Z0-9 ]*PRIVATE)/
/** The name of a file in a diff; one that is taken away has it only above. */
const FILE = /^(?:---|\+\+\+) (?!\/dev\/null)/
const PUBLIC_FILE = /\.(?:crt|cer|csr|crl|pub|p7b|sig)"?\s*$|[/_.-](?:cacert|ca-bundle|fullchain|chain|certs?)\.pem"?\s*$/i

function keyLineLength(line: string): number | undefined {
  if (line.length < 64) return undefined
  const held = KEY_LINE.exec(line)?.[3]
  return held !== undefined && isMixed(held) ? held.length : undefined
}

function isLastLine(line: string, length: number): boolean {
  const held = LAST_LINE.exec(line)?.[3]
  return held !== undefined && held.length <= length && (held.endsWith('=') || isMixed(held))
}

/** Whether one of the next lines ends a block that everybody may know. */
function isPublicEnd(text: string, from: number): boolean {
  let end = from
  for (let line = 0; line < 3 && end < text.length; line++) end = endOfLine(text, end + 1)
  return PUBLIC_END.test(text.slice(from, Math.min(end, from + 3 * LINE_LENGTH_MAX)))
}

function isMixed(held: string): boolean {
  return /[a-z]/.test(held) && /[A-Z]/.test(held) && /[0-9]/.test(held)
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
