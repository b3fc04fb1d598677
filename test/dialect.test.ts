import { expect, test } from 'vitest'
import { repository } from './tidy/repository.ts'

// Only the worst patterns of the private dialect that this project once had, in what users read. Not a style guide.
const PATTERNS: readonly (readonly [pattern: RegExp, better: string])[] = [
  [/\b(?:is|are|was|were|be) told\b/i, 'name the actor: "Pawl asks you", "the prompt lists"'],
  [/\b(?:goes|gone|went) on\b/i, '"continues" or "resumes"'],
  [/\bstands? (?:in(?! for)|at|there|beside|still) /i, '"is in", "is at"'],
  [/\bis none\b/i, 'negate the verb: "isn\'t a git repository"'],
  // A code such as `go-on.mended` is in journals.
  [/(?<![-.\w])mend(?:s|ed|ing)?\b/i, '"fix"'],
  [/\banew\b/i, '"again"'],
]

test('DOCS-12 what users read has none of the worst dialect', () => {
  const found = repository().flatMap(({ path, text }) =>
    isForUsers(path) ? problemsIn(path, path.endsWith('.ts') ? withoutComments(text) : text) : [],
  )
  expect(found).toEqual([])
})

test('DOCS-12 finds dialect in a page', () => {
  expect(problemsIn('docs/x.md', 'Fine.\nThe agent is told what fails.')).toEqual([
    'docs/x.md:2: "is told": name the actor: "Pawl asks you", "the prompt lists"',
  ])
})

/** Everything but what tests feed to Pawl. */
const ROOMS = /^(?:bench|scripts|examples|web|src|test\/(?!fakes\/|fixtures\/|golden\/|dialect\.)).*\.(?:tsx?|mjs)$/

test('DOCS-12 comments and test names have none of it either', () => {
  expect(repository().flatMap(({ path, text }) => (ROOMS.test(path) ? problemsIn(path, forContributors(text)) : []))).toEqual([])
})

test('DOCS-12 finds dialect in comments and test names, not in code or in "if there is none"', () => {
  const text = "/** Undefined if there is none. */\nrun('it goes on')\ntest('X-1 it goes on', () => {})\n  // Starts anew.\n"
  expect(problemsIn('src/x.ts', forContributors(text))).toEqual([
    'src/x.ts:3: "goes on": "continues" or "resumes"',
    'src/x.ts:4: "anew": "again"',
  ])
})

/** Comments and lines that begin with a test's name; every other line is empty. */
function forContributors(text: string): string {
  return text
    .replaceAll(/^(?!\s*(?:\*|\/\*|\/\/|(?:test|it|describe)(?:\.\w+)*\(['"`]|\]\)\(['"`]|['"`][A-Z]{3,}-\d)).*$/gm, '')
    .replaceAll('there is none', '')
}

function isForUsers(path: string): boolean {
  if (/^(?:docs\/(?:decisions\/|SPEC\.md)|.*\.test\.ts$)/.test(path)) return false
  return /^(?:README\.md|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md|docs\/.*\.md|src\/present\/.*\.ts|src\/.*\/words\.ts|src\/surfaces\/cli\/[\w-]+-commands\.ts)$/.test(
    path,
  )
}

/** Comments are for contributors. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:\*|\/\*|\/\/).*$/gm, '')
}

function problemsIn(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) =>
    PATTERNS.flatMap(([pattern, better]) => {
      const found = pattern.exec(line)?.[0]
      return found === undefined ? [] : [`${path}:${index + 1}: "${found.trim()}": ${better}`]
    }),
  )
}
