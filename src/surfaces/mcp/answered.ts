import type { State } from '../../core/state.ts'
import type { Answer } from '../../engine/person.ts'
import { answerRun } from '../../engine/person-facts.ts'
import { systemClock } from '../../process/clock.ts'
import { AGENT } from './outside-agent.ts'
import { caughtUp } from './go-on.ts'
import { presentState, unknownRun, withSeat } from './seat.ts'
import type { Call } from './tool.ts'

/**
 * Records a person's answer. One that ends the run takes effect at once, where the run is driven through MCP; one that lets it go on
 * does so when the agent asks for the next iteration.
 */
export async function answered({ workshop, signal }: Call, { run }: State, answer: Answer): Promise<State> {
  await answerRun(workshop.store, systemClock, run, answer)
  const state = await known(workshop, run)
  if (state.answer === undefined || state.config.agent.name !== AGENT) return state
  await withSeat(workshop, { run, signal }, caughtUp)
  return known(workshop, run)
}

async function known(workshop: Call['workshop'], run: string): Promise<State> {
  const state = await presentState(workshop, run)
  if (!state) throw unknownRun(run)
  return state
}
