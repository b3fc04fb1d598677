/**
 * The lines of a text in which somebody says something. Blocks of code are left out, also one that is not closed; so are tables, lists,
 * headings, quotes, indented and commented code, progress and the output of tools. What was left out between two lines is not said twice
 * either: a line that stands for it keeps them apart.
 */
export function proseOf(text: string): readonly string[] {
  const prose: string[] = []
  let fence: string | undefined
  let skipped = 0
  for (const whole of linesWithFences(text)) {
    const line = whole.slice(whole.lastIndexOf('\r') + 1).trimEnd()
    const mark = FENCE.exec(line)?.[1]
    const isFence = mark !== undefined && (fence === undefined || mark.startsWith(fence))
    if (isFence) fence = fence === undefined ? mark : undefined
    if (isFence || fence !== undefined || isNoProse(line)) {
      // Numbered, so that what stands for one block never equals what stands for another.
      if (line.trim() !== '' && prose.at(-1) !== `${SKIPPED}${skipped}`) prose.push(`${SKIPPED}${++skipped}`)
    } else if (line.trim() !== '') prose.push(line.trim().replaceAll(/\s+/g, ' ').slice(0, LINE_LENGTH_MAX))
  }
  return prose
}

/** A tail may begin in the middle of a block: then its first fence closes, and what is before it is code. */
function linesWithFences(text: string): readonly string[] {
  const lines = text.split('\n')
  const fences = lines.filter((line) => FENCE.test(line))
  const [first = ''] = fences
  const isOpen = fences.length % 2 === 1 && /^\s*(?:`{3,}|~{3,})\s*$/.test(first) && lines.length > 1
  const closing = lines.indexOf(first)
  const codeBefore = isOpen && lines.slice(0, closing).some((line) => CODE_END.test(line))
  return codeBefore ? lines.slice(closing + 1) : lines
}

const FENCE = /^\s*(`{3,}|~{3,})/
const CODE_END = /[;{}]\s*$/
const LINE_LENGTH_MAX = 4000
const SKIPPED = '\u0000'

function isNoProse(line: string): boolean {
  return NO_PROSE.some((pattern) => pattern.test(line))
}

const NO_PROSE: readonly RegExp[] = [
  // Tables, lists, headings, quotes, dividers.
  /^\s*(?:[|+┃│├└┌]|[-*+•–] |\d{1,4}[.)] |#{1,6} |>|[-=_*~#.]{3,}\s*$)/,
  // Indented code, ends of statements, comments, JSON, diffs, markup.
  /^(?: {4}|\t)|[;{}]$|[\]}],?$|\)[,;]$|^\s*(?:\/\/|\/\*|#!|@@ |diff --git|[{}[\]"<])/,
  // Results of tests and tools.
  /^\s*(?:not ok\b|ok\b|PASS|FAIL|ERROR|WARN|INFO|DEBUG|SKIP|RUNS?\b|[✓✔✗✘×√●○◯⏳]|(?:===|---) |\[[^\]]{1,40}\]|(?:test|Test) .*(?:ok|ok\)|passed|failed|PASSED|FAILED)$|at \S+ \(|[.FEsx]{5,}\s*(?:\[|$))/,
  // Progress: shares, bars, spinners, waiting.
  /\d\s?%|[█▓▒░▏▎▍▌▋▊▉■□]{2}|[#=.-]{6,}|^\s*[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏|/\\-] /,
  /^\s*(?:waiting|downloading|uploading|building|compiling|installing|loading|fetching|polling|retrying|resolving|linking|copying|processing|running|starting|scanning|extracting|rendering)\b/i,
]
