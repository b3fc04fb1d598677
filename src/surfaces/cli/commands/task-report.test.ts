import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { log } from './log.ts'
import { task } from './task.ts'

let project: TestProject

beforeEach(() => {
  project = testProject()
})

afterEach(() => project.remove())

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const PASSING = JSON.stringify({ numTotalTests: 1, numPassedTests: 1, testResults: [] })

function write(name: string, text: string): void {
  writeFileSync(join(project.root, name), text)
}

function check(command: readonly string[], report: string): void {
  write('pawl.yaml', `baseline: false\nchecks: [{ name: tests, command: ${JSON.stringify(command)}, report: ${report} }]\n`)
}

async function facts(run: string, type: string) {
  const context = project.look({ json: true })
  await log(context, run, {})
  return (context.documents as { readonly type: string }[]).filter((event) => event.type === type)
}

test('CONFIG-211 the report that vitest writes to a file is read: its failures by name, then its passes', async () => {
  write(
    'sum.test.js',
    "import { sum } from './sum.js'\ntest('adds', () => expect(sum(1, 2)).toBe(3))\ntest('is there', () => {})\n",
  )
  write('sum.js', 'export const sum = (a, b) => a - b\n')
  check([process.execPath, VITEST, 'run', '--globals', '--reporter=json', '--outputFile=report.json'], 'report.json')
  const agentCommand = `sh -c 'test -e tried && sed -i "s/a - b/a + b/" sum.js; touch tried'`
  expect(await task(project.look(), { id: 'sum', agentCommand, ask: false }, ['sum adds'])).toBe(0)
  expect(await facts('sum', 'check.failed')).toMatchObject([
    {
      data: {
        counts: { passed: 1, failed: 1, skipped: 0 },
        failures: [{ message: expect.stringContaining('expected -1 to be 3') }],
      },
    },
  ])
  expect(await facts('sum', 'check.passed')).toMatchObject([{ data: { counts: { passed: 2, failed: 0, skipped: 0 } } }])
})

test('CONFIG-212 a report from before the check is never a pass, nor is one that is not there', async () => {
  write('report.json', PASSING)
  const flags = { agentCommand: 'true', ask: false }
  check(['true'], '{ format: vitest-json, file: report.json }')
  expect(await task(project.look(), { ...flags, id: 'stale' }, ['x'])).toBe(7)
  expect(await facts('stale', 'check.passed')).toEqual([])
  expect(JSON.stringify(await facts('stale', 'check.errored'))).toContain('report.json is from before the check')
  check(['true'], './nowhere.json')
  expect(await task(project.look(), { ...flags, id: 'missing' }, ['x'])).toBe(7)
  expect(JSON.stringify(await facts('missing', 'check.errored'))).toContain('nowhere.json was not written')
})

test('CONFIG-213 --report is for one check, and what it says is looked at before anything runs', async () => {
  const one = { agentCommand: 'true', check: ['true'], ask: false }
  expect(await task(project.look(), { ...one, id: 'one', report: 'junit' }, ['x'])).toBe(7)
  expect(JSON.stringify(await facts('one', 'check.errored'))).toContain('There is no report in the format junit in the output.')
  const started = (flags: object) => task(project.look(), { ...one, ...flags }, ['x'])
  await expect(started({ report: 'junti' })).rejects.toThrow(
    'there is no report format "junti"; did you mean "junit"? A file has a dot or a slash in its path',
  )
  await expect(started({ report: 'out/*.xml' })).rejects.toThrow(
    '--report: a report is the path of one file, without wildcards, not "out/*.xml".',
  )
  await expect(started({ report: 'tap', check: ['true', 'false'] })).rejects.toThrow('--report is for one check, and there are 2')
})
