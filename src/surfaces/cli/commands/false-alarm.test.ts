import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { circuitBreaker, customGuard, maxIterations, thrashing } from '../../../guards/index.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { disputeGuard } from '../../../engine/person-facts.ts'
import { systemClock } from '../../../process/clock.ts'
import { answer } from './answer.ts'
import { show } from './show.ts'

let project: TestProject

beforeEach(() => {
  project = testProject({ isGit: false })
})
afterEach(() => project.remove())

const breaker = circuitBreaker({ failuresMax: 2 })

/** Does not believe a pass. */
const doubtful = customGuard({
  name: 'mine',
  inspect: ({ current }) =>
    current.ended?.verdict.passed
      ? { message: 'Not so.', evidence: { facts: [], measures: {} }, hint: '', disputesPass: true }
      : undefined,
})

async function factsOf(run: string): Promise<readonly { readonly type: string; readonly data: unknown }[]> {
  const store = sqliteStore({ path: project.storePath })
  const events = await store.read(run)
  await store.close()
  return events.filter(({ by }) => by.role === 'person').map(({ type, data }) => ({ type, data }))
}

describe('a false alarm', () => {
  it('CLI-345 is an answer like the others: the run may continue, and it is counted against the guard', async () => {
    await project.seed({ run: 'stuck', failing: [3, 3, 3], guards: [maxIterations(8), breaker] })
    const look = project.look()
    expect(await answer(look, { note: 'Nearly done.' }, 'stuck', 'false-alarm')).toBe(0)
    expect(look.out[0]).toContain('False alarm: continue (counts against circuitBreaker). Continue with: pawl resume stuck')
    expect(await factsOf('stuck')).toEqual([
      { type: 'escalation.answered', data: { choice: 'false-alarm', note: 'Nearly done.' } },
      { type: 'guard.disputed', data: { guard: 'circuitBreaker' } },
    ])
    const shown = project.look()
    await show(shown, 'stuck')
    expect(shown.out.join('\n')).toContain('circuitBreaker (a person called it a false alarm)')
    expect(shown.out.join('\n')).toContain('called circuitBreaker a false alarm')
  })

  it.each([{}, { guard: 'mine' }])('STATS-41 of a guard that did not believe a pass accepts the work: %o', async (flags) => {
    await project.seed({ run: 'doubted', failing: [3, 0], guards: [maxIterations(8), doubtful] })
    const look = project.look()
    expect(await answer(look, { ...flags, note: 'It is meant so.' }, 'doubted', 'false-alarm')).toBe(0)
    expect(look.out[0]).toContain('False alarm: accept it as done (counts against mine). It takes effect with: pawl resume')
    expect(await factsOf('doubted')).toEqual([
      { type: 'escalation.answered', data: { choice: 'false-alarm', note: 'It is meant so.' } },
      { type: 'guard.disputed', data: { guard: 'mine' } },
    ])
  })

  it('STATS-41 called so by a program, it accepts the work too', async () => {
    await project.seed({ run: 'doubted', failing: [3, 0], guards: [maxIterations(8), doubtful] })
    const store = sqliteStore({ path: project.storePath })
    await disputeGuard(store, systemClock, 'doubted', 'mine', 'It is meant so.')
    await store.close()
    expect(await factsOf('doubted')).toEqual([
      { type: 'escalation.answered', data: { choice: 'false-alarm', note: 'It is meant so.' } },
      { type: 'guard.disputed', data: { guard: 'mine' } },
    ])
  })

  it('CLI-346 of one of two guards leaves the question open because of the other', async () => {
    await project.seed({ run: 'both', failing: [3, 3, 3], guards: [maxIterations(2), breaker] })
    const look = project.look({ json: true })
    expect(await answer(look, { guard: 'circuitBreaker' }, 'both', 'false-alarm')).toBe(3)
    expect(look.documents).toEqual([
      { run: 'both', choice: 'false-alarm', guard: 'circuitBreaker', note: null, standing: ['maxIterations'] },
    ])
  })

  it('CLI-346 of a guard that only warned is counted too, while nothing is asked', async () => {
    const guards = [maxIterations(2), circuitBreaker({ failuresMax: 2, severity: 'warn' })]
    await project.seed({ run: 'open', failing: [3, 3, 3], guards })
    const look = project.look()
    expect(await answer(look, { guard: 'circuitBreaker', note: 'n' }, 'open', 'false-alarm')).toBe(3)
    expect(look.out[0]).toContain('Counted against circuitBreaker, which may be passed once.')
    expect(await factsOf('open')).toEqual([{ type: 'guard.disputed', data: { guard: 'circuitBreaker', note: 'n' } }])
  })

  it('CLI-395 of a guard that neither stopped the run nor warned is refused, with those that did, and nothing is counted', async () => {
    await project.seed({ run: 'stuck', failing: [3, 3, 3], guards: [maxIterations(8), breaker, thrashing()] })
    await expect(answer(project.look(), { guard: 'thrashing' }, 'stuck', 'false-alarm')).rejects.toThrow(
      'thrashing neither stopped run stuck nor warned, so it cannot have been wrong: only circuitBreaker did.',
    )
    await project.seed({ run: 'quiet', failing: [3, 3], guards: [maxIterations(8), breaker], factsMax: 6 })
    await expect(answer(project.look(), { guard: 'circuitBreaker' }, 'quiet', 'false-alarm')).rejects.toThrow('no guard did')
    expect([...(await factsOf('stuck')), ...(await factsOf('quiet'))]).toEqual([])
  })

  it('CLI-347 a limit is no false alarm, nor is a guard the run does not have; --guard is for false alarms only', async () => {
    await project.seed({ run: 'limit', failing: [3, 3, 3], guards: [maxIterations(2)] })
    const look = project.look()
    await expect(answer(look, {}, 'limit', 'false-alarm')).rejects.toMatchObject({ code: 'question.no-alarm' })
    await expect(answer(look, { guard: 'maxIterations' }, 'limit', 'false-alarm')).rejects.toMatchObject({
      code: 'usage.guard-limit',
    })
    await expect(answer(look, { guard: 'odd' }, 'limit', 'false-alarm')).rejects.toThrow(
      'has no guard "odd"; it has maxIterations.',
    )
    await expect(answer(look, { guard: 'maxIterations' }, 'limit', '1')).rejects.toMatchObject({ code: 'usage.guard' })
    expect(await factsOf('limit')).toEqual([])
  })
})
