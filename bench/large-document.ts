import { recorded } from '../test/support/recorded-report.ts'

/**
 * One document of a format that has but one a run: the recorded one, its parts again and again, those that passed more often, and
 * its counts in step.
 */
export function largeDocument(format: string, bytesMin: number): string {
  const write = DOCUMENTS[format]
  if (write === undefined) throw new Error(`No large report of the format ${format} can be made.`)
  return write(bytesMin)
}

const DOCUMENTS: Readonly<Record<string, (bytesMin: number) => string>> = {
  'vitest-json': (bytesMin) => jestLike('vitest-json-5-failed.txt', bytesMin),
  'jest-json': (bytesMin) => jestLike('jest-json-30-failed.txt', bytesMin),
  'mocha-json': mochaJson,
  'eslint-json': eslintJson,
  sarif,
  junit,
  tap,
  general,
}

/** So many that pass for each that is recorded. */
const PASSING_EXTRA = 100

/** The parts of round after round until they are long enough. */
function rounds(bytesMin: number, round: (number: number) => string): { readonly text: string; readonly count: number } {
  const parts: string[] = []
  for (let length = 0; length < bytesMin; length += Buffer.byteLength(parts.at(-1) ?? '')) parts.push(round(parts.length))
  return { text: parts.join(''), count: parts.length }
}

/** Rounds of a JSON list, none like the other. */
function listRounds(bytesMin: number, items: readonly object[], place: string, indent?: number) {
  const round = items.map((item) => JSON.stringify(item, undefined, indent)).join(',')
  return rounds(bytesMin, (number) => `${number > 0 ? ',' : ''}${unlike(round, place, number)}`)
}

function jestLike(file: string, bytesMin: number): string {
  const output = recorded(file)
  const document = JSON.parse(output.slice(output.indexOf('\n{"num') + 1)) as JestDocument
  const passing = document.testResults.find(({ status }) => status === 'passed')?.assertionResults ?? []
  const extra = PASSING_EXTRA * document.numTotalTests
  passing.push(...Array.from({ length: extra }, () => passing[0] as object))
  const { text, count } = listRounds(bytesMin, document.testResults, '.test.js')
  const numPassedTests = (document.numPassedTests + extra) * count
  const numTotalTests = (document.numTotalTests + extra) * count
  const numFailedTests = document.numFailedTests * count
  const head = JSON.stringify({ ...document, numPassedTests, numTotalTests, numFailedTests, testResults: [] })
  return head.replace('"testResults":[]', () => `"testResults":[${text}]`)
}

interface JestDocument {
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: object[] }[]
}

/** Every test is there twice: among all and among those that ended the same way. */
function mochaJson(bytesMin: number): string {
  const output = recorded('mocha-json-12-failed.txt')
  const { stats, tests, pending, failures, passes } = JSON.parse(output.slice(output.indexOf('\n{\n') + 1)) as MochaDocument
  const extra = Array.from({ length: PASSING_EXTRA * tests.length }, () => passes[0] as object)
  const { text, count } = listRounds(bytesMin / 2, [...tests, ...extra], '.test.js', 2)
  const many = (items: readonly object[]) =>
    Array.from({ length: count }, (_, number) =>
      listRounds(1, items, '.test.js', 2).text.replaceAll('.test.js', `-${number}.test.js`),
    )
  const total = { tests: tests.length + extra.length, passes: passes.length + extra.length, pending: pending.length }
  const counted = Object.entries({ ...total, failures: failures.length }).map(([key, value]) => [key, value * count])
  const head = JSON.stringify({ ...stats, ...Object.fromEntries(counted) })
  const lists = Object.entries({ pending, failures, passes: [...passes, ...extra] }).map(
    ([key, items]) => `"${key}": [${many(items).join()}]`,
  )
  return `{\n"stats": ${head},\n"tests": [${text}],\n${lists.join(',\n')}\n}\n`
}

interface MochaDocument {
  readonly stats: object
  readonly tests: readonly object[]
  readonly pending: readonly object[]
  readonly failures: readonly object[]
  readonly passes: readonly object[]
}

function eslintJson(bytesMin: number): string {
  const files = JSON.parse(recorded('eslint-json-10-failed.txt')) as { readonly messages: readonly unknown[] }[]
  const clean = files.filter(({ messages }) => messages.length === 0)
  const round = [...files, ...Array.from({ length: PASSING_EXTRA }, () => clean).flat()]
  return `[${listRounds(bytesMin, round, '/project/').text}]`
}

/** A result is a failure or a warning; most are warnings. */
function sarif(bytesMin: number): string {
  const document = JSON.parse(recorded('sarif-eslint-10-failed.txt')) as { runs: { results: object[] }[] }
  const [run] = document.runs
  const results = run?.results ?? []
  const round = [...results, ...Array.from({ length: PASSING_EXTRA }, () => results[0] as object)]
  const { text } = listRounds(bytesMin, round, 'file:///project/', 2)
  const head = JSON.stringify({ ...document, runs: [{ ...run, results: [] }] }, undefined, 2)
  return head.replace('"results": []', () => `"results": [${text}]`)
}

function junit(bytesMin: number): string {
  const [head = '', ...suites] = recorded('junit-vitest-5-failed.xml')
    .replace('</testsuites>\n', '')
    .split(/^(?= {4}<testsuite )/m)
  const passing = suites.at(-1) ?? ''
  const [, testcase = ''] = /^( {8}<testcase .*\n {8}<\/testcase>\n)/m.exec(passing) ?? []
  const extra = PASSING_EXTRA * 15
  const longer = passing.replace(' tests="1"', ` tests="${extra + 1}"`).replace(testcase, () => testcase.repeat(extra + 1))
  const round = [...suites.slice(0, -1), longer].join('')
  const { text, count } = rounds(bytesMin, (number) => unlike(round, '.test.js', number))
  const counted = head.replace('tests="15" failures="10"', `tests="${(15 + extra) * count}" failures="${10 * count}"`)
  return `${counted}${text}</testsuites>\n`
}

/** Tests at the top are numbered through. */
function tap(bytesMin: number): string {
  const [head = '', ...blocks] = recorded('node-tap-24-failed.txt').split(/^(?=# Subtest: )/m)
  const [last = '', closing = ''] = (blocks.pop() ?? '').split(/^(?=1\.\.)/m)
  const round = [...blocks, last.repeat(PASSING_EXTRA * 12)].join('')
  let tests = 0
  const numbered = (part: string) => part.replaceAll(/^(not ok|ok) \d+/gm, (_match, word: string) => `${word} ${++tests}`)
  const { text } = rounds(bytesMin, (number) => numbered(unlike(round, '.test.js', number)))
  return `${head}${text}1..${tests}\n${closing.slice(closing.indexOf('\n') + 1)}`
}

/** A long build says little; the errors come last. */
function general(bytesMin: number): string {
  const output = recorded('maven-text-3-failed.txt')
  const harmless = output.slice(0, output.indexOf('[INFO] Running'))
  const errors = ['general-gcc-12.txt', 'general-java-17.txt', 'general-node-24.txt'].map((file) => recorded(file))
  return [rounds(bytesMin, () => harmless).text, ...errors].join('\n')
}

/** A round with its own files and tests. */
function unlike(round: string, place: string, number: number): string {
  let name = 0
  const other = place.startsWith('.') ? `-${number}${place}` : `${place}${number}/`
  return round.replaceAll(place, other).replaceAll(/\badds\b/g, () => `adds ${++name}`)
}
