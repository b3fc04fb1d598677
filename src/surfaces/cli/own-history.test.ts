import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maxIterations, worthContinuing } from '../../guards/index.ts'
import type { OwnOdds } from '../../evidence/odds.ts'
import { ownOddsIn } from '../../guards/odds/own-odds.ts'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import type { Store } from '../../stores/store.ts'
import { testProject, type TestProject } from '../../../test/support/cli-project.ts'
import { show } from './commands/show.ts'
import { stats } from './commands/stats.ts'
import { task, type TaskFlags } from './commands/task.ts'
import { tune } from './commands/tune.ts'
import { ownHistory } from '../../evidence/own-history.ts'

let project: TestProject
let path: string

beforeEach(() => {
  project = testProject({ isGit: false })
  path = join(project.root, '.pawl', 'odds.json')
})
afterEach(() => project.remove())

async function inStore<Result>(use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = sqliteStore({ path: project.storePath })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

const learned = (): Promise<OwnOdds> => inStore((store) => ownHistory(store, project.storePath))

/** Six runs of four iterations at most: two are solved, four used them up and wait for an answer. */
async function seedRuns(): Promise<void> {
  const guards = [maxIterations(4), worthContinuing()]
  for (const run of ['a', 'b']) await project.seed({ run, failing: [3, 2, 1, 0], guards })
  for (const run of ['c', 'd', 'e', 'f']) await project.seed({ run, failing: [3, 3, 3, 3, 3], guards })
}

describe('ownHistory', () => {
  it('ODDS-21 learns from the runs of the store, and keeps what each taught: only runs that are new or have grown are read', async () => {
    await seedRuns()
    const first = await learned()
    expect(first.attempts?.loops).toBe(6)
    const kept = JSON.parse(readFileSync(path, 'utf8')) as {
      runs: Record<string, { lesson: { moments: { cameTrue: boolean }[] } }>
    }
    // What is kept is believed, so a change there shows that the journals are not read again.
    for (const { lesson } of Object.values(kept.runs)) for (const moment of lesson.moments) moment.cameTrue = true
    writeFileSync(path, JSON.stringify(kept))
    const again = await learned()
    expect(again.attempts?.shift).toBeGreaterThan(first.attempts?.shift ?? 0)
    await project.seed({ run: 'g', failing: [3, 3, 3, 3, 3], guards: [maxIterations(4)] })
    const more = await learned()
    expect(more.attempts?.loops).toBe(7)
    expect(more.attempts?.shift).toBeLessThan(again.attempts?.shift ?? 0)
  })

  it('ODDS-21 the file may be spoilt or deleted: then all is learned again', async () => {
    await seedRuns()
    const first = await learned()
    const impossible = readFileSync(path, 'utf8').replace(/"chance":[\d.]+/, '"chance":2')
    for (const text of ['not JSON', 'null', '{}', '{"learnedWith":"1-old","runs":{}}', '{"runs":{"a":7}}', impossible]) {
      writeFileSync(path, text)
      expect(await learned()).toEqual(first)
    }
    rmSync(path)
    expect(await learned()).toEqual(first)
  })

  it('ODDS-21 without a run nothing is known and nothing is written', async () => {
    expect(await learned()).toEqual({})
    expect(existsSync(path)).toBe(false)
  })
})

const flags: TaskFlags = {
  id: 'new',
  agentCommand: `sh -c 'cat > /dev/null; echo work >> work.txt'`,
  check: ['false'],
  maxIterations: '2',
  ask: false,
}

async function guardsOf(run: string): Promise<readonly (OwnOdds | undefined)[]> {
  const events = await inStore((store) => store.read(run))
  return events.flatMap((event) =>
    event.type === 'run.started' || event.type === 'run.reconfigured' ? [ownOddsIn(event.data.config.guards)] : [],
  )
}

describe('a run of the command line', () => {
  it('ODDS-22 begins with what the runs before it taught as a fact, keeps that when it continues, and tells its chance by it', async () => {
    await seedRuns()
    const own = await learned()
    expect(await task(project.look(), flags, ['work.txt says enough'])).toBe(3)
    expect(await guardsOf('new')).toEqual([own])
    await task(project.look(), { ...flags, maxIterations: '3' }, ['work.txt says enough'])
    expect(await guardsOf('new')).toEqual([own, own])
    await task(project.look(), { ...flags, id: 'longer', maxIterations: '8', guard: ['same_failure=trip'] }, [
      'work.txt says more',
    ])
    const look = project.look({ json: true })
    await show(look, 'longer', {})
    expect(look.documents[0]).toMatchObject({ odds: { status: 'known', ownLoops: 7 } })
  })

  it('ODDS-22 pawl.yaml’s setting for your own loops counts', async () => {
    await seedRuns()
    const own = { attempts: { loops: 40, shift: 0.3 } }
    writeFileSync(
      join(project.root, 'pawl.yaml'),
      'guards:\n  worth_continuing: { own: { attempts: { loops: 40, shift: 0.3 } } }\n',
    )
    await task(project.look(), { ...flags, maxIterations: '1' }, ['work.txt says enough'])
    expect(await guardsOf('new')).toEqual([own])
  })

  it('ODDS-23 stats and tune say how many of your own loops support the odds', async () => {
    await seedRuns()
    const own = await learned()
    for (const command of [stats, tune]) {
      const [text, json] = [project.look(), project.look({ json: true })]
      await command(text)
      await command(json)
      expect(text.out.join(' ')).toMatch(
        /adjusted by 6 loops of your own, which did (about as well as|better than|worse than) the recorded ones/,
      )
      expect(json.documents[0]).toMatchObject({ ownOdds: own })
    }
  })
})
