import { readFileSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { TextFile } from './traces.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Not ours, or made by a tool. */
const IGNORED = new Set(['.git', '.pawl', 'coverage', 'dist', 'node_modules'])

/** All text files of the repository. */
export function repository(): TextFile[] {
  return filesUnder(ROOT)
    .map((path) => ({ path: relative(ROOT, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }))
    .filter(({ text }) => !text.includes('\0'))
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (IGNORED.has(entry.name)) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesUnder(path)
    return entry.isFile() && !entry.name.endsWith('.log') ? [path] : []
  })
}
