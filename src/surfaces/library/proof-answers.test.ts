import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandAgent } from '../../agents/command-agent.ts'
import { commandCheck } from '../../checks/command-check.ts'
import { maxIterations } from '../../guards/index.ts'
import { taskLoop } from '../../loops/task/index.ts'
import { wrapper } from '../../sandbox/wrapper.ts'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import { folderWorkspace } from '../../workspaces/folder-workspace.ts'
import { createLoop, type LoopOptions, type PawlLoop } from './create-loop.ts'

/** A run whose check passed before its work too, so that Pawl asks. */
async function askedAbout(given: Partial<LoopOptions> = {}): Promise<{ readonly root: string; readonly loop: PawlLoop }> {
  const root = mkdtempSync(join(tmpdir(), 'pawl-library-'))
  writeFileSync(join(root, 'work.txt'), 'nothing yet\n')
  const store = sqliteStore({ path: join(root, '.pawl', 'pawl.db') })
  onTestFinished(async () => {
    await store.close()
    rmSync(root, { recursive: true })
  })
  const loop = createLoop({
    loop: taskLoop({ goal: 'Write a README' }),
    guards: [maxIterations(3)],
    agent: commandAgent({ name: 'coder', command: 'echo at work >> .pawl/coder.txt; echo read me > README.md', shell: true }),
    fallbacks: [commandAgent({ name: 'judge', command: JUDGE, shell: true })],
    checks: [commandCheck({ name: 'tests', command: ['test', '-f', 'work.txt'] })],
    workspace: folderWorkspace({ path: root }),
    store,
    ...given,
  })
  expect(await loop.run('readme')).toMatchObject({ status: 'escalated', question: { code: 'unproven' } })
  return { root, loop }
}

const JUDGE = 'cat > /dev/null; echo \'{"verdict": "approve", "summary": "It is there."}\''
const levelIn = async (loop: PawlLoop) =>
  (await loop.events('readme')).flatMap(({ type, data }) => (type === 'proof.made' ? [data.level] : [])).at(-1)

test.each([
  ['accept', { choice: 'accept' }, 'unproven'],
  ['review', { choice: 'review' }, 'unproven'],
  ['check', { choice: 'check', note: 'test -f README.md' }, 'red-to-green'],
])('RUN-314 `%s` answers an unproven pass by `answer` and by `run`, and nobody works again', async (_name, answer, level) => {
  const { root, loop } = await askedAbout()
  await loop.answer('readme', answer)
  expect(await loop.run('readme')).toMatchObject({ status: 'completed', iterations: 1 })
  expect(await levelIn(loop)).toBe(level)
  expect(readFileSync(join(root, '.pawl/coder.txt'), 'utf8')).toBe('at work\n')
  const other = await askedAbout()
  expect(await other.loop.run('readme', { answer })).toMatchObject({ status: 'completed', iterations: 1 })
})

test('RUN-314 `check` needs its command, `write-test` has the agent work once more', async () => {
  const { loop } = await askedAbout()
  await expect(loop.answer('readme', { choice: 'check' })).rejects.toMatchObject({ code: 'question.no-command' })
  await loop.answer('readme', { choice: 'write-test' })
  expect(await loop.run('readme')).toMatchObject({ status: 'escalated', iterations: 2 })
})

test('RUN-314 an added check and an added reviewer run in the same isolation as the others', async () => {
  const isolation = wrapper({ command: ['env', 'IN_BOX=1'] })
  const check = { choice: 'check', note: 'test "$IN_BOX" = 1 && test -f README.md' }
  const { loop } = await askedAbout({ isolation })
  expect(await loop.run('readme', { answer: check })).toMatchObject({ status: 'completed' })
  const boxed = commandAgent({ name: 'judge', command: `test "$IN_BOX" = 1 && ${JUDGE}`, shell: true })
  const other = await askedAbout({ isolation, fallbacks: [boxed] })
  expect(await other.loop.run('readme', { answer: { choice: 'review' } })).toMatchObject({ status: 'completed' })
})
