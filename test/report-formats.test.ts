import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recorded } from './support/recorded-report.ts'
import { reportFormats, reportParsers } from '../src/checks/reports/index.ts'

const DOCUMENT = join(import.meta.dirname, '../docs/loops/task.md')
const FIXTURES = join(import.meta.dirname, '../src/checks/reports/fixtures')

/** The tools and versions that a format was recorded from, as the recordings themselves are read. */
function recordedFrom(): ReadonlyMap<string, string> {
  const recordings = new Map<string, Set<string>>()
  for (const list of ['versions-js.json', 'versions-other.json']) {
    const versions = JSON.parse(readFileSync(join(FIXTURES, list), 'utf8')) as Record<string, { tool: string; version: string }>
    for (const [name, { tool, version }] of Object.entries(versions)) {
      const format = formatOf(recorded(existsSync(join(FIXTURES, name)) ? name : `${name}.txt`))
      recordings.set(format, (recordings.get(format) ?? new Set()).add(`${tool} ${version}`))
    }
  }
  return new Map([...recordings].map(([format, tools]) => [format, [...tools].join(', ')]))
}

function formatOf(text: string): string {
  for (const parser of reportParsers) {
    const report = parser(text)
    if (report !== undefined) return report.format
  }
  return 'none'
}

/** Format and last cell of every row of the table of reports. */
function rows(document: string): ReadonlyMap<string, string> {
  const section = document.split(/^## Reports$/m)[1]?.split(/^## /m)[0] ?? ''
  return new Map(
    Array.from(section.matchAll(/^\| `([a-z-]+)` \|.*\| ([^|]*) \|$/gm), (match) => [match[1] ?? '', match[2] ?? '']),
  )
}

test('DOCS-8 every report format has a row in the docs, with the tools and versions that it was recorded from', () => {
  const found = rows(readFileSync(DOCUMENT, 'utf8'))
  const from = recordedFrom()
  const expected = reportFormats.map((format) => [format, from.get(format) ?? 'not recorded'])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
  expect([...from.keys()].filter((format) => !reportFormats.includes(format))).toEqual([])
})
