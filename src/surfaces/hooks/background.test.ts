import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import { type HookResult, type SessionProject, sessionProject } from '../../../test/support/session-project.ts'
import { ralphLoop } from '../../loops/ralph/index.ts'
import { abort } from '../cli/commands/abort.ts'

let project: SessionProject
/** What the check says and waits for, beside the project: files in it would be work. */
let beside: string

beforeEach(() => {
  project = sessionProject()
  beside = mkdtempSync(join(tmpdir(), 'pawl-beside-'))
})
afterEach(() => {
  release()
  project.remove()
  rmSync(beside, { recursive: true, force: true })
})

const stop = { hook_event_name: 'Stop', last_assistant_message: 'Done.\n<promise>COMPLETE</promise>' }

/** Begins a run whose check waits until it is let go, once the run has begun. */
async function begin(): Promise<void> {
  release()
  const wait = `echo $$ >> '${beside}/pids'; while [ ! -f '${beside}/go' ]; do sleep 0.05; done; grep -q done work.txt`
  await project.begin('r', 's-1', { check: wait, loop: ralphLoop({ prompt: 'Make work.txt say done.', baseline: true }) })
  rmSync(join(beside, 'go'))
  rmSync(join(beside, 'pids'))
  project.write('work.txt', 'done\n')
}

/** The stop whose check is still under way when the hook has to answer. */
async function outlast(backgroundMs?: number): Promise<HookResult> {
  const result = await project.shortHook('claude', stop, backgroundMs)
  await until(() => checks().length > 0)
  return result
}

function release(): void {
  writeFileSync(join(beside, 'go'), '')
}

/** The check's processes so far. */
function checks(): readonly string[] {
  return existsSync(join(beside, 'pids')) ? readFileSync(join(beside, 'pids'), 'utf8').trim().split('\n') : []
}

function isGone(pid: string | undefined): boolean {
  const stat = `/proc/${pid}/stat`
  return !existsSync(stat) || readFileSync(stat, 'utf8').includes(') Z')
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let count = 0; count < 600 && !(await isSo()); count++) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await isSo()).toBe(true)
}

describe('checks that outlast a hook', () => {
  it('HOOK-90 continue in the background, the person reads so, and the next stop takes their result', async () => {
    await begin()
    const first = await outlast()
    expect(first.exitCode).toBe(0)
    expect(first.answer).toEqual({
      systemMessage: expect.stringMatching(/the checks of run r take longer .*continue in the background.*pawl show r/),
    })
    const holder = await project.holder('r')
    expect(holder?.pid).toBeGreaterThan(0)
    const again = await project.shortHook('claude', stop)
    expect(again.answer['systemMessage']).toContain('continue in the background')
    expect((await project.holder('r'))?.pid).toBe(holder?.pid)
    expect(checks()).toHaveLength(1)
    release()
    await until(async () => (await project.holder('r')) === undefined)
    expect(await project.events('r')).toContain('proof.made')
    expect(await project.state('r')).toMatchObject({ status: 'running', current: { number: 1 } })
    const seq = (await project.state('r'))?.seq ?? 0
    const last = await project.hook('claude', stop)
    expect(last.answer).toEqual({ systemMessage: expect.stringContaining('run r is completed after iteration 1') })
    expect((await project.events('r')).slice(seq)).not.toContain('check.started')
  })

  it('HOOK-90 where they fail, the next stop hands the agent its brief, and no iteration is lost', async () => {
    await begin()
    project.write('work.txt', 'not yet\n')
    await outlast()
    release()
    await until(async () => (await project.holder('r')) === undefined)
    const { answer } = await project.call('claude', stop)
    expect(answer).toMatchObject({ decision: 'block', reason: expect.stringContaining("You said COMPLETE, but it doesn't hold") })
    expect((await project.state('r'))?.current.number).toBe(2)
  })

  it('HOOK-91 what changed before they ended is checked again', async () => {
    await begin()
    await outlast()
    project.write('work.txt', 'spoilt\n')
    release()
    const { answer } = await project.call('claude', stop)
    expect(answer).toMatchObject({ decision: 'block' })
    expect((await project.state('r'))?.recent).toMatchObject([{ verdict: { passed: false } }])
  })

  it('HOOK-92 a background process that is killed is followed by the next stop, which begins again', async () => {
    await begin()
    await outlast()
    process.kill((await project.holder('r'))?.pid ?? 0, 'SIGKILL')
    release()
    expect((await project.call('claude', stop)).answer['systemMessage']).toContain('completed after iteration 1')
    expect(isGone(checks()[0])).toBe(true)
  })

  it('HOOK-92 it ends with its time', async () => {
    await begin()
    await outlast(8000)
    await until(async () => (await project.holder('r')) === undefined && isGone(checks()[0]))
    expect(await project.events('r')).not.toContain('check.passed')
  })

  it('HOOK-92 it ends with the run, and its check with it', async () => {
    await begin()
    await outlast()
    await abort(collectingContext(project.root), {}, 'r')
    await until(async () => (await project.holder('r')) === undefined && isGone(checks()[0]))
    expect((await project.state('r'))?.status).toBe('aborted')
  })
})
