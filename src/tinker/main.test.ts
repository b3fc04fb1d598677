import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import type { RightSide } from '../core/ruling.ts'
import { readProcess } from '../process/process-identity.ts'
import { COMPILE_CACHE, programFile } from '../../test/support/programs.ts'
import { readFiles, temporaryProject, type TemporaryProject } from '../../test/support/temporary-project.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const projects: TemporaryProject[] = []
const memory = project({})
afterAll(() => projects.forEach((each) => each.remove()))

function project(files: Readonly<Record<string, string>>): TemporaryProject {
  const made = temporaryProject(files)
  projects.push(made)
  return made
}

function copyOf(example: string): TemporaryProject {
  const made = project({})
  cpSync(join(EXAMPLES, example), made.folder, { recursive: true })
  return made
}

/** Starts the program as Pawl does: nothing in the environment but what it needs. */
function start(folder: string, env: Readonly<Record<string, string>>, brief = 'Make the tests pass.') {
  const child = spawn(process.execPath, [programFile('tinker')], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: memory.folder, PAWL_RUN: folder, ...COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.end(brief)
  return child
}

async function run(folder: string, env: Readonly<Record<string, string>>, brief?: string) {
  const child = start(folder, env, brief)
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { stdout, stderr, exitCode: exitCode as number, lastLine: stdout.trimEnd().split('\n').at(-1) ?? '' }
}

const check = (path: string) => JSON.stringify(['node', '--test-reporter=tap', path])

describe('the examples', () => {
  test('TINKER-3 demo-solvable is fixed in two or three calls of 25 tries', async () => {
    const { folder, readAll } = copyOf('demo-solvable')
    const before = readAll()
    const ends: string[] = []
    for (let iteration = 1; iteration <= 3 && !ends.at(-1)?.endsWith('all 14 tests pass'); iteration++) {
      const { lastLine } = await run(folder, {
        PAWL_TINKER_CHECK: check('test/order.test.js'),
        PAWL_TINKER_TRIES_MAX: '25',
        PAWL_ITERATION: String(iteration),
      })
      ends.push(lastLine)
    }
    expect(ends.at(-1)).toMatch(/all 14 tests pass$/)
    expect(ends.length).toBeGreaterThan(1)
    const after = readAll()
    const changed = Object.keys(before).filter((path) => after[path] !== before[path])
    expect(Object.keys(after)).toEqual(Object.keys(before))
    expect(changed.every((path) => path.startsWith('src/'))).toBe(true)
  })

  test('TINKER-4 TINKER-10 demo-question stays as it is, with the same failing test in every call', async () => {
    const { folder, readAll } = copyOf('demo-question')
    for (const iteration of ['1', '2']) {
      const { exitCode, lastLine } = await run(folder, {
        PAWL_TINKER_CHECK: check('test/login.test.js'),
        PAWL_TINKER_TRIES_MAX: '4',
        PAWL_ITERATION: iteration,
      })
      expect(exitCode).toBe(0)
      expect(lastLine).toContain('1 of 7 tests fail (a login returns a token with the numeric userId)')
    }
    expect(readAll()).toEqual(readFiles(join(EXAMPLES, 'demo-question')))
  })

  test.each<[RightSide, readonly string[]]>([
    ['test', ['src/login.js', 'src/token.js']],
    ['code', ['test/login.test.js']],
  ])('TINKER-23 demo-question is fixed in one call once a person has said that the %s is right', async (right, expected) => {
    const { folder, readAll } = copyOf('demo-question')
    const before = readAll()
    const id = 'a login returns a token with the numeric userId'
    const rulings = [{ test: id, right, wanted: 'userId: 123', given: 'userId: "123"' }]
    const env = {
      PAWL_TINKER_CHECK: check('test/login.test.js'),
      PAWL_TINKER_TRIES_MAX: '25',
      PAWL_ITERATION: '4',
      PAWL_RULINGS: JSON.stringify(rulings),
    }
    const { lastLine } = await run(folder, env)
    expect(lastLine).toMatch(/all 7 tests pass$/)
    const after = readAll()
    expect(Object.keys(after).filter((path) => after[path] !== before[path])).toEqual(expected)
  })
})

describe('the program', () => {
  test('TINKER-10 TINKER-11 ends with 0 when it kept something, and reports what it cost: nothing', async () => {
    const files = {
      'lib.mjs': 'export const double = (n) => n + 2\n',
      'test.mjs': "import { double } from './lib.mjs'\nif (double(5) !== 10) process.exit(1)\n",
    }
    const { folder } = project(files)
    const report = join(folder, 'report.json')
    const { exitCode, lastLine } = await run(folder, { PAWL_TINKER_CHECK_SHELL: 'node test.mjs', PAWL_REPORT_FILE: report })
    expect(exitCode).toBe(0)
    expect(lastLine).toMatch(/^kept lib\.mjs:1 \+ -> \* after \d tr(?:y|ies): the check passes$/)
    expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual({ summary: lastLine, costUsd: 0, tokens: 0 })
  })

  test.each([
    [{}, /tinker needs a check to work against/],
    [{ PAWL_TINKER_CHECK: '["no-such-program-anywhere"]' }, /The check cannot be run: .*no-such-program-anywhere/],
  ])('TINKER-10 ends with 2 and one clear sentence for %j', async (env, sentence) => {
    const { exitCode, stderr } = await run(project({ 'a.js': '' }).folder, env)
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(sentence)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('a signal', () => {
  const files = {
    'lib.js': 'module.exports = (n) => n + 2 // é\r\n',
    // Quick on the first run; hangs on every edited tree and says who it is.
    'check.js': `const fs = require('node:fs')
if (fs.readFileSync('lib.js', 'utf8').includes('n + 2 // é')) process.exit(1)
fs.writeFileSync('pid', String(process.pid))
process.on('SIGTERM', () => {})
setInterval(() => {}, 1000)
`,
  }

  async function startedTry(folder: string) {
    const child = start(folder, { PAWL_TINKER_CHECK: '["node","check.js"]' })
    const exit = once(child, 'exit')
    const pid = await until(() => Number(readFiles(folder)['pid'] ?? 0))
    expect(readFileSync(join(folder, 'lib.js'), 'utf8')).not.toBe(files['lib.js'])
    return { child, exit, pid }
  }

  test('TINKER-6 puts the bytes back at once and ends the check', async () => {
    const { folder } = project(files)
    const { child, exit, pid } = await startedTry(folder)
    child.kill('SIGTERM')
    expect((await exit)[0]).toBe(143)
    expect(readFileSync(join(folder, 'lib.js'), 'utf8')).toBe(files['lib.js'])
    expect(isAlive(pid)).toBe(false)
  })

  test('TINKER-7 that cannot be caught leaves it to the next call, which also ends the check that was left behind', async () => {
    const { folder } = project(files)
    const { child, exit, pid } = await startedTry(folder)
    child.kill('SIGKILL')
    await exit
    expect(isAlive(pid)).toBe(true)
    const { stdout } = await run(folder, { PAWL_TINKER_CHECK: '["node","-e",""]' })
    expect(stdout).toContain('put back lib.js')
    expect(readFileSync(join(folder, 'lib.js'), 'utf8')).toBe(files['lib.js'])
    expect(isAlive(pid)).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  const entry = readProcess(pid)
  return entry !== undefined && !entry.isZombie
}

/** Asks again and again, for at most 20 seconds. */
async function until(ask: () => number): Promise<number> {
  for (let round = 0; round < 400; round++) {
    const answer = ask()
    if (answer > 0) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('it did not happen within 20 seconds')
}
