import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { PawlError } from '../core/pawl-error.ts'
import { loadConfig } from './load-config.ts'
import { parseConfig } from './parse-config.ts'
import type { PawlConfig } from './pawl-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'pawl-config-'))
const path = join(folder, 'pawl.yaml')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function load(content: string | Uint8Array): Promise<PawlConfig | undefined> {
  writeFileSync(path, content)
  return loadConfig(path)
}

/** What is said about a text, a line each, with the file's name as in its own folder. */
function complaints(text: string): readonly string[] {
  try {
    parseConfig(text, 'pawl.yaml')
    return []
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'config.invalid') throw error
    return error.message.split('\n')
  }
}

test('CONFIG-1 a file that is not there is no error', async () => {
  expect(await loadConfig(join(folder, 'none.yaml'))).toBeUndefined()
})

test('CONFIG-2 every key arrives in camelCase, durations in milliseconds, commands taken apart', async () => {
  const config = await load(`
agent: mine
agents:
  mine: { command: "my-agent --fast", shell: false, brief: stdin, timeout: 30m, environment: [MY_KEY, AWS_*] }
  piped: { command: 'my-agent "$1" | cat', shell: true, brief: argument }
  listed: { command: [my-agent, "a b"] }
checks:
  - { name: tests, command: "npm test", timeout: 10m }
  - name: all
    command: npm test && npm run lint
    environment: [DATABASE_URL]
reviewer: mine
questioner: claude
protect: ["test/**"]
max_iterations: 3
auto_retry_on_test_fail: false
auto_retry_on_review_reject: true
escalation_includes_diff: false
budget_usd: 5.5
budget_tokens: 0
budget_time: 40m
agent_timeout: 90
baseline: true
feedback_max_length: 500
worktree: false
guards:
  circuit_breaker: { failures_max: 4, severity: trip }
  same_failure: off
`)
  expect(config).toEqual({
    agent: 'mine',
    agents: {
      mine: { command: ['my-agent', '--fast'], briefAs: 'stdin', timeoutMs: 1_800_000, environment: ['MY_KEY', 'AWS_*'] },
      piped: { command: 'my-agent "$1" | cat', shell: true, briefAs: 'argument' },
      listed: { command: ['my-agent', 'a b'] },
    },
    checks: [
      { name: 'tests', command: ['npm', 'test'], timeoutMs: 600_000 },
      { name: 'all', command: 'npm test && npm run lint', shell: true, environment: ['DATABASE_URL'] },
    ],
    reviewer: 'mine',
    questioner: 'claude',
    protect: ['test/**'],
    maxIterations: 3,
    autoRetryOnTestFail: false,
    autoRetryOnReviewReject: true,
    escalationIncludesDiff: false,
    budgetUsd: 5.5,
    budgetTokens: 0,
    budgetTimeMs: 2_400_000,
    agentTimeoutMs: 90_000,
    baseline: true,
    feedbackMaxLength: 500,
    worktree: false,
    guards: { circuitBreaker: { failuresMax: 4, severity: 'trip' }, sameFailure: 'off' },
  })
})

test('CONFIG-215 how a success is proved is set by tests, may_change, require_proof, and room and cwd of a check', async () => {
  const config = await load(`
tests: ["checks/**", "!test/tools/**"]
may_change: [test/login]
require_proof: self-tested
checks: [{ name: api, command: npm test, cwd: packages/api, room: false }]
`)
  expect(config).toEqual({
    agents: {},
    checks: [{ name: 'api', command: ['npm', 'test'], cwd: 'packages/api', room: false }],
    tests: ['checks/**', '!test/tools/**'],
    mayChange: ['test/login'],
    requireProof: 'self-tested',
  })
})

test('CONFIG-2 what the file does not say is absent; a file of comments says nothing', async () => {
  const nothing = { agents: {}, checks: [] }
  expect(await load('# only a remark\n')).toEqual(nothing)
  expect(await load('{}')).toEqual(nothing)
  expect(await load('\uFEFFagent: claude\r\nguards: {same_failure: false}\r\n')).toEqual({
    ...nothing,
    agent: 'claude',
    guards: { sameFailure: 'off' },
  })
})

test('CONFIG-2 anchors and aliases are read as they are meant', async () => {
  const config = await load('agents: { one: &it { command: a }, two: *it }')
  expect(config?.agents).toEqual({ one: { command: ['a'] }, two: { command: ['a'] } })
})

function reportOf(report: string) {
  return parseConfig(`checks: [{ name: a, command: b, report: ${report} }]`, 'pawl.yaml').checks[0]?.report
}

test('CONFIG-210 a report is a format, a file, or both, and one word is enough', () => {
  expect(reportOf('junit')).toEqual({ format: 'junit' })
  expect(reportOf('report.xml')).toEqual({ file: 'report.xml' })
  expect(reportOf('./junit')).toEqual({ file: './junit' })
  expect(reportOf('{ file: out/a.json }')).toEqual({ file: 'out/a.json' })
  expect(reportOf('{ format: vitest-json, file: out/a.json }')).toEqual({ format: 'vitest-json', file: 'out/a.json' })
})

test('CONFIG-3 an unknown key is named with its place and the nearest right name', () => {
  const text = '# first\nagent: claude\nchecks:\n  - name: tests\n    command: npm test\n    tiemout: 5m\nmax_iteration: 3\n'
  expect(complaints(text)).toEqual([
    'pawl.yaml:6:5: unknown key "tiemout"; did you mean "timeout"?',
    'pawl.yaml:7:1: unknown key "max_iteration"; did you mean "max_iterations"?',
  ])
  expect(complaints('colour: red\nagnet: claude\n')).toHaveLength(2)
  expect(complaints('guards:\n  circuit_breaker: { max: 3 }\n')).toEqual([
    'pawl.yaml:2:22: unknown key "max"; there are failures_max, severity, patience',
  ])
  expect(complaints('guards: { circuitBreaker: off }')).toEqual([
    'pawl.yaml:1:11: unknown key "circuitBreaker"; did you mean "circuit_breaker"?',
  ])
  expect(complaints('agents: { a: { cmd: x, command: y } }')[0]).toMatch(/^pawl.yaml:1:16: unknown key "cmd"; (did|there)/)
  expect(complaints('__proto__: 1')[0]).toContain('unknown key "__proto__"')
})

test.each([
  ['max_iterations: three', '1:17: "max_iterations" must be a whole number of at least 1, not the text "three"'],
  ['max_iterations: 0', '1:17: "max_iterations" must be a whole number of at least 1, not 0'],
  ['max_iterations: 2.5', '1:17: "max_iterations" must be a whole number of at least 1, not 2.5'],
  ['budget_usd: -1', '1:13: "budget_usd" must be a number of at least 0, not -1'],
  ['budget_usd: .inf', '1:13: "budget_usd" must be a number of at least 0, not Infinity'],
  ['baseline: yes', '1:11: "baseline" must be true or false, not the text "yes"'],
  ['worktree: []', '1:11: "worktree" must be true or false, not an empty list'],
  ['agent: { name: claude }', '1:8: "agent" must be the name of an agent, not a map'],
  ['budget_time: [1]', '1:14: "budget_time" must be a duration such as 90s, 10m or 1h30m, not a list'],
  ['budget_time: soon', '1:14: "soon" is not a duration: write it like 90s, 10m, 1h30m or 500ms; a bare number is seconds.'],
  ['agent_timeout: 0', '1:16: "agent_timeout" must be longer than 0, not 0'],
  ['checks: npm test', '1:9: "checks" must be a list of checks, not the text "npm test"'],
  [
    'checks: [npm test]',
    '1:10: item 1 of "checks" must be a check such as { name: tests, command: "npm test" }, not the text "npm test"',
  ],
  [
    'checks:\n  - { name: tests }',
    '2:5: "command" is missing: it must be one text such as "npm test", or a list of texts (numbers in quotes)',
  ],
  [
    'checks: [{ name: a, command: [node, 3] }]',
    '1:30: "command" must be one text such as "npm test", or a list of texts (numbers in quotes), not a list',
  ],
  ['checks: [{ name: "", command: x }]', '1:18: "name" must be one line of text, not an empty text'],
  ['checks: [{ name: a, command: b, report: junti }]', '1:41: there is no report format "junti"; did you mean "junit"?'],
  [
    'checks: [{ name: a, command: b, report: { format: vitest_jsn, file: a.json } }]',
    '1:51: there is no report format "vitest_jsn"; did you mean "vitest-json"?',
  ],
  ['checks: [{ name: a, command: b, report: { fiel: a.xml } }]', '1:43: unknown key "fiel"; did you mean "file"?'],
  [
    'agent: claude\nrequire_proof: red-to-gren',
    '2:16: "require_proof" must be one of red-to-green, self-tested, reviewed, unproven, not the text "red-to-gren"; did you mean "red-to-green"?',
  ],
  ['tests: spec/**', '1:8: "tests" must be a list of globs such as [spec/**, "!spec/lib/**"], not the text "spec/**"'],
  [
    'checks: [{ name: a, command: b, cwd: ../api }]',
    '1:38: "cwd" must be a folder below the project, such as packages/api, not the text "../api"',
  ],
  ['checks: [{ name: a, command: b, room: no-copy }]', '1:39: "room" must be true or false, not the text "no-copy"'],
  ['checks: [{ name: a, command: b, report: {} }]', '1:41: a report needs a format, a file, or both'],
  [
    'checks: [{ name: a, command: b, report: out/*.xml }]',
    '1:41: a report is the path of one file, without wildcards, not "out/*.xml"',
  ],
  [
    'checks: [{ name: a, command: b, report: 3 }]',
    '1:41: "report" must be a format such as junit, a file such as report.xml, or { format: junit, file: report.xml }, not 3',
  ],
  ['checks:', '1:8: nothing stands after "checks": write a list of checks, or take the key out'],
  [
    'guards: { same_failure: of }',
    '1:25: "same_failure" must be a map such as { repeats_min: 3, severity: warn }, or one of off, warn, trip and ladder, not the text "of"',
  ],
  ['guards: { same_failure: { severity: stop } }', '1:37: "severity" must be trip, warn or ladder, not the text "stop"'],
  ['agents: { "a b": { command: x } }', '1:11: "a b" cannot be the name of an agent: use letters, digits, ".", "_" and "-"'],
  [
    'agents: { a: { command: x, environment: [A=b] } }',
    '1:42: Only names of variables can stand here, such as MY_KEY or MY_*; never values.',
  ],
  ['agents: { a: { command: x, brief: file } }', '1:35: "brief" must be stdin or argument, not the text "file"'],
])('CONFIG-4 %j says what is expected and what stands there', (text, complaint) => {
  expect(complaints(text)).toEqual([`pawl.yaml:${complaint}`])
})

test.each([
  ['agent: claude\nagent: codex\n', '2:1: the key "agent" stands here a second time: keep one of them'],
  ['guards:\n\tsame_failure: off\n', '2:1: a tab cannot indent in YAML: use spaces'],
  ['agent: "claude\nbaseline: true\n', '1:8: the quote that begins here is never closed'],
  ['agent: [claude\nbaseline: true\n', '2:1: this is not YAML: '],
  ['agent: a: b\n', '1:8: a key cannot stand here'],
  ['agent: @x\n', '1:8: a text cannot begin with this character: put quotes around it'],
  ['agent: claude\n---\nagent: codex\n', '2:1: a second document begins here'],
  ['agent: *x\n', '1:8: nothing before it is called &x'],
  ['agent: !secret x\n', '1:8: this is not YAML: unresolved tag'],
  ['- agent\n', '1:1: the file must be a map of keys and values, such as "agent: claude"'],
  ['claude', '1:1: the file must be a map of keys and values, such as "agent: claude"'],
])('CONFIG-5 %j is one clear sentence', (text, complaint) => {
  expect(complaints(text)).toHaveLength(1)
  expect(complaints(text)[0]).toContain(`pawl.yaml:${complaint}`)
})

test.each(['', ' \n\n', '# nothing but a comment\n'])('CLI-462 %j leaves everything as it is by default', async (text) => {
  writeFileSync(join(folder, 'pawl.yaml'), text)
  expect(await loadConfig(join(folder, 'pawl.yaml'))).toEqual({ agents: {}, checks: [] })
})

test('CONFIG-6 reports all problems at once, in the order of the file', () => {
  const text = `agent: cluade
agents:
  mine: { command: "a | b", environment: [x-y] }
checks:
  - { name: tests, command: 'npm "test' }
  - { name: tests, command: npm test }
max_iterations: many
max_iterations: 3
`
  expect(complaints(text).map((line) => line.replace('pawl.yaml:', ''))).toEqual([
    '1:8: there is no agent "cluade"; did you mean "claude"?',
    "3:20: The command needs a shell (because of |): call one (sh -c '…'), set shell: true in pawl.yaml, or put quotes around what is meant as it stands.",
    '3:43: Only names of variables can stand here, such as MY_KEY or MY_*; never values.',
    '5:29: The quote " before "test" is never closed.',
    '6:13: another check is called "tests" too; give each a name of its own',
    '8:1: the key "max_iterations" stands here a second time: keep one of them',
  ])
})

test('CONFIG-7 an agent may have the name of a preset or of the file, and no other', () => {
  expect(complaints('agent: tinker')).toEqual([])
  expect(complaints('agent: mine\nagents: { mine: { command: x } }')).toEqual([])
  expect(complaints('agent: constructor')[0]).toContain('there is no agent "constructor"; there are claude, codex,')
})

test('CONFIG-14 a {brief} must have a way to get in', () => {
  expect(complaints('agents: { a: { command: "x {brief}", brief: argument } }')).toEqual([])
  expect(complaints('agents: { a: { command: "x {brief}" } }')).toEqual([
    'pawl.yaml:1:25: The command asks for {brief}: set brief: argument.',
  ])
  expect(complaints('agents: { a: { command: "x {brief}", shell: true, brief: argument } }')[0]).toContain('write "$1" instead')
})

test('CONFIG-8 a file that cannot be read, or is no text, is an error with the way out', async () => {
  await expect(load(new Uint8Array([0x61, 0x3a, 0x20, 0xff, 0xfe]))).rejects.toMatchObject({
    code: 'config.unreadable',
    message: expect.stringContaining('save it as UTF-8'),
  })
  mkdirSync(join(folder, 'folder.yaml'))
  await expect(loadConfig(join(folder, 'folder.yaml'))).rejects.toMatchObject({ code: 'config.unreadable' })
})

test('CONFIG-9 the path in an error is the one a person would type', async () => {
  // From here or from the top, whichever is shorter: that depends on where the tests are run.
  const typed = [path, relative(process.cwd(), path)].toSorted((one, other) => one.length - other.length)[0]
  await expect(load('x: 1')).rejects.toThrow(`${typed}:1:1: unknown key "x"`)
})

test('CONFIG-5 no text makes it crash', () => {
  const words = ['agent', 'agents', 'checks', 'guards', 'command', 'name', 'off', '  ', '- ', '&a', '*a', '!x', '---', '<<']
  const piece = fc.constantFrom(...words, ...' \n\t\r\0:{}[]"\'#|>1?,%')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const line of complaints(pieces.join(''))) expect(line).toMatch(/^pawl.yaml:\d+:\d+: \S/)
    }),
    { numRuns: 600, seed: 11 },
  )
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...'bcdefgh'.split('').map((name, index) => `${name}: &${name} [${Array(10).fill(`*${'abcdefg'[index]}`).join(', ')}]`),
  ]
  expect(complaints(bomb.join('\n'))[0]).toMatch(/^pawl.yaml:1:1: this cannot be read as YAML: /)
  expect(complaints('['.repeat(20_000))[0]).toMatch(/^pawl.yaml:\d+:\d+: this (?:cannot be read as|is not) YAML: /)
  expect(complaints('agents: &a { b: *a }').length).toBeGreaterThan(0)
})

test('CONFIG-205 a reviewer is an agent or a person, a questioner an agent; impossible globs and names are errors', () => {
  expect(complaints('reviewer: person\nquestioner: codex\n')).toEqual([])
  expect(complaints('reviewer: persn\nquestioner: person\nprotect: [""]\n')).toEqual([
    'pawl.yaml:1:11: there is no agent "persn"; did you mean "person"?',
    expect.stringMatching(/^pawl.yaml:2:13: there is no agent "person"/),
    'pawl.yaml:3:11: item 1 of "protect" must be a glob such as test/**, not an empty text',
  ])
  expect(complaints('reviewer: person\nchecks: [{ name: review, command: a }]\n')).toEqual([
    'pawl.yaml:2:18: the reviewer is called "review" already; call this otherwise',
  ])
})
