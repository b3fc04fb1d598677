import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { reportParsers } from '../checks/reports/index.ts'
import { BROKEN_PROGRAMS } from '../../test/support/broken-programs.ts'
import type { Settings } from './settings.ts'
import { temporaryProject, type TemporaryProject } from '../../test/support/temporary-project.ts'
import { tinker, type TinkerResult } from './tinker.ts'

const projects: TemporaryProject[] = []
const memory = temporaryProject({})

/** What tinker remembers must not lie about after the tests. */
beforeAll(() => void vi.stubEnv('TMPDIR', memory.folder))
afterAll(() => {
  vi.unstubAllEnvs()
  for (const each of [...projects, memory]) each.remove()
})

function project(files: Readonly<Record<string, string>>): TemporaryProject {
  const made = temporaryProject({ 'package.json': '{ "type": "module" }\n', ...files })
  projects.push(made)
  return made
}

/** Running one test file in its own process is the quickest check with a real report. */
function checkOf(files: Readonly<Record<string, string>>): readonly string[] {
  return ['node', '--test-reporter=tap', testFileOf(files)]
}

function testFileOf(files: Readonly<Record<string, string>>): string {
  return Object.keys(files).find((path) => path.startsWith('test/'))!
}

async function call(
  folder: string,
  settings: Partial<Settings> & Pick<Settings, 'check'>,
): Promise<TinkerResult & { lines: string[] }> {
  const lines: string[] = []
  const result = await tinker({
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    settings: { triesMax: 60, secondsMax: 60, iteration: 1, run: 'test', seed: '', ...settings },
    brief: '',
    parsers: reportParsers,
    say: (line) => lines.push(line),
    signal: new AbortController().signal,
  })
  return { ...result, lines }
}

describe.concurrent('tinker', () => {
  test.for(BROKEN_PROGRAMS)('TINKER-3 mends a program in which $slip', async ({ files }) => {
    const { folder, readAll } = project(files)
    const { status, summary } = await call(folder, { check: checkOf(files) })
    expect([status, summary]).toEqual(['helped', expect.stringMatching(/all \d tests pass$/)])
    const path = testFileOf(files)
    expect(readAll()[path]).toBe(Buffer.from(files[path]!).toString('latin1'))
  })
})

const UNSOLVABLE = {
  'src/greet.js': "export function greet(name) {\n  return 'Hello ' + name\n}\n",
  'test/greet.test.js':
    "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { greet } from '../src/greet.js'\ntest('in French', () => assert.equal(greet('Ada'), 'Bonjour Ada'))\ntest('by name', () => assert.match(greet('Ada'), /Ada$/))\n",
}

describe('tinker', () => {
  test('TINKER-4 leaves a program that it cannot fix as it was, byte by byte, and says so', async () => {
    const { folder, readAll } = project(UNSOLVABLE)
    const before = readAll()
    const { status, lines, summary } = await call(folder, { check: checkOf(UNSOLVABLE) })
    expect(status).toBe('nothing-helped')
    expect(readAll()).toEqual(before)
    expect(lines[0]).toBe('before any edit: 1 of 2 tests fail')
    expect(lines.slice(1).every((line) => /^tried \d+\/60 src\/greet\.js:\d  .+  : /.test(line))).toBe(true)
    expect(summary).toMatch(/^nothing helped in \d+ tries: 1 of 2 tests fail \(in French\); nothing is left to try on this tree$/)
  })

  test('TINKER-9 a later iteration continues where the one before stopped, and the first begins again', async () => {
    const { folder } = project(UNSOLVABLE)
    const tried = async (iteration: number) => {
      const { lines } = await call(folder, { check: checkOf(UNSOLVABLE), triesMax: 2, iteration })
      return lines.filter((line) => line.startsWith('tried')).map((line) => line.replace(/^tried \S+/, ''))
    }
    const [first, second, anew] = [await tried(1), await tried(2), await tried(1)]
    expect(first).toHaveLength(2)
    expect(second).toHaveLength(2)
    expect(second.filter((line) => first.includes(line))).toEqual([])
    // TINKER-8 the same tree and seed, the same tries.
    expect(anew).toEqual(first)
  })

  test('TINKER-12 no more is tried than was asked for', async () => {
    const { folder } = project(UNSOLVABLE)
    const { lines, summary } = await call(folder, { check: checkOf(UNSOLVABLE), triesMax: 2 })
    expect(lines.filter((line) => line.startsWith('tried'))).toHaveLength(2)
    expect(summary).toMatch(/the 2 tries are used up, \d+ candidates are left for the next iteration$/)
  })

  test('TINKER-12 the time is bounded, also when the check hangs', async () => {
    const files = { 'src/a.js': 'export const a = 1 + 1\n', 'check.js': "import './src/a.js'\nsetInterval(() => {}, 1000)\n" }
    const { folder, readAll } = project(files)
    const before = readAll()
    const { status, summary } = await call(folder, { check: ['node', 'check.js'], secondsMax: 1 })
    expect([status, summary]).toEqual(['nothing-helped', expect.stringContaining('the 1 seconds are used up')])
    expect(readAll()).toEqual(before)
  })

  test('TINKER-3 works with a check of which only the exit code is known', async () => {
    const files = {
      'lib.js': 'export const double = (n) => n + 2\n',
      'check.js': "import { double } from './lib.js'\nif (double(5) !== 10) process.exit(1)\n",
    }
    const { folder, readAll } = project(files)
    expect((await call(folder, { check: ['node', 'check.js'] })).status).toBe('helped')
    expect(readAll()['lib.js']).toBe('export const double = (n) => n * 2\n')
  })

  test('TINKER-3 an edit that only a flaky test speaks for is not kept', async () => {
    const files = {
      'src/a.js': 'export const a = 1\n',
      'check.js':
        "import { readFileSync, writeFileSync } from 'node:fs'\nimport './src/a.js'\nconst n = Number(readFileSync('count', 'utf8'))\nwriteFileSync('count', String(n + 1))\nprocess.exit(n === 1 ? 0 : 1)\n",
      count: '0',
    }
    const { folder, readAll } = project(files)
    const { status, lines } = await call(folder, { check: ['node', 'check.js'] })
    expect(status).toBe('nothing-helped')
    expect(lines.some((line) => line.includes('a second run did not confirm it'))).toBe(true)
    expect(readAll()['src/a.js']).toBe(files['src/a.js'])
  })

  test('TINKER-13 an edit that turns out not to be needed is taken back', async () => {
    const files = {
      'src/a.js': 'export function first() {\n  return 2 + 1\n}\nexport function second() {\n  return 1 + 1\n}\n',
      // The second test passes when either function changes, the third one only with the right value of the second function.
      'check.js': `import { first, second } from './src/a.js'
const isWhole = second() === 3
console.log('TAP version 13\\n1..3\\nok 1 - loads')
console.log((isWhole || first() !== 3 ? '' : 'not ') + 'ok 2 - half')
console.log((isWhole ? '' : 'not ') + 'ok 3 - whole')
process.exit(isWhole ? 0 : 1)
`,
    }
    const { folder, readAll } = project(files)
    const { status, lines } = await call(folder, { check: ['node', 'check.js'] })
    expect(status).toBe('helped')
    expect(lines.filter((line) => /^(?:kept|taken back) src\/a\.js:2/.test(line))).toHaveLength(2)
    expect(readAll()['src/a.js']).toContain('function first() {\n  return 2 + 1\n}')
  })

  test('TINKER-10 a check that passes leaves nothing to do', async () => {
    const { folder } = project({ 'src/a.js': 'export const a = 1\n' })
    expect(await call(folder, { check: ['node', 'src/a.js'] })).toMatchObject({
      status: 'helped',
      summary: 'nothing to do: the check passes',
    })
  })

  test('TINKER-5 where only tests and the check itself could be edited, nothing is', async () => {
    const files = { 'check.js': 'process.exit(1 - 0)\n', 'test/a.test.js': 'export const a = 1 + 1\n' }
    const { folder, readAll } = project(files)
    const { summary } = await call(folder, { check: ['node', 'check.js'] })
    expect(summary).toBe(
      'nothing helped in 0 tries: the check fails; there is no file that may be edited (tests and the check itself never are)',
    )
    expect(readAll()).toMatchObject(files)
  })
})
