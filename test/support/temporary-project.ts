import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A project in its own folder. Used by tests only. */
export interface TemporaryProject {
  readonly folder: string
  /** Every file with its bytes as text. */
  readAll(): Record<string, string>
  remove(): void
}

/** Writes the files into a fresh temporary folder. */
export function temporaryProject(files: Readonly<Record<string, string>>): TemporaryProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tinker-')))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return { folder, readAll: () => readFiles(folder), remove: () => rmSync(folder, { recursive: true }) }
}

/** The files under a folder by their paths. */
export function readFiles(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted()
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]))
}
