import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from './tidy/repository.ts'

const LIST = join(import.meta.dirname, 'spec-ids.json')

interface SpecIds {
  /** Ids of rules in docs/SPEC.md that tests cite. */
  readonly cited: readonly string[]
  /** Id to the reason why no test cites it any more. */
  readonly struck: Readonly<Record<string, string>>
}

/* `PAWL_SPEC_IDS=write npx vitest run test/spec-ids.test.ts` lists the ids that are new, too. */
test('DOCS-10 a rule that a test has ever cited is still cited, or struck with a reason', () => {
  const { cited: before, struck } = JSON.parse(readFileSync(LIST, 'utf8')) as SpecIds
  const cited = citedIds()
  if (process.env['PAWL_SPEC_IDS'] === 'write')
    writeFileSync(LIST, `${JSON.stringify({ cited: [...new Set([...before, ...cited])].toSorted(byNumber), struck }, null, 2)}\n`)
  const lost = before.filter((id) => !cited.includes(id) && !struck[id]?.trim())
  expect(
    lost,
    'No test cites these any more: cite them again, or write each with its reason under "struck" in test/spec-ids.json',
  ).toEqual([])
})

/** Ids at the beginning of the names of tests, wherever their files are. */
function citedIds(): readonly string[] {
  const files = repository().filter(({ path }) => /\.test\.ts$|\/testing\/.*\.ts$/.test(path))
  const names = files.flatMap(({ text }) => [...text.matchAll(/['"`]((?:[A-Z]{3,}-\d+,? )+)/g)].map((match) => match[1] ?? ''))
  const ids = new Set(names.flatMap((name) => name.match(/[A-Z]+-\d+/g) ?? []))
  return [...ids].toSorted(byNumber)
}

function byNumber(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true })
}
