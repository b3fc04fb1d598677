import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { languageOf } from './language.ts'

/** Source texts by path, relative to the folder and with slashes, in a fixed order. */
export type SourceTexts = ReadonlyMap<string, string>

/**
 * Reads the source files under a folder. Left out: what is installed, built or hidden, links (they may lead outside), files
 * over 200 kB, and text that would not come back as the same bytes.
 */
export function readSourceTexts(folder: string, filesMax = 2000): SourceTexts {
  const texts = new Map<string, string>()
  const queue = ['']
  for (let next = queue.shift(); next !== undefined && texts.size < filesMax; next = queue.shift()) {
    const entries = readdirSync(join(folder, next), { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = next ? `${next}/${entry.name}` : entry.name
      if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED_FOLDERS.has(entry.name)) queue.push(path)
      if (!entry.isFile() || !languageOf(path) || texts.size >= filesMax) continue
      const text = readExactText(join(folder, path))
      if (text !== undefined) texts.set(path, text)
    }
  }
  return texts
}

const BYTES_MAX = 200_000
const SKIPPED_FOLDERS = new Set([
  'node_modules',
  'vendor',
  'dist',
  'build',
  'out',
  'target',
  'coverage',
  '__pycache__',
  'venv',
  'obj',
])

function readExactText(path: string): string | undefined {
  if (statSync(path).size > BYTES_MAX) return undefined
  const bytes = readFileSync(path)
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}
