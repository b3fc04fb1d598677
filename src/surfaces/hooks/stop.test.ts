import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maxIterations, repeatedAction } from '../../guards/index.ts'
import { keepSecret } from '../../secrets/known-values.ts'
import { taskLoop } from '../../loops/task/index.ts'
import { machineProcesses } from '../../process/processes.ts'
import { leakedIn, straddling } from '../../../test/support/planted-secrets.ts'
import { type PlantedSecret, plantedSecrets } from '../../testing/planted-secrets.ts'
import { type SessionProject, sessionProject } from '../../../test/support/session-project.ts'
import { openStore } from '../../registry/open-store.ts'

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
})
afterEach(() => project.remove())

const stop = { hook_event_name: 'Stop', stop_hook_active: false, permission_mode: 'default', transcript_path: '/none.jsonl' }
const COMPLETE = 'All good.\n<promise>COMPLETE</promise>'

describe('the end of a turn', () => {
  it('HOOK-1 keeps the bound session going with the brief until its claim holds on the checked tree, then lets it go', async () => {
    await project.begin('r', 's-1')
    const first = await project.hook('claude', { ...stop, last_assistant_message: COMPLETE })
    expect(first.exitCode).toBe(0)
    expect(first.answer).toMatchObject({ decision: 'block' })
    expect(first.answer['reason']).toContain('iteration 2 of at most 3')
    expect(first.answer['reason']).toContain('Make work.txt say done.')
    project.write('work.txt', 'done\n')
    const second = await project.hook('claude', { ...stop, last_assistant_message: COMPLETE })
    expect(second.answer).toEqual({ systemMessage: expect.stringContaining('run r is completed after iteration 2') })
    expect(await project.events('r')).toEqual(
      expect.arrayContaining([
        'run.bound',
        'work.started',
        'work.finished',
        'promise.refuted',
        'promise.verified',
        'run.completed',
      ]),
    )
    expect((await project.call('claude', { ...stop, last_assistant_message: 'Anything else?' })).answer).toEqual({})
  })

  it('HOOK-2 counts rounds by the iterations of the run and lets go at its limit, whatever the agent says of earlier blocks', async () => {
    await project.begin('r', 's-1')
    const answers = []
    for (let round = 0; round < 4; round++)
      answers.push((await project.call('claude', { ...stop, stop_hook_active: false })).answer)
    expect(answers.map((answer) => answer['decision'])).toEqual(['block', 'block', undefined, undefined])
    expect(answers[2]?.['systemMessage']).toContain('pawl answer r')
    expect((await project.state('r'))?.status).toBe('escalated')
  })

  it('HOOK-3 an empty or tool-only last message neither ends a loop nor claims anything', async () => {
    project.write('work.txt', 'done\n')
    await project.begin('r', 's-1')
    for (const last_assistant_message of ['', null]) {
      const { answer } = await project.call('claude', { ...stop, last_assistant_message })
      expect(answer).toMatchObject({ decision: 'block' })
    }
    expect(await project.events('r')).not.toContain('promise.claimed')
  })

  it('HOOK-4 never holds a session that the run does not belong to', async () => {
    await project.begin('free')
    await project.begin('r', 's-1')
    for (const [agent, session_id] of [
      ['claude', 's-2'],
      ['codex', 's-1'],
      ['claude', 'S-1'],
    ] as const) {
      expect((await project.call(agent, { ...stop, session_id })).answer).toEqual({})
    }
    expect(await project.events('r')).not.toContain('work.finished')
    expect(await project.events('free')).not.toContain('work.finished')
  })

  it('HOOK-5 BLOCKED asks a person and lets the session go, with the reason', async () => {
    await project.begin('r', 's-1')
    const { answer } = await project.call('claude', { ...stop, last_assistant_message: '<promise>BLOCKED: no key</promise>' })
    expect(answer['systemMessage']).toContain('no key')
    expect((await project.state('r'))?.status).toBe('escalated')
  })

  it('HOOK-13 an answer that a person gave meanwhile is carried out at the next end of a turn', async () => {
    await project.begin('accepted', 's-1')
    await project.begin('mended', 's-2')
    const words = { ...stop, last_assistant_message: '<promise>BLOCKED: no key</promise>' }
    for (const [run, session_id, choice] of [
      ['accepted', 's-1', 'accept'],
      ['mended', 's-2', 'continue'],
    ] as const) {
      await project.call('claude', { ...words, session_id })
      await project.answer(run, choice)
    }
    expect((await project.call('claude', stop)).answer['systemMessage']).toContain('completed')
    expect((await project.call('claude', { ...stop, session_id: 's-2' })).answer).toMatchObject({ decision: 'block' })
  })

  it("SAFE-1 after an answer the bound session's finished work is checked at once", async () => {
    await project.begin('r', 's-1', {
      loop: taskLoop({ goal: 'work.txt says done', baseline: false }),
      guards: [maxIterations(1)],
    })
    expect((await project.call('claude', stop)).answer['systemMessage']).toContain('pawl answer r')
    await project.answer('r', 'continue')
    project.write('work.txt', 'done\n')
    const { answer } = await project.call('claude', { ...stop, last_assistant_message: 'It says done now.' })
    expect(answer['systemMessage']).toContain('run r is completed after iteration 2')
  })

  it("HOOK-44 what changed around an answer is held against the session, not taken for a person's", async () => {
    await project.begin('r', 's-1')
    await project.call('claude', { ...stop, last_assistant_message: '<promise>BLOCKED: no key</promise>' })
    await project.answer('r', 'continue')
    project.write('work.txt', 'done, by the session\n')
    await project.call('claude', stop)
    const store = openStore(project.storePath)
    const events = await store.read('r')
    await store.close()
    const looks = events.filter((event) => event.type === 'workspace.observed' && event.data.filesChanged > 0)
    expect(looks.map(({ by }) => by.role)).not.toContain('person')
    expect(looks).toHaveLength(1)
  })

  it('HOOK-74 where only the promise is missing, the agent reads that', async () => {
    project.write('work.txt', 'done\n')
    await project.begin('r', 's-1')
    const idle = await project.call('claude', { ...stop, last_assistant_message: 'It says done.' })
    expect(idle.answer['reason']).toMatch(
      /^The checks pass, but the agent's message doesn't end with the promise COMPLETE alone on the last line\. And no file was changed/,
    )
    project.write('work.txt', 'done, by the session\n')
    const { answer } = await project.call('claude', { ...stop, last_assistant_message: 'It says done.' })
    expect(answer['reason']).toMatch(
      /^The checks pass, but the agent's message doesn't end with the promise COMPLETE alone on the last line\. Nothing else is missing/,
    )
    expect(answer['reason']).not.toContain('Not done yet')
    expect(answer['systemMessage']).toContain("doesn't end with the promise COMPLETE")
  })

  it('HOOK-76 what a run that waits says is made of whole sentences', async () => {
    await project.begin('r', 's-1')
    const { answer } = await project.call('claude', { ...stop, last_assistant_message: '<promise>BLOCKED: no key</promise>' })
    expect(answer['systemMessage']).toContain(
      "blocked: no key. The agent says it can't continue: no key. What does it need to know",
    )
  })

  it('HOOK-6 a task loop ends when the checks pass, without a promise', async () => {
    await project.begin('r', 's-1', { loop: taskLoop({ goal: 'work.txt says done', baseline: false }) })
    expect((await project.call('claude', stop)).answer['reason']).toContain('work.txt says done')
    project.write('work.txt', 'done\n')
    expect((await project.call('claude', stop)).answer['systemMessage']).toContain('completed')
  })

  it('HOOK-7 a check that cannot run asks a person and lets the session go', async () => {
    await project.begin('r', 's-1', { check: 'no-such-program-of-ours' })
    const { answer } = await project.call('claude', stop)
    expect(answer).toEqual({ systemMessage: expect.stringContaining("couldn't run") })
    expect((await project.state('r'))?.status).toBe('escalated')
  })

  it('SECRET-57 of a secret in the last message no part stays where its summary and the reason for being blocked are cut', async () => {
    const [planted] = plantedSecrets().filter(({ name }) => name === 'npm token') as [PlantedSecret]
    await project.begin('r', 's-1')
    const words = `${straddling(planted, 995)}\n<promise>BLOCKED: ${straddling(planted, 295)}</promise>`
    await project.call('claude', { ...stop, last_assistant_message: words })
    const store = openStore(project.storePath)
    const kept = JSON.stringify(await store.read('r'))
    await store.close()
    expect(kept).toContain('promise.claimed')
    expect(leakedIn(kept, [planted])).toEqual([])
  })

  it('SECRET-36 where a check of the run holds a value that is a secret by now, the hook says so and keeps nothing', async () => {
    await project.begin('r', 's-1', { check: 'grep -q hook-word-1 work.txt' })
    const before = (await project.state('r'))?.seq
    keepSecret('hook-word-1', 'HOOK_KEY')
    await expect(project.call('claude', stop)).rejects.toThrow('checks[0].command holds the value of HOOK_KEY')
    expect((await project.state('r'))?.seq).toBe(before)
  })

  it('HOOK-8 while another process drives the run, the session is let go and told so', async () => {
    await project.begin('r', 's-1')
    const store = openStore(project.storePath)
    const claimed = await store.claim('r', machineProcesses.self())
    const { answer, stderr } = await project.call('claude', stop)
    expect(answer).toEqual({ systemMessage: expect.stringContaining(`driven by process ${process.pid}`) })
    expect(stderr).toContain('driven by process')
    if (claimed.status === 'claimed') await store.release(claimed.claim)
    await store.close()
  })

  it('HOOK-9 a run without a maximum of its own does not hold a session for more than 100 iterations', async () => {
    await project.begin('r', 's-1', { guards: [repeatedAction()] })
    await project.skipTo('r', 100)
    const { answer } = await project.call('claude', stop)
    expect(answer).toEqual({ systemMessage: expect.stringContaining('has no maximum') })
  })

  it('HOOK-10 tasks in the background are waited for: no iteration is counted', async () => {
    await project.begin('r', 's-1')
    const { answer } = await project.call('claude', { ...stop, background_tasks: [{ id: '1', status: 'running' }] })
    expect(answer).toEqual({})
    expect(await project.events('r')).not.toContain('work.finished')
  })

  it('HOOK-11 a feedback longer than agents take is cut, and says so', async () => {
    await project.begin('r', 's-1', {
      loop: taskLoop({ goal: 'x '.repeat(20_000), baseline: false }),
      guards: [maxIterations(3)],
    })
    const reason = String((await project.call('claude', stop)).answer['reason'])
    expect(reason.length).toBeLessThanOrEqual(9500)
    expect(reason.endsWith('[cut]')).toBe(true)
  })

  it('HOOK-12 says that Claude itself ends a turn after some blocks in a row', async () => {
    await project.begin('r', 's-1', { guards: [maxIterations(20)] })
    await project.skipTo('r', 8)
    const { answer } = await project.call('claude', stop)
    expect(answer).toMatchObject({ decision: 'block', systemMessage: expect.stringContaining('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP') })
  })
})
