import type { Event } from '../core/event.ts'
import type { PartSpec, RunConfig } from '../core/run-config.ts'
import { partName } from './part-name.ts'
import { type AgentSettings, agentSettings } from './agent-settings.ts'
import { workerIn, type WorkerView } from './worker-view.ts'

/** The agent that worked last, or is to work where none has; the model and the session as it told them, else the model it is set to. */
export function lastWorker(config: RunConfig, events: readonly Event[]): WorkerView & Pick<AgentSettings, 'sessionMode'> {
  const told = events.flatMap((event) => workerIn(event) ?? [])
  const agent = told.at(-1)?.agent ?? partName(config.agent)
  const own = told.filter((worker) => worker.agent === agent)
  const spec = [config.agent, ...othersIn(config)].find((each) => partName(each) === agent)
  const { model: set, sessionMode } = spec ? agentSettings(spec) : {}
  const model = own.findLast((worker) => worker.model !== undefined)?.model ?? set
  const session = own.findLast((worker) => worker.session !== undefined)?.session
  return {
    agent,
    ...(model === undefined ? {} : { model }),
    ...(sessionMode === undefined ? {} : { sessionMode }),
    ...(session === undefined ? {} : { session }),
  }
}

function othersIn({ fallbacks = [], roles = {}, experts = {} }: RunConfig): readonly PartSpec[] {
  return [...fallbacks, ...Object.values(roles), ...Object.values(experts)]
}
