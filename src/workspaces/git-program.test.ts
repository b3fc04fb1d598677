import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryRepository } from '../../test/support/temporary-repository.ts'
import { git, gitChunks, gitScript } from './git-program.ts'

/** A repository in which `git ls-files` never ends: it waits for somebody to write into a pipe that is named like a file of rules. */
async function withPipe() {
  const repository = await temporaryRepository({ 'a.txt': 'a\n' })
  mkdirSync(join(repository.path, 'inner'))
  execFileSync('mkfifo', [join(repository.path, 'inner', '.gitignore')])
  return repository
}

const LIST = ['ls-files', '--others', '--exclude-standard']
const LATE = {
  code: 'workspace.git-late',
  message: expect.stringMatching(/^git ls-files did not end within 0\.3 seconds: it was ended; look in \S+ for /),
}

test('WORK-96 a call of git that does not end is ended and told in one sentence', async () => {
  await using repository = await withPipe()
  const call = { cwd: repository.path, durationMsMax: 300 }
  await expect(git(LIST, call)).rejects.toMatchObject(LATE)
  await expect(gitChunks(LIST, call).next()).rejects.toMatchObject(LATE)
})

test('WORK-96 so is a git that a shell started, which would hold its output open', async () => {
  await using repository = await withPipe()
  const script = { command: 'ls-files', lines: `git ${LIST.join(' ')}; echo $?`, arguments: [] }
  const place = { cwd: repository.path, env: {}, settings: [], durationMsMax: 300 }
  await expect(gitScript(script, place)).rejects.toMatchObject(LATE)
})

test('WORK-96 a call that ends in time is not touched', async () => {
  await using repository = await temporaryRepository({ 'a.txt': 'a\n' })
  const call = { cwd: repository.path, durationMsMax: 20_000 }
  expect((await git(['ls-files'], call)).stdout.toString()).toBe('a.txt\n')
})
