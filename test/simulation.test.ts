import { describe, expect, it } from 'vitest'
import { memoryStore } from '../src/stores/memory-store.ts'
import { verifyChain } from '../src/journal/hash-chain.ts'
import type { SealedEvent } from '../src/stores/store.ts'
import { simulate } from '../src/testing/simulation.ts'
import { scenarios } from './scenarios.ts'

const makeStore = (isAlive: Parameters<Parameters<typeof simulate>[1]>[0]) => memoryStore({ isAlive })

describe.each(Object.entries(scenarios))('RUN-1 simulated crashes: %s', (_name, scenario) => {
  it('ends with the same history whatever single moment it is killed at', async () => {
    const whole = await simulate(scenario, makeStore, [])
    expect(whole.crashes).toBe(0)
    expect(story(whole.events)).toMatchSnapshot()
    for (let moment = 1; moment <= whole.moments; moment++) {
      const killed = await simulate(scenario, makeStore, [moment])
      expect(killed.crashes, `killed at moment ${moment}`).toBe(1)
      expect(story(killed.events), `killed at moment ${moment}`).toEqual(story(whole.events))
      expect(verifyChain(killed.events).ok).toBe(true)
      expect(killed.outcome.status).toBe(whole.outcome.status)
      expect([...killed.files].toSorted()).toEqual([...whole.files].toSorted())
    }
  })

  it('RUN-215 ends with the same history where the agent works within the process that is killed', async () => {
    const whole = await simulate(scenario, makeStore, [])
    const { moments } = await simulate({ ...scenario, isInProcess: true }, makeStore, [])
    for (let moment = 1; moment <= moments; moment++) {
      const killed = await simulate({ ...scenario, isInProcess: true }, makeStore, [moment])
      expect(story(killed.events), `killed at moment ${moment}`).toEqual(story(whole.events))
      expect([...killed.files].toSorted()).toEqual([...whole.files].toSorted())
    }
  })

  it('ends with the same history over a hundred random schedules of several crashes', async () => {
    const whole = await simulate(scenario, makeStore, [])
    const random = seeded(20261115)
    for (let schedule = 0; schedule < SCHEDULES; schedule++) {
      const moments = Array.from({ length: 1 + Math.floor(random() * 5) }, () => 1 + Math.floor(random() * whole.moments * 1.5))
      const killed = await simulate(scenario, makeStore, moments)
      expect(story(killed.events), `schedule ${schedule}: killed at ${moments.join(', ')}`).toEqual(story(whole.events))
      expect([...killed.files].toSorted()).toEqual([...whole.files].toSorted())
    }
  })
})

const SCHEDULES = 100

/** Checks of an iteration that was opened again are named after the event that did it. */
function roundless(key: string): string {
  return key.replace(/\/check-\d+\//, '/check-again/')
}

/** What must be the same: everything but starts, resumptions, undone work, times, places and hashes. */
function story(events: readonly SealedEvent[]): string[] {
  return events.flatMap((event): string[] => {
    switch (event.type) {
      case 'run.resumed':
      case 'work.started':
      case 'check.started':
      case 'work.abandoned':
      case 'workspace.restored':
        return []
      case 'workspace.observed':
        return event.by.role === 'workspace'
          ? [`${event.data.key} tree ${event.data.tree.slice(0, 8)}, ${event.data.filesChanged} changed`]
          : []
      case 'work.finished':
      case 'work.failed':
        return [`${event.data.key} ${event.type}`]
      case 'check.passed':
      case 'check.failed':
        return [`${roundless(event.data.key)} ${event.type} ${event.data.failures.map((failure) => failure.id).join()}`]
      case 'iteration.ended':
        return [`iteration ${event.data.iteration} ended ${JSON.stringify(event.data.verdict)}`]
      case 'decision.made':
        return [`${event.data.action}: ${asKnown(event.data.message)} [${event.data.trips.join()}]`]
      case 'guard.tripped':
      case 'guard.nudged':
      case 'budget.warned':
        return [`${event.type} ${event.data.guard}: ${asKnown(event.data.message)}`]
      case 'run.reconfigured':
        return [`${event.type} ${event.data.message}`]
      default:
        return [event.type]
    }
  })
}

/** What killed work cost nobody knows, and the budget says so. */
function asKnown(message: string): string {
  return message.replace(/at least (.*); the cost of .* of work is not known/i, '$1')
}

/** A small generator of random numbers that gives the same ones for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
