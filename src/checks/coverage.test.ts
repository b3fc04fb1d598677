import { execFileSync } from 'node:child_process'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import { coberturaCoverage, jsonCoverage, lcovCoverage } from './coverage-formats.ts'
import { coverage, type CoverageOptions } from './coverage.ts'

const LCOV = `TN:
SF:src/a.js
FN:1,one
FN:5,two
FNDA:3,one
FNDA:0,two
FNF:2
FNH:1
DA:1,3
DA:2,3
DA:5,0
DA:6,0
LF:4
LH:2
BRDA:2,0,0,3
BRDA:2,0,1,-
BRF:2
BRH:1
end_of_record
SF:src/b.js
DA:1,1
end_of_record
`

const COBERTURA = `<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage lines-valid="3" lines-covered="2" line-rate="0.66" version="0.1" timestamp="1">
  <sources><source>src</source></sources>
  <packages><package name="main"><classes>
    <class name="a.js" filename="a.js" line-rate="0.66">
      <methods>
        <method name="one" hits="1" signature="()V"><lines><line number="1" hits="3"/></lines></method>
        <method name="two" hits="0" signature="()V"><lines><line number="5" hits="0"/></lines></method>
      </methods>
      <lines>
        <line number="1" hits="3" branch="true" condition-coverage="50% (1/2)"/>
        <line number="2" hits="3" branch="false"/>
        <line number="5" hits="0" branch="false"/>
      </lines>
    </class>
  </classes></package></packages>
</coverage>
`

const place = (line: number) => ({ start: { line, column: 0 }, end: { line, column: 9 } })

function finalJson(file: string): string {
  const entry = {
    path: file,
    statementMap: { 0: place(1), 1: place(1), 2: place(2), 3: place(5) },
    fnMap: {},
    branchMap: {},
    s: { 0: 0, 1: 4, 2: 1, 3: 0 },
    f: { 0: 1, 1: 0 },
    b: { 0: [3, 0] },
  }
  return JSON.stringify({ [file]: entry })
}

function summaryJson(file: string): string {
  const figures = Object.fromEntries(
    ['lines', 'statements', 'functions', 'branches'].map((scope) => [scope, { total: 8, covered: 6, skipped: 0, pct: 75 }]),
  )
  return JSON.stringify({ total: figures, [file]: figures })
}

/** A folder with two sources and a report, which was written after them. */
function folder(report: string, path: string): string {
  const cwd = temporaryFolder()
  for (const [name, text] of [
    ['src/a.js', 'a'],
    ['src/b.js', 'b'],
    [path, report.replaceAll('CWD', cwd)],
  ] as const) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), text)
  }
  touch(cwd, 'src/a.js', 1000)
  touch(cwd, 'src/b.js', 1000)
  touch(cwd, path, 2000)
  return cwd
}

function touch(cwd: string, path: string, seconds: number): void {
  utimesSync(join(cwd, path), seconds, seconds)
}

async function check(cwd: string, options: Partial<CoverageOptions>) {
  const context = { signal: new AbortController().signal, started: async () => {}, progress: () => {} }
  return coverage({ name: 'cov', minCoverage: 50, ...options }).run({ run: 'r', iteration: 1, cwd, tree: 't' }, context)
}

describe('CHECK-46 what a report says', () => {
  test('in lcov: lines, branches and functions of all files', () => {
    expect(lcovCoverage(LCOV)).toEqual({
      files: ['src/a.js', 'src/b.js'],
      roots: [],
      figures: { lines: { covered: 3, total: 5 }, branches: { covered: 1, total: 2 }, functions: { covered: 1, total: 2 } },
    })
  })

  test('in lcov that has sums only, or the same file twice', () => {
    expect(lcovCoverage('SF:a\nLF:4\nLH:3\nend_of_record\n')?.figures.lines).toEqual({ covered: 3, total: 4 })
    const twice = 'SF:a\nDA:1,0\nDA:2,0\nend_of_record\nSF:a\nDA:1,1\nend_of_record\n'
    expect(lcovCoverage(twice)).toMatchObject({ files: ['a'], figures: { lines: { covered: 1, total: 2 } } })
  })

  test("in Istanbul's JSON, whole and summary", () => {
    expect(jsonCoverage(finalJson('src/a.js'))?.figures).toEqual({
      lines: { covered: 2, total: 3 },
      statements: { covered: 2, total: 4 },
      functions: { covered: 1, total: 2 },
      branches: { covered: 1, total: 2 },
    })
    expect(jsonCoverage(summaryJson('src/a.js'))).toMatchObject({
      files: ['src/a.js'],
      figures: { branches: { covered: 6, total: 8 } },
    })
  })

  test("in Cobertura's XML: a line counts once, though its method has it too", () => {
    expect(coberturaCoverage(COBERTURA)).toEqual({
      files: ['a.js'],
      roots: ['src'],
      figures: { lines: { covered: 2, total: 3 }, branches: { covered: 1, total: 2 }, functions: { covered: 1, total: 2 } },
    })
  })

  test.each([
    ['lcov', lcovCoverage, LCOV.slice(0, -20)],
    ['lcov', lcovCoverage, 'no report'],
    ['json', jsonCoverage, finalJson('a').slice(0, -3)],
    ['json', jsonCoverage, '{"a": 3}'],
    ['json', jsonCoverage, '[]'],
    ['json', jsonCoverage, '{"total":{"lines":{"total":1,"covered":9}},"a":{"lines":{"total":1,"covered":9}}}'],
    ['cobertura', coberturaCoverage, COBERTURA.slice(0, -12)],
    ['cobertura', coberturaCoverage, '<html></html>'],
  ])('nothing when it is cut off or no %s at all', (_format, read, text) => {
    expect(read(text)).toBeUndefined()
  })
})

test('CHECK-46 no text, however damaged, makes a reader throw or count more than there is', () => {
  const texts = fc.constantFrom(LCOV, COBERTURA, finalJson('a'), summaryJson('a'))
  const damaged = fc.tuple(texts, fc.nat(2000), fc.nat(40), fc.string({ maxLength: 12 }))
  fc.assert(
    fc.property(damaged, ([text, at, length, instead]) => {
      const given = text.slice(0, at) + instead + text.slice(at + length)
      for (const read of [lcovCoverage, jsonCoverage, coberturaCoverage]) {
        const figures = Object.values(read(given)?.figures ?? {})
        expect(figures.every(({ covered, total }) => covered >= 0 && covered <= total)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test.each<[Partial<CoverageOptions>, string, string, string]>([
  [{ minCoverage: 60 }, LCOV, 'coverage/lcov.info', 'passed'],
  [{ minCoverage: 60.1 }, LCOV, 'coverage/lcov.info', 'failed'],
  [{ scope: 'branches' }, LCOV, 'coverage/lcov.info', 'passed'],
  [{ scope: 'functions', minCoverage: 51 }, LCOV, 'coverage/lcov.info', 'failed'],
  [{ path: 'out/x.info' }, LCOV, 'out/x.info', 'passed'],
  [{ format: 'json', scope: 'statements' }, finalJson('CWD/src/a.js'), 'coverage/coverage-final.json', 'passed'],
  [{ format: 'json', minCoverage: 76 }, summaryJson('CWD/src/a.js'), 'coverage/coverage-summary.json', 'failed'],
  [{ format: 'cobertura' }, COBERTURA, 'coverage.xml', 'passed'],
  [{ format: 'lcov' }, LCOV, 'elsewhere/lcov.info', 'failed'],
  [{ format: 'lcov' }, 'nonsense', 'coverage/lcov.info', 'errored'],
  [{ format: 'json' }, finalJson('/elsewhere/a.js'), 'coverage/coverage-final.json', 'errored'],
  [{ minCoverage: 0 }, 'SF:src/a.js\nend_of_record\n', 'coverage/lcov.info', 'failed'],
])('CHECK-47 %j against a report is decided by exact figures', async (options, report, path, status) => {
  expect((await check(folder(report, path), options)).status).toBe(status)
})

test('CHECK-47 reports the figures, never rounded up to the required ones', async () => {
  const report = `SF:src/a.js\nLF:3000\nLH:2399\nend_of_record\n`
  expect(await check(folder(report, 'coverage/lcov.info'), { minCoverage: 79.97 })).toEqual({
    status: 'failed',
    failures: [{ id: 'cov', kind: 'unknown', message: '2399 of 3000 lines are covered, 79.96%; 79.97% are asked for.' }],
  })
})

test('CHECK-47 a report that a real run of tests writes is read', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'a.mjs'), 'export function one() {\n  return 1\n}\nexport function two() {\n  return 2\n}\n')
  writeFileSync(
    join(cwd, 'a.test.mjs'),
    "import test from 'node:test'\nimport { one } from './a.mjs'\ntest('one', () => one())\n",
  )
  const to = ['--test-reporter=lcov', '--test-reporter-destination=lcov.info', '--test-coverage-exclude=*.test.mjs']
  const env = { PATH: process.env['PATH'] ?? '' }
  execFileSync(process.execPath, ['--test', '--experimental-test-coverage', ...to], { cwd, env, timeout: 30_000 })
  expect(await check(cwd, { scope: 'functions', minCoverage: 51 })).toMatchObject({
    status: 'failed',
    failures: [{ message: '1 of 2 functions are covered, 50%; 51% are asked for.' }],
  })
  expect((await check(cwd, { scope: 'functions' })).status).toBe('passed')
})

test('CHECK-48 a report that is older than a file it speaks of is not believed', async () => {
  const cwd = folder(LCOV, 'coverage/lcov.info')
  touch(cwd, 'src/b.js', 2001)
  expect(await check(cwd, { minCoverage: 1 })).toMatchObject({
    status: 'failed',
    failures: [{ message: expect.stringContaining('coverage/lcov.info is older than src/b.js') }],
  })
  touch(cwd, 'coverage/lcov.info', 2002)
  expect((await check(cwd, { minCoverage: 1 })).status).toBe('passed')
})

test.each<[Partial<Record<keyof CoverageOptions, unknown>>, string]>([
  [{ minCoverage: 101 }, 'minCoverage must be a number from 0 to 100, not 101'],
  [{ minCoverage: '80' }, 'minCoverage must be a number'],
  [{ format: 'clover' }, 'format must be one of lcov, json, cobertura, not "clover"'],
  [{ scope: 'files' }, 'scope must be one of lines, branches, functions, statements'],
  [{ scope: 'statements' }, 'since lcov has no statements'],
  [{ path: '/etc/lcov.info' }, 'path must be a path inside the workspace'],
  [{ path: '../lcov.info' }, 'path must be a path inside the workspace'],
])('CHECK-47 %j cannot work and is refused', (options, words) => {
  expect(() => coverage({ name: 'cov', minCoverage: 80, ...options } as CoverageOptions)).toThrow(words)
})
