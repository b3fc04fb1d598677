import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { builtInFolds, evolveAll } from '../../../loops/evolve.ts'
import type { State } from '../../../core/state.ts'
import { cacheState, loadState } from '../../../engine/session.ts'
import { withStore } from '../cli-context.ts'
import { ls } from './ls.ts'
import { verify } from './verify.ts'
import { type Verification } from '../../../evidence/verify-run.ts'

let project: TestProject
let kept: string

beforeAll(async () => {
  project = testProject({ isGit: false })
  await project.loop({ passesAt: 1 }).run('good')
  await project.close()
  kept = `${project.storePath}.kept`
  copyFileSync(project.storePath, kept)
})
beforeEach(() => copyFileSync(kept, project.storePath))
afterAll(() => project.remove())

/** Changes the file behind the store's back. */
function tamper(sql: string): void {
  const database = new DatabaseSync(project.storePath)
  database.exec(sql)
  database.close()
}

/** Adds a checkpoint with a draft, and what is said about it then; gives the hash of the draft. */
async function withDraft(...then: readonly 'checkpoint.dropped'[]): Promise<string> {
  return withStore(project.look(), async (store) => {
    const draft = await store.putText({ text: 'a draft of its own', bytesCut: 0 })
    const at = Date.now()
    const by = { role: 'person' } as const
    const rest = { at: 1, tree: 't', snapshot: 's', trigger: 'manual', expiresAt: at } as const
    await store.append('good', [
      { type: 'checkpoint.created', at, by, data: { checkpoint: 'c', draft, ...rest } },
      ...then.map((type) => ({ type, at, by, data: { checkpoint: 'c', reason: 'It had expired.' } })),
    ])
    return draft.sha256
  })
}

/** Caches what `change` makes of the state's text, as one who knows how to. */
async function recached(change: (state: string) => string): Promise<void> {
  await withStore(project.look(), async (store) => {
    const state = evolveAll(undefined, await store.read('good')) as State
    const hash = (await store.readStored('good')).at(-1)?.hash ?? ''
    await cacheState(store, JSON.parse(change(JSON.stringify(state))), hash)
  })
}

describe('pawl verify', () => {
  it('CLI-290 says ok with the counts and the head, for one run or all of them', async () => {
    const look = project.look()
    expect(await verify(look, 'good')).toBe(0)
    expect(look.out).toEqual([expect.stringMatching(/^ok {3}good: \d+ events, \d+ texts, head [0-9a-f]{64}$/)])
    const all = project.look({ json: true })
    expect(await verify(all)).toBe(0)
    expect(all.documents).toEqual([[expect.objectContaining({ run: 'good', ok: true, problems: [] })]])
    await expect(verify(look, 'lost')).rejects.toMatchObject({ code: 'run.unknown' })
  })

  it('CLI-291 names the first event that was changed, and exits with 1', async () => {
    tamper(`UPDATE events SET event = replace(event, '"message":"', '"message":"Not so: ') WHERE event LIKE '%run.completed%'`)
    const look = project.look({ json: true })
    expect(await verify(look, 'good')).toBe(1)
    const [result] = look.documents as [Verification]
    expect(result.ok).toBe(false)
    expect(result.problems).toEqual([{ seq: result.events, message: expect.stringContaining('was changed') }])
    const text = project.look()
    await verify(text)
    expect(text.out[0]).toMatch(/^BAD {2}good/)
  })

  it('CLI-291 sees an event that was taken out', async () => {
    tamper('DELETE FROM events WHERE seq = 3')
    const look = project.look()
    expect(await verify(look, 'good')).toBe(1)
    expect(look.out.join('\n')).toContain('Event 3 is missing')
  })

  it('CLI-292 sees a text that is missing, and one that was changed', async () => {
    tamper('DELETE FROM texts WHERE rowid = 1')
    tamper("UPDATE texts SET is_deflated = 0, content = x'00' WHERE rowid = 2")
    const look = project.look({ json: true })
    expect(await verify(look, 'good')).toBe(1)
    const [{ problems }] = look.documents as [Verification]
    const messages = problems.map(({ message }) => message)
    expect(messages).toHaveLength(2)
    expect(messages).toContainEqual(expect.stringContaining('is missing'))
    expect(messages).toContainEqual(expect.stringContaining('is not what was written'))
  })

  it('CLI-293 an unreadable event is reported, and does not hide the other runs', async () => {
    await project.seed({ run: 'second', failing: [3, 0] })
    tamper("UPDATE events SET event = 'rubbish' WHERE seq = 4 AND run = 1")
    const look = project.look()
    expect(await verify(look)).toBe(1)
    expect(look.out.filter((line) => /^(ok|BAD)/.test(line)).map((line) => line.split(/[\s:]+/).slice(0, 2))).toEqual(
      expect.arrayContaining([
        ['BAD', 'good'],
        ['ok', 'second'],
      ]),
    )
  })

  it('CLI-242 a damaged run is listed as such', async () => {
    tamper("DELETE FROM snapshots; UPDATE events SET event = 'rubbish' WHERE seq = 4")
    const look = project.look()
    await ls(look)
    expect(look.out[1]).toContain('damaged - pawl verify good')
  })

  it.each([
    ['two runs have each other’s name', ['run = -1 - id', "run = iif(id = 1, 'second', 'good')"], ['good', 'second']],
    ['a run has another name', ["run = iif(id = 1, 'renamed', run)"], ['renamed']],
  ])('CLI-500 sees that %s', async (_name, changes, bad) => {
    await project.seed({ run: 'second', failing: [3, 0] })
    for (const change of changes) tamper(`UPDATE runs SET ${change}`)
    const look = project.look()
    expect(await verify(look)).toBe(1)
    expect(look.out.filter((line) => line.startsWith('BAD')).map((line) => line.split(/[\s:]+/)[1])).toEqual(
      expect.arrayContaining(bad),
    )
    expect(look.out.join('\n')).toContain('belongs to the run')
  })

  it.each(['DELETE FROM texts WHERE', "UPDATE texts SET is_deflated = 0, content = x'00' WHERE"])(
    'CLI-501 sees what happened to a text in whatever field (%s)',
    async (change) => {
      const sha256 = await withDraft()
      tamper(`${change} sha256 = x'${sha256}'; DELETE FROM text_ids`)
      const look = project.look({ json: true })
      expect(await verify(look, 'good')).toBe(1)
      const [{ problems }] = look.documents as [Verification]
      expect(problems).toEqual([{ seq: expect.any(Number), message: expect.stringContaining('The draft of event') }])
    },
  )

  it('CLI-501 the draft of a checkpoint that was dropped may be gone', async () => {
    const sha256 = await withDraft('checkpoint.dropped')
    tamper(`DELETE FROM texts WHERE sha256 = x'${sha256}'`)
    expect(await verify(project.look(), 'good')).toBe(0)
  })

  it('CLI-502 a last event that is no JSON hides no other run from `verify` and `ls`', async () => {
    await project.seed({ run: 'second', failing: [3, 0] })
    tamper("UPDATE events SET event = '{' WHERE place = (SELECT max(place) FROM events WHERE run = 1)")
    const look = project.look()
    expect(await verify(look)).toBe(1)
    expect(look.out.join('\n')).toMatch(/^BAD {2}good/m)
    expect(look.out.join('\n')).toMatch(/^ok {3}second/m)
    const list = project.look({ json: true })
    await ls(list)
    expect(list.documents).toEqual([
      expect.arrayContaining([
        expect.objectContaining({ run: 'good', status: 'damaged' }),
        expect.objectContaining({ run: 'second', status: 'completed' }),
      ]),
    ])
  })

  it.each<[string, () => Promise<void> | void, string]>([
    ['was edited', () => tamper("UPDATE snapshots SET state = replace(state, 'scribe', 'devil')"), 'is not what was written'],
    ['was made anew', () => recached((state) => state.replaceAll('scribe', 'devil')), 'is not what the events up to event'],
    [
      'is of an event that was cut off',
      () => tamper('DELETE FROM events WHERE place = (SELECT max(place) FROM events)'),
      'and the journal ends at event',
    ],
  ])('CLI-503 sees a cached state that %s, and says that its row may go', async (_name, harm, words) => {
    await recached((state) => state)
    expect(await verify(project.look(), 'good')).toBe(0)
    await harm()
    const look = project.look({ json: true })
    expect(await verify(look, 'good')).toBe(1)
    const [{ problems }] = look.documents as [Verification]
    expect(problems).toEqual([{ message: expect.stringContaining(words) }])
    expect(problems[0]?.message).toContain('"snapshots"')
    tamper('DELETE FROM snapshots')
    expect(await verify(project.look(), 'good')).toBe(0)
  })

  it('CLI-503 a cached state that was edited is not believed', async () => {
    await recached((state) => state)
    tamper("UPDATE snapshots SET state = replace(state, 'scribe', 'devil')")
    const state = await withStore(project.look(), (store) => loadState(store, 'good', builtInFolds))
    expect(state?.config.agent.settings).toMatchObject({ name: 'scribe' })
  })

  it('CLI-290 without a run there is nothing wrong', async () => {
    const empty = testProject({ isGit: false })
    const look = empty.look()
    expect(await verify(look)).toBe(0)
    expect(look.out).toEqual(['There are no runs to verify.'])
    await empty.remove()
  })
})
