import { recorded } from '../test/support/recorded-report.ts'
import { reportFormats } from '../src/checks/reports/index.ts'
import { largeDocument } from './large-document.ts'

const LARGE_BYTES = 10 * 2 ** 20

/** Consoles whose tools aren't here to record, or that close a run with totals which a grown report would contradict. */
export const NOT_GROWN: readonly string[] = ['rspec', 'ctest', 'dotnet', 'gradle', 'maven', 'phpunit', 'blocks']

/** The formats of which there is a large report. */
export const LARGE_FORMATS = reportFormats.filter((format) => !NOT_GROWN.includes(format))

/**
 * A report of some 10 MB: what a tool really printed about a small broken project, with many more tests that pass, again and again
 * as in a repository of many packages.
 */
export function largeReport(format: string, bytesMin = LARGE_BYTES): string {
  const recording = RECORDINGS[format]
  return recording === undefined ? largeDocument(format, bytesMin) : grown(recording, bytesMin)
}

interface Recording {
  readonly files: readonly string[]
  /** A passing test, with its distinct name. */
  readonly passing?: { readonly text: string; readonly name: string }
  /** The numbers that count what passed, in the part of the text that closes a run. */
  readonly counts?: readonly RegExp[]
  /** A piece of every path or package, numbered so that no two packages have the same. */
  readonly package?: string
}

const RECORDINGS: Readonly<Record<string, Recording>> = {
  'go-json': {
    files: ['go-json-1.19-failed.txt'],
    passing: { text: recordedLines('go-json-1.19-failed.txt', 28, 31), name: 'TestPasses' },
    package: 'example.com/shop',
  },
  'cargo-json': { files: ['cargo-json-1.95-passed.txt', 'cargo-json-1.95-broken.txt'], package: '.rs' },
  tsc: { files: ['tsc-7-failed.txt'], package: 'src/' },
  compiler: { files: ['compiler-make-4-failed.txt'], package: '.c' },
  eslint: { files: ['eslint-stylish-10-failed.txt'], package: '/project/' },
  github: { files: ['vitest-github-5-failed.txt'], package: '.test.js' },
  pytest: {
    files: ['pytest-text-9-verbose.txt'],
    passing: { text: recordedLines('pytest-text-9-verbose.txt', 15, 15), name: 'test_passes' },
    counts: [/(?<=failed, )\d+(?= passed)/, /(?<=collected )\d+/],
    package: '.py',
  },
  go: {
    files: ['go-text-1.19-verbose.txt'],
    passing: { text: recordedLines('go-text-1.19-verbose.txt', 15, 16), name: 'TestPasses' },
    package: 'example.com/shop',
  },
  cargo: {
    files: ['cargo-text-1.95-failed.txt'],
    passing: { text: 'test tests::passes ... ok\n', name: 'passes' },
    counts: [/(?<=running )6(?= tests)/, /(?<=FAILED. )1(?= passed; 4)/],
    package: '.rs',
  },
  mocha: { files: ['mocha-text-12-spec-failed.txt'], passing: { text: '  ✔ adds\n', name: 'adds' }, counts: [/\d+(?= passing)/] },
  jest: {
    files: ['jest-verbose-30-failed.txt'],
    passing: { text: '  ✓ adds (1 ms)\n', name: 'adds' },
    counts: [/(?<=^Tests: .*)\d+(?= passed)/m, /(?<=^Tests: .*)\d+(?= total)/m],
    package: '.test.js',
  },
  vitest: {
    files: ['vitest-verbose-5-failed.txt'],
    passing: { text: ' ✓ passing.test.js > adds 2ms\n', name: 'adds' },
    counts: [/(?<=^ +Tests .*)\d+(?= passed)/m, /(?<=^ +Tests .*\()\d+/m],
    package: '.test.js',
  },
  node: {
    files: ['node-text-24-failed.txt'],
    passing: { text: '✔ adds (0.981633ms)\n', name: 'adds' },
    counts: [/(?<=^ℹ (?:tests|pass) )\d+/gm],
    package: '.test.js',
  },
  unittest: {
    files: ['unittest-text-3.11-verbose.txt'],
    passing: { text: 'test_passes (test_login.Login.test_passes) ... ok\n', name: 'test_passes' },
    counts: [/(?<=^Ran )\d+/m],
    package: 'test_login',
  },
}

/** So many pass for each that fails, or more. */
const PASSING_EXTRA = 200

function grown({ files, passing, counts = [], package: place }: Recording, bytesMin: number): string {
  let text = files.map((file) => recorded(file)).join('\n')
  if (passing !== undefined) {
    if (!text.includes(passing.text)) throw new Error(`${files.join()} has no ${passing.text}`)
    const more = Array.from({ length: PASSING_EXTRA }, (_, index) =>
      passing.text.replaceAll(passing.name, `${passing.name}_${index}`),
    )
    text = text.replace(passing.text, () => passing.text + more.join(''))
    for (const count of counts) text = text.replace(count, (number) => String(Number(number) + PASSING_EXTRA))
  }
  const parts: string[] = []
  for (let length = 0; length < bytesMin; length += Buffer.byteLength(parts.at(-1) ?? '')) {
    parts.push(place === undefined ? text : text.replaceAll(place, numbered(place, parts.length)))
  }
  return parts.join('\n')
}

/** `.test.js` becomes `-7.test.js`, `src/` becomes `src/7/`. */
function numbered(place: string, number: number): string {
  if (place.startsWith('.')) return `-${number}${place}`
  return place.endsWith('/') ? `${place}${number}/` : `${place}${number}`
}

function recordedLines(file: string, first: number, last: number): string {
  const lines = recorded(file).split('\n')
  return `${lines.slice(first - 1, last).join('\n')}\n`
}
