import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { git, testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import type { Event } from '../../../core/event.ts'
import { boxMounts } from '../../../sandbox/mounts.ts'
import { sandbox } from '../../../sandbox/sandbox.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { task } from './task.ts'

let project: TestProject
let outside: string

beforeEach(() => {
  project = testProject()
  outside = mkdtempSync(join(tmpdir(), 'pawl-outside-'))
  mkdirSync(join(project.root, 'packages/a'), { recursive: true })
  writeFileSync(join(project.root, 'packages/a/work.txt'), 'nothing yet\n')
  writeFileSync(join(project.root, '.gitignore'), '.pawl\n')
  git(project.root, 'add', '.')
  git(project.root, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '--quiet', '--message', 'More')
})

afterEach(async () => {
  rmSync(outside, { recursive: true })
  await project.remove()
})

async function proofsOf(run: string): Promise<readonly Event<'proof.made'>['data'][]> {
  const store = sqliteStore({ path: project.storePath })
  try {
    return (await store.read(run)).flatMap((event) => (event.type === 'proof.made' ? [event.data] : []))
  } finally {
    await store.close()
  }
}

const CHECK = 'checks: [{ name: more, command: "grep -q more work.txt", cwd: packages/a }]\n'
const FLAGS = { agentCommand: 'sh -c "echo more >> packages/a/work.txt"', ask: false }
const write = (settings: string) => writeFileSync(join(project.root, 'pawl.yaml'), CHECK + settings)

test('PROOF-32 a check with `cwd` runs in its folder of a worktree, and of every copy', async () => {
  write('prepare: [{ command: "test -f work.txt", cwd: packages/a }]\n')
  expect(await task(project.look(), { ...FLAGS, id: 'cwd', worktree: true }, ['work'])).toBe(0)
  const cells = [
    { cell: 'old-tests-new-code', passed: true },
    { cell: 'old-tests-old-code', passed: false },
  ]
  expect(await proofsOf('cwd')).toMatchObject([{ level: 'red-to-green', cells }])
})

test.for([[false], [true]])(
  'PROOF-32 held-out checks and `prepare` run in the sandbox of the run (worktree: %s)',
  async ([worktree = false], { skip }) => {
    if (await sandbox().ready()) skip()
    writeFileSync(
      join(outside, 'check.sh'),
      `touch ${outside}/from-check; cd packages/a && test -f ../../made && grep -q more work.txt\n`,
    )
    write(`isolation: sandbox\nheld_out: ${outside}\nprepare: ["touch made; touch ${outside}/from-prepare || true"]\n`)
    const look = project.look()
    expect([await task(look, { ...FLAGS, id: 'boxed', worktree }, ['work']), look.out.join('\n')]).toEqual([0, expect.anything()])
    expect(await proofsOf('boxed')).toMatchObject([{ level: 'red-to-green', heldOut: 'passed' }])
    expect(['from-check', 'from-prepare'].filter((name) => existsSync(join(outside, name)))).toEqual([])
  },
)

test('PROOF-32 nothing in a box sees the held-out folder, wherever it is', () => {
  const settings = { writable: [outside], readable: [], allow: [] }
  const hidden = join(outside, 'held-out')
  mkdirSync(hidden)
  const mounts = boxMounts(settings, { cwd: project.root, folder: tmpdir(), home: [], hidden: [hidden] })
  const own = mounts.filter(({ path }) => path === hidden || path === outside || path === project.root)
  expect(own.map(({ as }) => as)).toEqual(['write', 'empty', 'write'])
})
