import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { currentProcessIdentity } from '../../../process/process-identity.ts'
import { type Look, testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { EXIT } from '../exit-codes.ts'
import { answer } from './answer.ts'
import { bind } from './bind.ts'
import { resume, type ResumeFlags } from './resume.ts'
import { task } from './task.ts'

/** A run that asks how to continue: its agent wrote "one" where "two" is wanted. */
async function askingRun(run = 'r', project = testProject({ isGit: false })): Promise<TestProject> {
  const flags = { id: run, ask: false, maxIterations: '1', check: ['grep -q two work.txt'] }
  await task(project.look(), { ...flags, agentCommand: `sh -c 'echo one >>work.txt'` }, ['two'])
  return project
}

async function typesOf({ storePath }: TestProject, run = 'r'): Promise<readonly string[]> {
  const store = sqliteStore({ path: storePath })
  const events = await store.read(run)
  await store.close()
  return events.map(({ type }) => type)
}

const MENDED: ResumeFlags = { ask: false, agentCommand: `sh -c 'cat >brief.txt; echo two >>work.txt'` }

const answered = (look: Look, run: string, more: ResumeFlags = {}) =>
  resume(look, { ...MENDED, answer: 'continue', ...more }, run)

test('CLI-431 an answer and a change of settings are one command, and where either makes no sense nothing is done', async () => {
  const project = await askingRun()
  onTestFinished(() => project.remove())
  const before = await typesOf(project)
  const refused = (more: ResumeFlags) => resume(project.look(), { ...MENDED, ...more }, 'r')
  await expect(refused({ answer: 'continue', timeout: 'soon' })).rejects.toThrow('--timeout')
  await expect(refused({ answer: '7' })).rejects.toMatchObject({ code: 'question.no-such-option' })
  await expect(refused({ note: 'Mind the case.' })).rejects.toMatchObject({ code: 'usage.note' })
  await expect(refused({ answer: '1', due: true })).rejects.toMatchObject({ code: 'usage.due' })
  await expect(refused({ answer: '1', waive: 'maxIterations' })).rejects.toMatchObject({ code: 'usage.waive' })
  await expect(refused({ waive: 'maxIterations', timeout: 'soon' })).rejects.toThrow('--timeout')
  expect(await typesOf(project)).toEqual(before)
  expect(await refused({ answer: 'continue', note: 'Mind the case.' })).toBe(EXIT.done)
  expect(readFileSync(join(project.root, 'brief.txt'), 'utf8')).toContain('Mind the case.')
  const opening = (await typesOf(project)).slice(before.length, before.length + 3)
  expect(opening).toEqual(['escalation.answered', 'run.reconfigured', 'run.resumed'])
})

test('CLI-432 where the run cannot be taken up, its answer is not given either', async () => {
  const project = await askingRun('s', await askingRun())
  onTestFinished(() => project.remove())
  const before = await typesOf(project)
  const other = sqliteStore({ path: project.storePath })
  onTestFinished(() => other.close())
  const claimed = await other.claim('r', currentProcessIdentity())
  if (claimed.status !== 'claimed') throw new Error('r is held')
  const look = project.look()
  expect(await answered(look, 'r')).toBe(EXIT.held)
  expect(look.warned).toEqual(['Nothing was answered or changed. To answer all the same: pawl answer r'])
  await expect(answered(project.look(), 's')).rejects.toMatchObject({ code: 'run.same-folder' })
  await other.release(claimed.claim)
  const secret = { agentCommand: `curl -H 'Authorization: Bearer ${'gh'}p_aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3eF6'` }
  await expect(answered(project.look(), 'r', secret)).rejects.toMatchObject({ code: 'run.secret-in-config' })
  await bind(project.look(), { session: 's1', agent: 'claude' }, 'r')
  await expect(answered(project.look(), 'r')).rejects.toMatchObject({ code: 'usage.answer' })
  await expect(answered(project.look(), 'r', { unbind: true, answer: '7' })).rejects.toThrow('"7" is not an answer')
  expect(await typesOf(project)).toEqual([...before, 'run.bound'])
  expect(await typesOf(project, 's')).not.toContain('escalation.answered')
  expect(await answered(project.look(), 'r', { unbind: true })).toBe(EXIT.done)
})

test('CLI-434 an answer says who takes it up, one that was given cannot be given again, and a note needs one', async () => {
  const project = await askingRun()
  onTestFinished(() => project.remove())
  await expect(answer(project.look(), { note: 'Mind the case.' }, 'r')).rejects.toMatchObject({ code: 'usage.note' })
  const other = sqliteStore({ path: project.storePath })
  onTestFinished(() => other.close())
  const claimed = await other.claim('r', currentProcessIdentity())
  const look = project.look()
  expect(await answer(look, {}, 'r', 'continue')).toBe(EXIT.done)
  expect(look.out.join()).toContain(`Process ${process.pid}, which drives it, takes it up.`)
  if (claimed.status === 'claimed') await other.release(claimed.claim)
  await expect(answer(project.look(), {}, 'r', 'abort')).rejects.toThrow(
    'was answered already, with: continue. Continue with: pawl resume r',
  )
  await expect(answer(project.look(), {}, 'rr', '1')).rejects.toThrow('There is no run "rr"; did you mean "r"?')
  await expect(answer(project.look(), {}, 'fix-login', '1')).rejects.toThrow('There is no run "fix-login": the newest is r.')
})

test('PROOF-39 --reload takes the checks that pawl.yaml has now, with an answer or without one', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const settings = (word: string) =>
    writeFileSync(
      join(project.root, 'pawl.yaml'),
      `checks:\n  - { name: tests, command: "grep -q ${word} work.txt" }\nmax_iterations: 1\n`,
    )
  settings('two')
  await task(project.look(), { id: 'r', ask: false, agentCommand: `sh -c 'echo one >>work.txt'` }, ['one'])
  settings('one')
  await expect(answer(project.look(), { reload: true }, 'r', 'continue')).rejects.toMatchObject({ code: 'usage.reload' })
  await resume(project.look(), { ask: false, reload: true, acceptUnproven: true, answer: 'continue' }, 'r')
  const store = sqliteStore({ path: project.storePath })
  const events = await store.read('r')
  await store.close()
  const [changed] = events.filter(({ type }) => type === 'run.reconfigured').slice(-1)
  expect(changed?.data).toMatchObject({ config: { reloaded: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  expect(JSON.stringify(changed?.data)).toContain('"one"')
  expect(events.at(-1)?.type).toBe('run.completed')
})
