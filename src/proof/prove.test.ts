import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { CellName } from '../core/proof.ts'
import type { SnapshotFiles } from '../workspaces/workspace.ts'
import type { CellResult } from './judge-proof.ts'
import { prove } from './prove.ts'
import type { ProofRequest, ProvenCheck } from './trial.ts'
import type { Room } from './room.ts'

function files(id: string, text: () => Promise<Buffer>): SnapshotFiles {
  return {
    files: new Map([['code', { id, kind: 'file' }]]),
    read: async (path) => (path === 'code' ? text() : undefined),
  }
}

/** A project of one file, `code`, which said "old" at the start and says "new" now. */
async function request(checks: readonly ProvenCheck[], runCheck: ProofRequest['runCheck']): Promise<ProofRequest> {
  const cwd = await mkdtemp(join(tmpdir(), 'pawl-workspace-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  await writeFile(join(cwd, 'code'), 'new')
  return {
    run: 'r',
    cwd,
    trees: { start: 'one', present: 'two' },
    start: files('old', async () => Buffer.from('old')),
    present: files('new', () => readFile(join(cwd, 'code'))),
    checks,
    reviewCommands: [],
    tests: [],
    mayChange: () => false,
    leftOut: async () => [],
    runCheck,
  }
}

function proven(name: string, command: string, startPassed: boolean): ProvenCheck {
  const result: CellResult = {
    cell: 'old-tests-new-code',
    check: name,
    place: 'workspace',
    status: 'passed',
    failures: [],
    durationMs: 0,
  }
  const start = { passed: startPassed, tests: [], areAllNamed: false, failing: startPassed ? [] : [name] }
  return { name, command, start, inPlace: result }
}

function runIn(room: Room, check: string, cell: CellName, command: string): CellResult {
  const [program = '', ...words] = [...(room.box?.prefix ?? []), 'sh', '-c', command]
  const passed = spawnSync(program, words, { cwd: room.box?.cwd ?? room.cwd }).status === 0
  const failures = passed ? [] : [{ id: check, kind: 'unknown' as const, message: 'failed' }]
  return { cell, check, place: room.place, status: passed ? 'passed' : 'failed', failures, durationMs: 0 }
}

it('PROOF-5 a room whose mount fails later is made again as a copy, and nothing counts as a failed check', async () => {
  const checks = [proven('one', 'grep -q new code', false), proven('two', 'grep -q new code', false)]
  let isTaken = false
  const proof = await prove(
    await request(checks, async (name, cell, room) => {
      // The kernel's folder of the overlay goes after the first check.
      const result = runIn(room, name, cell, 'grep -q new code')
      if (!isTaken && room.place === 'mount') await rm(join(dirname(room.cwd), 'work'), { recursive: true, force: true })
      isTaken = true
      return result
    }),
  )
  expect(proof).toMatchObject({ level: 'red-to-green', findings: [] })
  expect(proof.cells).toMatchObject([
    { check: 'one', place: 'copy', passed: true },
    { check: 'two', place: 'copy', passed: true },
  ])
})

it('PROOF-15 what runs before a success only runs in the proof once the others passed there', async () => {
  const ran: string[] = []
  const late = { ...proven('e2e', 'true', true), isLate: true as const }
  const proof = await prove(
    await request([late, proven('unit', 'false', false)], async (name, cell, room) => {
      ran.push(`${name} ${cell}`)
      return runIn(room, name, cell, name === 'unit' ? 'false' : 'true')
    }),
  )
  expect(ran).toEqual(['unit old-tests-new-code', 'unit old-tests-old-code'])
  expect(proof.findings).toMatchObject([{ code: 'fails-in-room', check: 'unit' }])
})

it('PROOF-15 one that was not run at the start, since another failed, is not run there by the proof either', async () => {
  const ran: string[] = []
  const { start: _unknown, ...late } = { ...proven('e2e', 'true', true), isLate: true as const }
  const proof = await prove(
    await request([proven('unit', 'true', false), late], async (name, cell, room) => {
      ran.push(`${name} ${cell}`)
      return runIn(room, name, cell, 'true')
    }),
  )
  expect(ran).toEqual(['unit old-tests-new-code', 'e2e old-tests-new-code'])
  expect(proof).toMatchObject({ level: 'red-to-green', findings: [] })
})

it('PROOF-15 one that fails in the room has failed, also where nobody knows how it stood at the start', async () => {
  const { start: _unknown, ...late } = { ...proven('e2e', 'false', true), isLate: true as const }
  const proof = await prove(
    await request([proven('unit', 'true', false), late], async (name, cell, room) =>
      runIn(room, name, cell, name === 'unit' ? 'grep -q new code' : 'false'),
    ),
  )
  expect(proof.findings).toMatchObject([{ code: 'fails-in-room', check: 'e2e' }])
})

it.each([
  ['sh ./code', 1],
  ['CI=1 node --no-warnings code --strict', 1],
  ['cat > /dev/null; ./code', 1],
  ['sh other.sh', 0],
  // What a reviewer only looks at is the work.
  ['linter code', 0],
])('PROOF-13 a script that the reviewer’s command runs may not be changed: %s', async (command, count) => {
  const asked = await request([], async () => Promise.reject(new Error('No check runs.')))
  const found = count === 0 ? [] : [{ code: 'reviewer-changed', files: [{ path: 'code' }], count }]
  expect((await prove({ ...asked, reviewCommands: [command] })).findings).toEqual(found)
  expect((await prove({ ...asked, reviewCommands: [command], mayChange: () => true })).findings).toEqual([])
})

it('PROOF-20 a file that was written to during the proof is asked about, though it says the same again', async () => {
  const asked = await request([proven('unit', 'grep -q new code', false)], async (name, cell, room) => {
    const result = runIn(room, name, cell, 'grep -q new code')
    await writeFile(join(asked.cwd, 'code'), 'new')
    return result
  })
  expect((await prove(asked)).findings).toEqual([{ code: 'changed-meanwhile', files: [{ path: 'code' }], count: 1 }])
})

it.each([
  ['looks at every file', '! grep -rq "(((" .', []],
  ['leaves the folder out', 'true', [{ code: 'files-not-checked', check: 'lint', files: [{ path: 'vendor/b.js' }], count: 1 }]],
])('PROOF-21 a file with problems that moved must still be one that the tool looks at: it %s', async (_what, command, found) => {
  const asked = await request([], async (name, cell, room) => runIn(room, name, cell, command))
  const check = proven('lint', 'eslint .', false)
  const moved = { files: new Map([['vendor/b.js', { id: 'b', kind: 'file' as const }]]), read: async () => Buffer.from('b()') }
  const proof = await prove({
    ...asked,
    start: { ...moved, files: new Map([['src/b.js', { id: 'b', kind: 'file' as const }]]) },
    present: moved,
    checks: [{ ...check, start: { ...check.start!, problemFiles: ['src/b.js'] } }],
  })
  expect(proof.findings).toEqual(found)
})

it.each([
  ['passes', 'true', [{ code: 'passes-without-work', check: 'unit', files: [{ path: '.env' }], count: 1 }]],
  ['still fails', 'grep -q new code', []],
])('PROOF-22 where an ignored file changed, the code of the start is tried with it: it %s', async (_what, command, found) => {
  const asked = await request([proven('unit', command, false)], async (name, cell, room) => runIn(room, name, cell, command))
  const packages = { before: 'settings x\nignored: -', now: 'settings x\nignored: -\nignored:.env 1' }
  expect((await prove({ ...asked, packages })).findings).toEqual(found)
})

it('PROOF-22 a link that leads out of the project is asked about', async () => {
  const asked = await request([proven('unit', 'true', false)], async (name, cell, room) => runIn(room, name, cell, 'true'))
  const link = {
    files: new Map([['code', { id: 'link', kind: 'link' as const }]]),
    read: async () => Buffer.from('../elsewhere'),
  }
  expect((await prove({ ...asked, present: link })).findings).toMatchObject([
    { code: 'suspicious-code', files: [{ path: 'code', text: '-> ../elsewhere' }] },
  ])
})

const withTest = ({ files: all, read }: SnapshotFiles): SnapshotFiles => ({
  files: new Map([...all, ['a.test.js', { id: 'test', kind: 'file' as const }]]),
  read: async (path) =>
    path === 'a.test.js'
      ? Buffer.from('strong\n')
      : path === 'code' && all.get('code')?.id === 'old'
        ? Buffer.from('old')
        : read(path),
})

it.each([
  ['the new code', 'grep -q new code && echo weak > a.test.js && echo strong > a.test.js', 1],
  ['the tests themselves', 'echo weak > a.test.js; echo strong > a.test.js; grep -q new code', 0],
])('PROOF-40 a test that was written to and says the same again, by %s', async (_who, command, count) => {
  const asked = await request([proven('unit', command, false)], async (name, cell, room) => runIn(room, name, cell, command))
  await writeFile(join(asked.cwd, 'a.test.js'), 'strong\n')
  const { findings } = await prove({ ...asked, start: withTest(asked.start), present: withTest(asked.present) })
  expect(findings.filter(({ code }) => code === 'changed-meanwhile')).toHaveLength(count)
})
