import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import type { CheckResult } from './check.ts'
import { commandCheck } from './command-check.ts'
import type { Validator } from './custom.ts'
import { ruleCheck } from './rule.ts'

const validators: Readonly<Record<string, Validator>> = {
  yes: () => true,
  no: () => ({ passed: false, message: 'Not like this.' }),
  words: ({ agentOutput = '' }) => agentOutput.includes('ready'),
  later: async () => ({ passed: true, failures: [{ id: 'x', kind: 'lint', message: 'but' }] }),
  broken: () => {
    throw new Error('no database')
  },
  vague: () => undefined as unknown as boolean,
}

const build = (type: string, config: unknown, name = 'rule') =>
  ruleCheck({ type, name, config }, { command: commandCheck, validators })

async function run(type: string, config: unknown, agentOutput = 'ready'): Promise<CheckResult> {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'docs'))
  writeFileSync(join(cwd, 'docs', 'a.md'), '')
  const context = { signal: new AbortController().signal, started: async () => {}, progress: () => {} }
  return build(type, config).run({ run: 'r', iteration: 1, cwd, tree: 't', agentOutput }, context)
}

describe('a rule', () => {
  it.each<[type: string, config: unknown, status: string]>([
    ['command', { command: 'test -d docs' }, 'passed'],
    ['command', { command: ['false'] }, 'failed'],
    ['command', { command: 'exit 3', expectedExitCode: 3 }, 'passed'],
    ['command', { command: 'exit 0', expectedExitCode: 3 }, 'failed'],
    ['command', { command: 'exit 2', successExitCodes: [0, 2] }, 'passed'],
    ['command', { command: 'exit 0', successExitCodes: [0, 2] }, 'passed'],
    ['command', { command: 'exit 1', successExitCodes: [0, 2], expectedExitCode: 1 }, 'failed'],
    ['command', { command: 'no-such-program-at-all', expectedExitCode: 0 }, 'errored'],
    ['content_pattern', { pattern: 'ready' }, 'passed'],
    ['content_pattern', { pattern: 'READY', mustMatch: true, target: 'agent_output' }, 'failed'],
    ['coverage', { minCoverage: 80, format: 'lcov', scope: 'lines' }, 'failed'],
    ['file_existence', { paths: ['docs/a.md'], allMustExist: true }, 'passed'],
    ['file_existence', { paths: ['docs/b.md'] }, 'failed'],
    ['custom', { validatorId: 'yes' }, 'passed'],
    ['custom', { validatorId: 'no' }, 'failed'],
    ['custom', { validatorId: 'words' }, 'passed'],
    ['custom', { validatorId: 'later' }, 'failed'],
    ['custom', { validatorId: 'broken' }, 'errored'],
    ['custom', { validatorId: 'vague' }, 'errored'],
  ])('CHECK-40 of type %s with %j has %s', async (type, config, status) => {
    expect((await run(type, config)).status).toBe(status)
  })

  it.each<[rule: unknown, words: string]>([
    ['npm test', 'A rule takes an object with its options (type, name, config), not "npm test".'],
    [{ name: 'x', config: {} }, 'Rule "x" needs type: one of command, content_pattern, coverage, file_existence, custom.'],
    [{ type: 'regex', name: 'x' }, 'not "regex"'],
    [{ type: 'command', config: {} }, 'A rule of type command needs name: one line of text.'],
    [{ type: 'command', name: 'x', config: [] }, 'Rule "x" (command): config must be a map of settings, not an empty list.'],
    [{ type: 'command', name: 'x', confg: {} }, 'Rule "x" (command) has no option "confg"; did you mean "config"?'],
    [
      { type: 'command', name: 'x' },
      'Rule "x" (command) needs config.command: a line for the shell, or a list of a program and its arguments.',
    ],
    [
      { type: 'command', name: 'x', config: { command: 'a', timeout: 999 } },
      'config.timeout must be a number of milliseconds from 1000 to 600000, not 999.',
    ],
    [{ type: 'command', name: 'x', config: { command: 'a', timeout: 600_001 } }, 'config.timeout'],
    [{ type: 'command', name: 'x', config: { command: 'a', expectedExitCode: 1.5 } }, 'config.expectedExitCode must be'],
    [{ type: 'command', name: 'x', config: { command: 'a', successExitCodes: [] } }, 'config.successExitCodes must be'],
    [
      { type: 'command', name: 'x', config: { command: 'a', exitCode: 1 } },
      'config has no option "exitCode"; there are command, expectedExitCode, successExitCodes, timeout.',
    ],
    [{ type: 'content_pattern', name: 'x', config: { pattern: '(' } }, 'config.pattern must be a regular expression'],
    [{ type: 'content_pattern', name: 'x', config: { pattern: 'a', target: 'files' } }, 'config.target must be one of'],
    [
      { type: 'coverage', name: 'x', config: { minCoverage: 200 } },
      'Rule "x" (coverage): config.minCoverage must be a number from 0 to 100, not 200.',
    ],
    [{ type: 'file_existence', name: 'x', config: { paths: [] } }, 'config.paths must be a list of at least one path'],
    [{ type: 'file_existence', name: 'x', config: { paths: ['../y'] } }, 'config.paths[0] must be a path inside the workspace'],
    [{ type: 'custom', name: 'x', config: { validatorId: 'a b' } }, 'config.validatorId must be letters'],
    [{ type: 'custom', name: 'x', config: { validatorId: 'toString' } }, 'config.validatorId names no validator: "toString"'],
  ])('CHECK-41 %j is refused with the rule and the field', (rule, words) => {
    const refused = () => ruleCheck(rule, { command: commandCheck, validators })
    expect(refused).toThrow(words)
    expect(refused).toThrow(expect.objectContaining({ code: 'config.rule' }))
  })

  it('CHECK-40 a command has a minute by default, and the settings are recorded so that it can be built again', () => {
    expect(build('command', { command: 'npm test' }).spec.settings).toMatchObject({ timeoutMs: 60_000, successExitCodes: [0] })
    expect(build('custom', { validatorId: 'yes' }).spec).toEqual({
      name: 'custom',
      v: 1,
      settings: { name: 'rule', validatorId: 'yes' },
    })
  })

  it('CHECK-49 an exit code that was expected passes whatever its output looks like, and another is named in the failure', async () => {
    expect(await run('command', { command: 'echo "not ok 1 - a"; exit 1', expectedExitCode: 1 })).toMatchObject({
      status: 'passed',
    })
    const failed = await run('command', { command: 'exit 0', expectedExitCode: 1 })
    expect(failed).toMatchObject({ failures: [{ message: 'Exit code 0, wanted 1.\nIt printed nothing.' }] })
  })

  it('FEED-4 an unwanted exit code 0 is named, whatever the output looks like', async () => {
    const failed = await run('command', { command: 'echo "error: it went wrong"', expectedExitCode: 1 })
    expect(failed).toMatchObject({ status: 'failed', failures: [{ message: expect.stringMatching(/^Exit code 0, wanted 1\./) }] })
  })
})
