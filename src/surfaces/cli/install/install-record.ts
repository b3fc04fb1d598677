import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { InstallableAgent, Places } from './agent-files.ts'

/** What installing found and what it left: enough to bring every file back byte for byte. */
export type InstallRecord = Readonly<Record<string, InstalledFile>>

export interface InstalledFile {
  /** Set where there was no file before. */
  readonly isNew?: true
  /**
   * The file as it was, in base64, where taking our part out again would not give the very same bytes. Mostly it would: then nothing of
   * a file that may hold secrets is kept.
   */
  readonly before?: string
  /** The hash of what was written. */
  readonly after: string
  /** Folders that were made for it, the innermost first. */
  readonly folders: readonly string[]
}

/** Reads the record of an agent; empty where nothing is installed or the record is gone. */
export function readRecord(agent: InstallableAgent, places: Places): InstallRecord {
  const path = recordPath(agent, places)
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as InstallRecord
  } catch {
    // A record that cannot be read is as good as none: then only our own parts are taken out.
    return {}
  }
}

/** Keeps the record, beside the runs and like them out of git; an empty one is taken away. */
export function writeRecord(agent: InstallableAgent, places: Places, record: InstallRecord): void {
  const path = recordPath(agent, places)
  const own = dirname(dirname(path))
  if (Object.keys(record).length === 0) {
    rmSync(path, { force: true })
    removeWhenEmpty(dirname(path), [])
    removeWhenEmpty(own, ['.gitignore'])
    return
  }
  const isNew = !existsSync(own)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (isNew) writeFileSync(join(own, '.gitignore'), '*\n')
  writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
}

function removeWhenEmpty(folder: string, but: readonly string[]): void {
  if (existsSync(folder) && readdirSync(folder).every((name) => but.includes(name))) rmSync(folder, { recursive: true })
}

/** The hash by which a later edit is noticed. */
export function contentHash(text: string): string {
  return hash('sha256', text)
}

function recordPath(agent: InstallableAgent, { scope, root, home }: Places): string {
  return join(scope === 'project' ? root : home, '.pawl', 'install', `${agent}.json`)
}
