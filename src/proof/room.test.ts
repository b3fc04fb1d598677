import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { copiedRoom, openRoom } from './room.ts'

it.each([
  ['where the system allows it', openRoom],
  ['as a copy', copiedRoom],
])('PROOF-5 a room %s changes nothing in the workspace and leaves nothing behind', async (_name, open) => {
  const cwd = await mkdtemp(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  for (const name of ['code', 'test', 'extra']) await writeFile(join(cwd, name), `now ${name}`)
  const files = new Map(['code', 'test', 'extra'].map((name) => [name, { id: name, kind: 'file' as const }]))
  const room = await open({
    run: 'r',
    cwd,
    present: { files, read: (path) => readFile(join(cwd, path)) },
    changes: { remove: ['extra'], write: [{ path: 'test', kind: 'file', content: Buffer.from('old test') }] },
    leftOut: async () => [],
  })
  const [program = '', ...words] = [
    ...(room.box?.prefix ?? []),
    'sh',
    '-c',
    'cat code test; ls extra; echo new > code; echo x > more',
  ]
  const said = execFileSync(program, words, {
    cwd: room.box?.cwd ?? room.cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(said).toBe('now codeold test')
  expect(await room.hasBegun()).toBe(true)
  await room.close()
  expect((await readdir(cwd)).toSorted()).toEqual(['code', 'extra', 'test'])
  expect(await readFile(join(cwd, 'code'), 'utf8')).toBe('now code')
  expect(existsSync(dirname(room.cwd))).toBe(false)
})

it('PROOF-5 in a copy, nothing that was built looks newer than what it was built from', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  for (const name of ['sum.c', 'sum.o']) await writeFile(join(cwd, name), name)
  const room = await copiedRoom({
    run: 'r',
    cwd,
    present: { files: new Map([['sum.c', { id: '1', kind: 'file' }]]), read: (path) => readFile(join(cwd, path)) },
    changes: { remove: [], write: [{ path: 'sum.c', kind: 'file', content: Buffer.from('old') }] },
    leftOut: async () => ['sum.o'],
    isBuilt: true,
  })
  const [source, built] = await Promise.all(['sum.c', 'sum.o'].map((name) => stat(join(room.cwd, name))))
  expect(source!.mtimeMs).toBeGreaterThanOrEqual(built!.mtimeMs)
  await room.close()
})

it.each([{ isCopy: true }, {}])('PROOF-5 a folder that became a link makes room for the files it had, with %o', async (how) => {
  const cwd = await mkdtemp(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  await symlink('elsewhere', join(cwd, 'test'))
  const room = await openRoom({
    run: 'r',
    cwd,
    present: { files: new Map([['test', { id: '1', kind: 'link' }]]), read: () => Promise.resolve(Buffer.from('elsewhere')) },
    changes: { remove: [], write: [{ path: 'test/deep/sum', kind: 'file', content: Buffer.from('old') }] },
    leftOut: async () => [],
    ...how,
  })
  const [program = '', ...words] = [...(room.box?.prefix ?? []), 'cat', 'test/deep/sum']
  expect(execFileSync(program, words, { cwd: room.box?.cwd ?? room.cwd, encoding: 'utf8' })).toBe('old')
  await room.close()
  expect(await readlink(join(cwd, 'test'))).toBe('elsewhere')
})
