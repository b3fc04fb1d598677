// Records the demo as an animated SVG: runs `pawl demo` for real and draws each line when it was printed.
//
//   node scripts/record-demo.ts        writes docs/demo.svg
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const ROOT = join(import.meta.dirname, '..')
const COLUMNS = 80
const LINE_HEIGHT = 18
const CHARACTER_WIDTH = 8.4
const PADDING = 16
/** Nobody wants to watch an agent think: longer pauses are cut to this. */
const PAUSE_MS_MAX = 900
/** Lines of one burst appear one after the other, so that eyes can follow. */
const PAUSE_MS_MIN = 60

interface Line {
  readonly text: string
  readonly atMs: number
}

const lines = await recorded()
writeFileSync(join(ROOT, 'docs', 'demo.svg'), drawn(lines))
process.stdout.write(`docs/demo.svg: ${lines.length} lines\n`)

/** The lines of a real run with the time of each. */
async function recorded(): Promise<readonly Line[]> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', COLUMNS: String(COLUMNS) }
  const child = spawn(join(ROOT, 'bin', 'pawl'), ['demo'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const found: Line[] = []
  let atMs = 0
  let before = performance.now()
  for await (const text of createInterface({ input: child.stdout })) {
    if (text.startsWith('The projects are still there')) break
    const now = performance.now()
    atMs += Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, now - before))
    before = now
    // Where the copies are is of no interest.
    if (!text.startsWith('$ cd ')) found.push({ text: cut(text), atMs })
  }
  child.kill()
  return found
}

function cut(text: string): string {
  return text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text
}

function drawn(shown: readonly Line[]): string {
  const width = Math.round(COLUMNS * CHARACTER_WIDTH + 2 * PADDING)
  const height = shown.length * LINE_HEIGHT + 2 * PADDING
  const rows = shown.map(({ text, atMs }, index) => {
    const y = PADDING + (index + 0.75) * LINE_HEIGHT
    const appears = `<set attributeName="visibility" to="visible" begin="${(atMs / 1000).toFixed(2)}s"/>`
    return `<text x="${PADDING}" y="${y}" fill="${colourOf(text)}" visibility="hidden" xml:space="preserve">${escaped(text)}${appears}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<title>Three short loops: a success, a question, and an agent that cheats</title>
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
${rows.join('\n')}
</svg>
`
}

function colourOf(text: string): string {
  if (/^✓| ✓ /.test(text)) return '#7ee787'
  if (text.startsWith('■')) return '#e3b341'
  if (/ ✗ /.test(text)) return '#ff7b72'
  return /^(?:\d\.|\$)|pawl (?:answer|show|diff|restore)/.test(text) ? '#79c0ff' : '#d6d9de'
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
