import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import { redactJson } from '../secrets/filter.ts'
import { leakedIn, straddling, straddlingEnd } from '../../test/support/planted-secrets.ts'
import { plantedSecrets, type PlantedSecret } from '../testing/planted-secrets.ts'
import type { ReportOptions } from './check-report.ts'
import { commandCheck } from './command-check.ts'
import { reportParserNamed, reportParsers } from './reports/index.ts'

/** No rule knows it: it is secret only because the check is handed it. */
const TOKEN = 'Zk3n98#76zyxwv:QRSTUV/0123456789@abcdefgh'

interface Told {
  /** Given in place of `output` where the report is in a file. */
  readonly report?: ReportOptions
  readonly exitCode?: number
  readonly token?: string
}

/** What a check says of a program that prints this, or writes it as its report. */
async function checked(output: string, { report, exitCode = 1, token = TOKEN }: Told = {}) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'given.txt'), output)
  const result = await commandCheck({
    name: 'tests',
    command: `cat given.txt ${report?.file === undefined ? '' : `>${report.file}`}; exit ${exitCode}`,
    shell: true,
    variables: { DEPLOY_TOKEN: token },
    parsers: reportParsers,
    parserNamed: reportParserNamed,
    ...(report && { report }),
  }).run(
    { run: 'r', iteration: 1, cwd, tree: 't' },
    { signal: new AbortController().signal, started: async () => {}, progress: () => {} },
  )
  // As the journal keeps it.
  return await redactJson(result)
}

/** Stretches of the token in a text. */
function piecesIn(value: unknown): readonly string[] {
  const text = JSON.stringify(value)
  const pieces = Array.from({ length: TOKEN.length - 5 }, (_, index) => TOKEN.slice(index, index + 6))
  return pieces.filter((piece) => text.includes(piece))
}

const TAP = (name: string, message: string, expected: string, received: string) =>
  `TAP version 13\nnot ok 1 - ${name}\n  ---\n  message: ${JSON.stringify(message)}\n  expected: ${JSON.stringify(expected)}\n  actual: ${JSON.stringify(received)}\n  ...\nok 2 - other\n1..2\n`

const JUNIT = (name: string, message: string, body: string) =>
  `<testsuites><testsuite name="s" tests="2" failures="1"><testcase classname="c" name="${name}"><failure message="${message}">${body}</failure></testcase><testcase classname="c" name="other"/></testsuite></testsuites>`

const JEST = (name: string, message: string) =>
  JSON.stringify({
    numFailedTestSuites: 1,
    numTotalTests: 2,
    numPassedTests: 1,
    numFailedTests: 1,
    success: false,
    testResults: [
      {
        name: '/x/a.test.js',
        status: 'failed',
        assertionResults: [
          { title: name, fullName: name, ancestorTitles: [], status: 'failed', failureMessages: [message] },
          { title: 'other', fullName: 'other', ancestorTitles: [], status: 'passed', failureMessages: [] },
        ],
      },
    ],
  })

test.each([230, 270, 299])(
  'SECRET-53 the cut of a line after %i characters leaves no part of what a check was handed',
  async (before) => {
    const result = await checked(`Error: ${'x'.repeat(before)}${TOKEN} after\n`)
    expect(piecesIn(result)).toEqual([])
    expect(result).toMatchObject({ status: 'failed', failures: [{ message: expect.stringMatching(/^Error: x{230,}/) }] })
  },
)

test.each([460, 495])(
  'SECRET-53 no part of it stays in names, messages and values of tests that are cut after %i characters',
  async (before) => {
    const [long, longer] = [`${'u'.repeat(before)}${TOKEN} so`, `${'u'.repeat(before + 1500)}${TOKEN} so`]
    const counts = { passed: 1, failed: 1, skipped: 0 }
    for (const [output, report] of [
      [TAP(long, longer, long, long), undefined],
      [JUNIT(long, longer, `Expected: ${long}\nReceived: ${long}`), undefined],
      [JUNIT(long, longer, longer), { file: 'report.xml', format: 'junit' }],
      [JEST(long, `Error: ${longer}\n    at ${long} (/x/a.js:1:2)`), undefined],
      [JEST(long, longer), { file: 'report.json' }],
    ] as const) {
      const result = await checked(output, report ? { report } : {})
      expect(result).toMatchObject({ status: 'failed', counts, failures: [{ id: expect.stringContaining('uuu') }] })
      expect(piecesIn(result)).toEqual([])
    }
  },
)

test('SECRET-53 a real run of node:test that compares values with it leaves no part of it', async () => {
  const cwd = temporaryFolder()
  writeFileSync(
    join(cwd, 'a.test.mjs'),
    `import assert from 'node:assert'\nimport { test } from 'node:test'\ntest('sends', () => assert.strictEqual('u'.repeat(470) + process.env.DEPLOY_TOKEN, 'other'))\n`,
  )
  const result = await commandCheck({
    name: 'tests',
    command: [process.execPath, '--test'],
    variables: { DEPLOY_TOKEN: TOKEN },
    parsers: reportParsers,
  }).run(
    { run: 'r', iteration: 1, cwd, tree: 't' },
    { signal: new AbortController().signal, started: async () => {}, progress: () => {} },
  )
  expect(result).toMatchObject({ status: 'failed', failures: [{ id: 'sends', expected: expect.stringContaining('other') }] })
  expect(piecesIn(await redactJson(result))).toEqual([])
})

test('SECRET-53 the words around it stay, also where the name before it says that it is secret', async () => {
  for (const before of [240, 262, 270]) {
    const line = `Error: ${'x'.repeat(before)} {"x-deploy-token":"${TOKEN}","password":"${TOKEN}"}`
    expect(await checked(`${line}\n`)).toMatchObject({ failures: [{ message: expect.stringMatching(/^Error: x{240}/) }] })
  }
})

test('SECRET-53 the last lines of a program that says nothing else hold no part of it', async () => {
  for (const after of [1965, 1975, 1990]) {
    const result = await checked(`${TOKEN} ${'so it goes on '.repeat(200).slice(0, after)}\n`)
    expect(result).toMatchObject({ status: 'failed', failures: [{ message: expect.stringContaining('goes on') }] })
    expect(piecesIn(result)).toEqual([])
  }
})

/** Each takes a process: every form has its turn, not with every secret. */
const FORMS = [
  (planted: PlantedSecret) => straddlingEnd(planted, 2000),
  (planted: PlantedSecret) => {
    const id = straddling(onOneLine(planted), 500)
    return TAP(id, straddling(planted, 2000), id, id)
  },
  (planted: PlantedSecret) => {
    const { text } = onOneLine(planted)
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    const inMarkup = { ...planted, text: escaped }
    return JUNIT(straddling(inMarkup, 500), straddling(inMarkup, 2000), straddling(inMarkup, 2000))
  },
  (planted: PlantedSecret) => JEST(straddling(onOneLine(planted), 500), straddling(planted, 2000)),
]

function onOneLine(planted: PlantedSecret): PlantedSecret {
  return { ...planted, text: planted.text.replaceAll('\n', ' ') }
}

describe.each(plantedSecrets().map((planted, index) => ({ planted, name: planted.name, index })))(
  'a cut through a secret: $name',
  ({ planted, index }) => {
    test('SECRET-53 leaves no part of it in the failures of a check', async () => {
      const which = index % FORMS.length
      const line = await checked(`Error: ${straddling(onOneLine(planted), 293)}\n`)
      const report = await checked(FORMS[which]?.(planted) ?? '')
      expect([line, report].map((result) => leakedIn(JSON.stringify(result), [planted]))).toEqual([[], []])
      const counts = which === 0 ? {} : { counts: { passed: 1, failed: 1, skipped: 0 } }
      expect(report).toMatchObject({ status: 'failed', ...counts, failures: [{}] })
    })
  },
)

test.each(plantedSecrets().filter(({ text }, index) => !text.includes('\n') && index % 3 === 0))(
  'SECRET-54 a test whose name holds a secret still counts, whether it passed or failed: $name',
  async ({ text, secret }) => {
    const name = text.replaceAll('#', '')
    const passing = `TAP version 13\nok 1 - refuses ${name}\nok 2 - other\n1..2\n`
    const passed = await checked(passing, { exitCode: 0 })
    expect(passed).toMatchObject({ status: 'passed', counts: { passed: 2, failed: 0, skipped: 0 } })
    const failing = passing.replace('ok 1', 'not ok 1')
    const failed = await checked(failing, { exitCode: 0 })
    expect(failed).toMatchObject({ status: 'failed', counts: { passed: 1, failed: 1, skipped: 0 } })
    expect(JSON.stringify([passed, failed])).not.toContain(secret)
  },
)

test.each([
  'postgres://app:db%40Pass%2Fw0rdlong@db.example.org:5432/shop',
  `postgres://app:it'sPassw0rdlong@db.example.org:5432/shop`,
  'postgres://app:one+two=Passw0rdlong@db.example.org:5432/shop',
  'app:top$ecret!Passw0rdlong@mysql.local:3306',
  'redis://cache.example.org:6379',
])('SECRET-55 an address is no place in the source, and no part of its password is the name of a file: %s', async (address) => {
  const result = await checked(`Error: cannot connect to ${address}\n    in src/shop.ts:12\n`)
  expect(result).toMatchObject({ failures: [{ file: 'src/shop.ts', line: 12 }] })
  const alone = await checked(`Error: cannot connect to ${address}\n`)
  expect(alone).toMatchObject({ status: 'failed' })
  expect(JSON.stringify(alone)).not.toContain('"file"')
})
