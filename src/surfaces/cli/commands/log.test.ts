import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { importRuns } from './import.ts'
import { log, type LogOptions } from './log.ts'
import { show } from './show.ts'

let project: TestProject

beforeAll(async () => {
  project = testProject({ isGit: false })
  await project.seed({ run: 'good', failing: [3, 1, 0] })
  await project.seed({ run: 'stuck', goal: 'Never enough', failing: [3, 2, 2, 2] })
})
afterAll(() => project.remove())

describe('pawl log', () => {
  it('CLI-251 prints one line an event, and with --json the sealed events as they are', async () => {
    const look = project.look()
    expect(await log(look, 'good')).toBe(0)
    const json = project.look({ json: true })
    await log(json, 'good')
    expect(json.documents).toHaveLength(look.out.length)
    expect(json.documents[0]).toMatchObject({ seq: 1, type: 'run.started', hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(look.out.at(-1)).toMatch(/run\.completed +loop +1 test failed before and passes now\.$/)
  })

  it('CLI-252 shows only what comes after a seq, or one type or group of events', async () => {
    const look = project.look({ json: true })
    await log(look, 'good', { after: '5', type: 'check' })
    const seqs = (look.documents as { seq: number; type: string }[]).map(({ seq, type }) => ({
      isLater: seq > 5,
      group: type.split('.')[0],
    }))
    expect(seqs.length).toBeGreaterThan(1)
    expect(new Set(seqs.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ isLater: true, group: 'check' })]),
    )
    await expect(log(look, 'good', { after: 'x' })).rejects.toMatchObject({ code: 'usage.after' })
    const none = project.look()
    await log(none, 'good', { type: 'nothing' })
    expect(none.warned).toHaveLength(1)
  })

  it('IMPORT-32 a turn without a report is not checked, as `pawl show` has it, from wherever the log begins', async () => {
    const transcripts = join(import.meta.dirname, '..', '..', '..', 'evidence', 'transcripts', 'fixtures')
    await importRuns(project.look(), 'codex', [join(transcripts, 'codex.jsonl')], { id: 'session' })
    const shown = project.look({ json: true })
    await show(shown, 'session')
    const { iterations } = shown.documents[0] as { iterations: { isUnchecked?: true; endedSeq: number }[] }
    const logged = async (options: LogOptions = {}) => {
      const look = project.look()
      await log(look, 'session', { type: 'iteration.ended', ...options })
      return look.out.map((line) => line.includes(': not checked,'))
    }
    const wanted = iterations.map(({ isUnchecked = false }) => isUnchecked)
    expect(wanted.filter((each) => each)).toHaveLength(6)
    expect(await logged()).toEqual(wanted)
    expect(await logged({ after: iterations[6]?.endedSeq ?? 0 })).toEqual(wanted.slice(7))
  })

  it('CLI-253 following ends when the run is over, at once if it is over already', async () => {
    const look = project.look()
    expect(await log(look, 'good', { follow: true })).toBe(0)
    const store = sqliteStore({ path: project.storePath })
    await project.seed({ run: 'followed', failing: [3, 2, 2, 2] })
    const followed = project.look({ json: true })
    const following = log(followed, 'followed', { follow: true, type: 'run' })
    await store.append('followed', [{ type: 'run.aborted', at: Date.now(), by: { role: 'person' }, data: { reason: 'Enough.' } }])
    expect(await following).toBe(0)
    expect(followed.documents.at(-1)).toMatchObject({ type: 'run.aborted' })
    await store.close()
  })

  it('CLI-253 following a run that waits continues until it is interrupted', async () => {
    const end = new AbortController()
    const following = log(project.look(), 'stuck', { follow: true, signal: end.signal })
    const first = await Promise.race([following, new Promise((resolve) => setTimeout(resolve, 300, 'still following'))])
    expect(first).toBe('still following')
    end.abort()
    expect(await following).toBe(0)
  })
})
