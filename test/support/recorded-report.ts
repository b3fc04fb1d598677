import { readFileSync } from 'node:fs'

/** A recorded report of a real run by its file's name; see `fixtures/versions-other.json`. */
export function recorded(file: string): string {
  return readFileSync(new URL(`../../src/checks/reports/fixtures/${file}`, import.meta.url), 'utf8')
}
