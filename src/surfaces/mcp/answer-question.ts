import type { State } from '../../core/state.ts'
import type { Answer } from '../../engine/parts.ts'
import { answerRun } from '../../engine/person-facts.ts'
import { systemClock } from '../../process/clock.ts'
import { AGENT } from './outside-agent.ts'
import { settlePending } from './continue-run.ts'
import { presentState, unknownRun, withToolSession } from './tool-session.ts'
import type { Call } from './tool.ts'

/**
 * Records a person's answer. One that ends the run takes effect at once, where the run is driven through MCP; one that lets it go on
 * does so when the agent asks for the next iteration.
 */
export async function answerQuestion({ project, signal }: Call, { run }: State, answer: Answer): Promise<State> {
  await answerRun(project.store, systemClock, run, answer)
  const state = await known(project, run)
  if (state.answer === undefined || state.config.agent.name !== AGENT) return state
  await withToolSession(project, { run, signal }, settlePending)
  return known(project, run)
}

async function known(project: Call['project'], run: string): Promise<State> {
  const state = await presentState(project, run)
  if (!state) throw unknownRun(run)
  return state
}
