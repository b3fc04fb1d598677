import { expect, test } from 'vitest'
import { endTrouble, startTrouble } from './command-trouble.ts'
import { runShell } from '../../test/support/process-support.ts'

const LINE = { command: ['npm', 'test'] } as const

function exited(exitCode: number, text: string) {
  return { status: 'exited', exitCode, output: { text, bytesCut: 0 } } as const
}

test.each([
  ['dash', 127, 'sh: 1: vitest: not found\n', 'vitest'],
  ['bash', 127, 'bash: line 1: vitest: command not found\n', 'vitest'],
  ['zsh', 127, 'zsh:1: command not found: vitest\n', 'vitest'],
  ['env', 127, '/usr/bin/env: ‘node’: No such file or directory\n', 'node'],
  [
    'a library',
    127,
    './app: error while loading shared libraries: libx.so.1: cannot open shared object file: No such file\n',
    'libx.so.1',
  ],
  ['a path', 126, '/bin/sh: 1: ./run.sh: Permission denied\n', './run.sh'],
  ['a dead interpreter', 126, 'bash: ./run.py: cannot execute: required file not found\n', './run.py'],
])('PROC-17 a program missing further down is trouble: %s', (_shell, exitCode, complaint, missing) => {
  expect(endTrouble(exited(exitCode, `some output\n${complaint}`), LINE)).toMatchObject({
    fault: 'environment',
    message: expect.stringContaining(missing),
    fix: expect.stringContaining(missing),
  })
})

test('PROC-17 exit 127 without a complaint, and a complaint with another exit code, are no trouble', () => {
  expect(endTrouble(exited(127, 'the password was not found\n'), LINE)).toBeUndefined()
  expect(endTrouble(exited(1, 'sh: 1: vitest: not found\n'), LINE)).toBeUndefined()
})

test('PROC-17 the real shell of this machine is understood', async () => {
  const result = await runShell('no-such-program-at-all --flag')
  expect(
    result.status !== 'could-not-start' && endTrouble(result, { command: 'no-such-program-at-all --flag', shell: true }),
  ).toMatchObject({
    fault: 'config',
    message: 'no-such-program-at-all was not found.',
  })
})

test('PROC-17 an end by a signal from outside is trouble, a crash is not', async () => {
  const output = { text: '', bytesCut: 0 }
  expect(endTrouble({ status: 'killed', signal: 'SIGKILL', output }, LINE)).toMatchObject({
    fault: 'environment',
    fix: expect.stringContaining('memory'),
  })
  expect(endTrouble({ status: 'killed', signal: 'SIGTERM', output }, LINE)).toMatchObject({ fault: 'environment' })
  expect(endTrouble({ status: 'killed', signal: 'SIGSEGV', output }, LINE)).toBeUndefined()
  expect(endTrouble({ status: 'timed-out', output }, LINE)).toBeUndefined()
})

test.each([
  ['dash', 'Killed\n'],
  ['bash', '/tmp/run.sh: line 1: 21792 Killed                  node x\n'],
  ['bash -c', 'bash: 21788 Killed                  sh -c x\n'],
  ['npm', 'npm error signal SIGKILL\nnpm error command sh -c node x\n'],
])('PROC-32 exit code 137 is an end by SIGKILL only where the last lines say so: %s', (_shell, complaint) => {
  expect(endTrouble(exited(137, `some output\n${complaint}`), LINE)).toMatchObject({ fault: 'environment' })
  expect(endTrouble(exited(1, complaint), LINE)).toBeUndefined()
  expect(endTrouble(exited(137, 'the child was killed as expected\nKilled 3 of 4 mutants\n'), LINE)).toBeUndefined()
})

test('PROC-32 the shell of this machine says so of a child that was killed', async () => {
  const result = await runShell('sh -c "kill -9 \\$\\$"; exit $?')
  expect(result.status !== 'could-not-start' && endTrouble(result, LINE)).toMatchObject({ fault: 'environment' })
})

function start(reason: 'not-found' | 'not-executable' | 'no-such-folder' | 'other') {
  return startTrouble({ status: 'could-not-start', reason, message: 'It could not.' }, LINE)
}

test('PROC-17 a command that could not start has a fault and a fix', () => {
  expect(start('not-found')).toEqual({
    fault: 'config',
    message: 'It could not.',
    fix: 'Install npm, or correct the command: npm test',
  })
  expect([start('not-executable').fault, start('no-such-folder').fault, start('other').fault]).toEqual([
    'config',
    'environment',
    'environment',
  ])
})

test('BOX-6 a program that the box hides is a mistake in the configuration, with what would show it', () => {
  for (const said of ['bwrap: execvp /home/me/agent.sh: No such file or directory', 'spawn /home/me/agent.sh ENOENT'])
    expect(endTrouble(exited(1, `${said}\n`), LINE)).toMatchObject({
      fault: 'config',
      message: "/home/me/agent.sh can't be seen in the sandbox.",
      fix: expect.stringContaining('readable'),
    })
})
