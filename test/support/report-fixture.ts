import { readFileSync } from 'node:fs'

/** A recorded output of a real run; see `fixtures/README.md`. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../src/checks/reports/fixtures/${name}.txt`, import.meta.url), 'utf8')
}
