import { expect, it } from 'vitest'
import { evolveAll } from 'pawl'
import { maxIterations } from '../src/guards/index.ts'
import { verifyChain } from '../src/journal/hash-chain.ts'
import { memoryStore } from '../src/stores/memory-store.ts'
import { type Scenario, simulate } from '../src/testing/simulation.ts'
import { releaseLoop } from '../examples/own-loop/release-loop.ts'

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

/** The first iteration fails its check, the second its deployment, the third nothing. */
function scenario(): Scenario & { readonly briefs: string[] } {
  const briefs: string[] = []
  let deployed = ''
  return {
    loop: releaseLoop('A page that is up.', async () => {
      const isHealthy = deployed === '3'
      return { url: 'https://shop.example', isHealthy, message: isHealthy ? 'It answers.' : 'It answers with 500.' }
    }),
    guards: [maxIterations(5)],
    files: { page: '0' },
    briefs,
    work: (iteration, brief) => {
      briefs.push(brief)
      return [
        (files) => {
          files.set('page', String(iteration))
          deployed = String(iteration)
        },
      ]
    },
    check: (files) =>
      files.get('page') === '1'
        ? { status: 'failed', failures: [{ id: 'page', message: 'is empty', kind: 'assertion' }] }
        : { status: 'passed' },
  }
}

const story = (events: Awaited<ReturnType<typeof simulate>>['events']): readonly unknown[] =>
  events.flatMap((event) => {
    if (event.type === 'deployment.finished') return [['deployed', event.data.iteration, event.data.isHealthy]]
    return event.type === 'decision.made' ? [[event.data.action, event.data.message]] : []
  })

it('EXAMPLE-2 a loop of one’s own has events, state and an effect, and goes the same way whatever moment it is killed at', async () => {
  const given = scenario()
  const whole = await simulate(given, makeStore, [])
  expect(whole.outcome.status).toBe('completed')
  expect(story(whole.events)).toEqual([
    ['retry', expect.stringContaining('page')],
    ['deployed', 2, false],
    ['retry', 'https://shop.example is not healthy: It answers with 500.'],
    ['deployed', 3, true],
    ['proceed', 'Every check passed, but nothing proves that the goal is reached.'],
  ])
  expect(given.briefs[2]).toContain('# The last deployment\nIt answers with 500.')
  for (let moment = 1; moment <= whole.moments; moment++) {
    const killed = await simulate(scenario(), makeStore, [moment])
    expect(killed.crashes, `killed at moment ${moment}`).toBe(1)
    expect(story(killed.events), `killed at moment ${moment}`).toEqual(story(whole.events))
    expect(verifyChain(killed.events).ok).toBe(true)
  }
})

it('EXAMPLE-3 where the loop is not there, its events only move the clock and its slice is left out', async () => {
  const { events } = await simulate(scenario(), makeStore, [])
  const state = evolveAll(undefined, events)
  expect(state).toMatchObject({ status: 'completed', seq: events.length })
  expect(state?.slices).toBeUndefined()
})
