import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import { fileExistence, type FileExistenceOptions } from './file-existence.ts'

function folder(): string {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, 'docs'))
  writeFileSync(join(cwd, 'docs', 'a.md'), '')
  symlinkSync('docs', join(cwd, 'inside'))
  symlinkSync('/', join(cwd, 'outside'))
  symlinkSync('nowhere', join(cwd, 'dangling'))
  return cwd
}

async function check(options: Partial<FileExistenceOptions>) {
  const context = { signal: new AbortController().signal, started: async () => {}, progress: () => {} }
  return fileExistence({ name: 'docs', paths: [], ...options }).run({ run: 'r', iteration: 1, cwd: folder(), tree: 't' }, context)
}

test.each<[paths: readonly string[], allMustExist: boolean, status: string]>([
  [['docs/a.md'], true, 'passed'],
  [['docs', './docs/../docs/a.md'], true, 'passed'],
  [['docs/a.md', 'docs/b.md'], true, 'failed'],
  [['docs/a.md', 'docs/b.md'], false, 'passed'],
  [['docs/b.md', 'docs/c.md'], false, 'failed'],
  [['docs/a.md/x'], true, 'failed'],
  [['dangling'], true, 'failed'],
  [['inside/a.md'], true, 'passed'],
  [['outside'], true, 'failed'],
  [['outside/tmp'], false, 'failed'],
])('CHECK-44 of %j, all needed %j: %s', async (paths, allMustExist, status) => {
  expect((await check({ paths, allMustExist })).status).toBe(status)
})

test('CHECK-44 each file that is missing is its own failure, so that one more is progress', async () => {
  expect(await check({ paths: ['docs/a.md', 'b', 'outside/tmp'] })).toEqual({
    status: 'failed',
    counts: { passed: 1, failed: 2, skipped: 0 },
    failures: [
      { id: 'docs: b', kind: 'unknown', message: 'b is not there.' },
      { id: 'docs: outside/tmp', kind: 'unknown', message: 'outside/tmp leads out of the workspace.' },
    ],
  })
})

test.each<[unknown, string]>([
  [[], 'paths must be a list of at least one path'],
  ['docs', 'paths must be a list'],
  [['/etc/passwd'], 'paths[0] must be a path inside the workspace, relative to its folder, not "/etc/passwd"'],
  [['../x'], 'inside the workspace'],
  [['docs/../../x'], 'inside the workspace'],
  [[''], 'inside the workspace'],
  [[3], 'inside the workspace'],
])('CHECK-45 paths %j are refused before anything runs', (paths, words) => {
  expect(() => fileExistence({ name: 'docs', paths: paths as string[] })).toThrow(words)
})
