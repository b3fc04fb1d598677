import { expect, test } from 'vitest'
import { ENTRIES } from '../tsdown.config.ts'
import { doors } from './tidy/doors.ts'
import { guardPages } from './tidy/guard-pages.ts'
import { honestTests } from './tidy/honest-tests.ts'
import { importFences, toolRoundImports } from './tidy/import-fences.ts'
import { partListProblems } from './tidy/part-lists.ts'
import { pureRooms } from './tidy/pure-rooms.ts'
import { repository } from './tidy/repository.ts'
import { exportsOf, shape } from './tidy/shape.ts'
import { sourceOf } from './tidy/source.ts'
import { traces } from './tidy/traces.ts'

// The house rules (DESIGN, sections 3 and 7), one file each in test/tidy. Every problem names the file, the line and what to do.
const files = repository()
const sources = files
  .filter(({ path }) => path.endsWith('.ts') && /^(?:src|test|bench)\//.test(path))
  .map(({ path, text }) => sourceOf(path, text))

const rules: readonly (readonly [rule: string, problems: () => string[]])[] = [
  ['SETUP-20 imports go one way, and only the registry picks drivers', () => importFences(sources)],
  ['HOOK-105 a hook after a tool call loads only what it needs', () => toolRoundImports(sources)],
  ['SETUP-21 core and loops are pure', () => pureRooms(sources)],
  ['SETUP-22 files are small, flat and named after what they export', () => shape(sources)],
  ['SETUP-23 exports have names, and functions, classes and constants have a doc comment', () => exportsOf(sources)],
  ['SETUP-24 no test is switched off and every test file asserts something', () => honestTests(sources)],
  ['SETUP-25 no path of one machine and no registry address is written down', () => traces(files)],
  ['SETUP-26 every guard has a test, a page and a rule', () => guardPages(files)],
  ['SETUP-27 entries, exports and the Node asked for are in step', () => doors(files, ENTRIES)],
  ['SETUP-28 the lists of parts are in step with the folders', () => partListProblems(files)],
]

test.each(rules)('%s', (_rule, problems) => {
  expect(problems().join('\n')).toBe('')
})
