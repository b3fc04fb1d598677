import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ODDS_KINDS } from '../../src/guards/odds/odds-data.ts'
import { chanceLimit } from '../../src/guards/worth-continuing.ts'
import { limitLines, percentOf, SHOWN_PROMISES } from './limit-lines.ts'

const docs = join(import.meta.dirname, '..', '..', 'docs')

test('ODDS-36 the documents say the limits of the odds that ship: after a new fit `npm run bench:decisions` writes them', () => {
  expect(readFileSync(join(docs, 'guards', 'worth-continuing.md'), 'utf8')).toContain(limitLines().join('\n'))
  const measured = readFileSync(join(docs, 'decision-quality.md'), 'utf8')
  for (const kind of ODDS_KINDS)
    for (const onceIn of SHOWN_PROMISES)
      expect(measured).toContain(`| ${kind}, all datasets | 1 in ${onceIn} | ${percentOf(chanceLimit(kind, onceIn))} |`)
})
