/** The error that pytest marks with `E` in what it shows of a failure, without the indent; empty where it marks none. */
export function pytestError(section: string): string {
  const lines: string[] = []
  for (const match of section.matchAll(/^E(?: {3}(.*))?$/gm)) {
    lines.push(match[1] ?? '')
    if (lines.length >= LINES_MAX) break
  }
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents, INDENT_MAX)
  return lines
    .map((line) => line.slice(indent).trimEnd())
    .join('\n')
    .trim()
}

const LINES_MAX = 15
const INDENT_MAX = 80
