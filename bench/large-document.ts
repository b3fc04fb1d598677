import { recorded } from '../src/drivers/reports/recorded.ts'

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
}

/** So many that pass for each that is recorded. */
const PASSING_EXTRA = 20

/** The parts of round after round until they are long enough. */
function rounds(bytesMin: number, round: (number: number) => string): { readonly text: string; readonly count: number } {
  const parts: string[] = []
  for (let length = 0; length < bytesMin; length += Buffer.byteLength(parts.at(-1) ?? '')) parts.push(round(parts.length))
  return { text: parts.join(''), count: parts.length }
}

function jestLike(file: string, bytesMin: number): string {
  const output = recorded(file)
  const document = JSON.parse(output.slice(output.indexOf('\n{"num') + 1)) as Record<string, unknown> & {
    testResults: { status: string; assertionResults: object[] }[]
  }
  for (const { status, assertionResults } of document.testResults) {
    const [first] = assertionResults
    if (status === 'passed' && first !== undefined)
      assertionResults.push(...Array.from({ length: PASSING_EXTRA * 13 }, () => first))
  }
  const results = listed(document.testResults)
  const { text, count } = rounds(bytesMin, (number) => `${number > 0 ? ',' : ''}${unlike(results, '.test.js', number)}`)
  const passed = Number(document['numPassedTests']) + PASSING_EXTRA * 13
  const counts = Object.entries(document).filter(([key]) => key.startsWith('num'))
  const head = {
    ...Object.fromEntries(counts.map(([key, value]) => [key, Number(value) * count])),
    numPassedTests: passed * count,
  }
  const total = { numTotalTests: (Number(document['numTotalTests']) + PASSING_EXTRA * 13) * count }
  return `${JSON.stringify({ ...document, ...head, ...total, testResults: [] }).replace('"testResults":[]', () => `"testResults":[${text}]`)}`
}

function mochaJson(bytesMin: number): string {
  const output = recorded('mocha-json-12-failed.txt')
  const document = JSON.parse(output.slice(output.indexOf('\n{\n') + 1)) as MochaDocument
  const [first] = document.passes
  const extra = Array.from({ length: PASSING_EXTRA * 9 }, () => first as object)
  const many = (bytes: number, list: readonly object[], count: number) =>
    rounds(bytes, (number) =>
      number < count ? `${number > 0 ? ',' : ''}${unlike(listed(list, 2), '.test.js', number)}` : ' '.repeat(bytes),
    )
  const round = [...document.tests, ...extra]
  const { text: tests, count } = rounds(
    bytesMin / 2,
    (number) => `${number > 0 ? ',' : ''}${unlike(listed(round, 2), '.test.js', number)}`,
  )
  const list = (each: readonly object[]) =>
    Array.from({ length: count }, (_, number) => unlike(listed(each, 2), '.test.js', number)).join(',')
  void many
  const stats = { ...document.stats, tests: round.length * count, passes: (document.passes.length + extra.length) * count }
  const counted = { ...stats, pending: document.pending.length * count, failures: document.failures.length * count }
  return `{"stats": ${JSON.stringify(counted)},\n"tests": [${tests}],\n"pending": [${list(document.pending)}],\n"failures": [${list(document.failures)}],\n"passes": [${list([...document.passes, ...extra])}]\n}\n`
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
  const round = listed([...files, ...Array.from({ length: PASSING_EXTRA }, () => clean).flat()])
  const { text } = rounds(bytesMin, (number) => `${number > 0 ? ',' : ''}${unlike(round, '/project/', number)}`)
  return `[${text}]`
}

function sarif(bytesMin: number): string {
  const document = JSON.parse(recorded('sarif-eslint-10-failed.txt')) as { runs: { results: object[] }[] }
  const results = document.runs[0]?.results ?? []
  const warnings = Array.from({ length: PASSING_EXTRA }, () => results[0] as object)
  const round = listed([...results, ...warnings], 2)
  const { text } = rounds(bytesMin, (number) => `${number > 0 ? ',' : ''}${unlike(round, 'file:///project/', number)}`)
  const [run] = document.runs
  const empty = JSON.stringify({ ...document, runs: [{ ...run, results: [] }] }, undefined, 2)
  return empty.replace('"results": []', () => `"results": [${text}]`)
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

function listed(items: readonly object[], indent?: number): string {
  return items.map((item) => JSON.stringify(item, undefined, indent)).join(',')
}

/** A round with files and tests of its own. */
function unlike(round: string, place: string, number: number): string {
  let name = 0
  const other = place.startsWith('.') ? `-${number}${place}` : `${place}${number}/`
  return round.replaceAll(place, other).replaceAll(/\badds\b/g, () => `adds ${++name}`)
}
