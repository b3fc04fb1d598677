import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { outsideSettings, type OutsideSettings, outsideSpec } from './outside-agent.ts'
import type { ToolSession } from './tool-session.ts'
import type { McpProject } from './project.ts'

/** Whether a start asks for the loop that is going on, as it was started. */
export function hasSameSettings(known: State, settings: OutsideSettings, iterationsMax: number): boolean {
  return isDeepStrictEqual({ ...outsideSettings(known), hooks: [] }, settings) && iterationsGiven(known) === iterationsMax
}

/**
 * Refuses a start with other settings, unless it corrects rules of a loop that stands because a rule could not run. A rule that has
 * said something once stays: an agent must not get rid of one that it cannot satisfy by breaking it.
 */
export async function requireCorrection(
  { store }: McpProject,
  known: State,
  settings: OutsideSettings,
  iterationsMax: number,
): Promise<void> {
  const { run } = known
  const before = outsideSettings(known)
  const others = { ...settings, validationRules: before?.validationRules ?? [] }
  const isOfRulesOnly = hasSameSettings(known, others, iterationsMax)
  if (!known.current.problem) throw goingOn(settings.taskId, run, 'with other settings')
  if (!isOfRulesOnly) throw goingOn(settings.taskId, run, 'in which only the rule that could not run can be corrected')
  const spoken = new Set(
    (await store.read(run)).flatMap((event) =>
      event.type === 'check.passed' || event.type === 'check.failed' ? [event.data.name] : [],
    ),
  )
  const kept = (before?.validationRules ?? []).filter((rule) => spoken.has(String(rule['name'])))
  const changed = kept.find((rule) => !settings.validationRules.some((each) => isDeepStrictEqual(plain(each), plain(rule))))
  if (changed) throw goingOn(settings.taskId, run, `whose rule "${String(changed['name'])}" has run already and stays as it is`)
}

/** The rules as they are corrected, as a fact; the work of this iteration is checked by them with the next validation. */
export async function correct(session: ToolSession, { agent, checks }: RunConfig): Promise<void> {
  const state = session.state()
  const { hooks = [] } = outsideSettings(state) ?? {}
  const settings = { ...(agent.settings as unknown as OutsideSettings), hooks }
  const config = { ...state.config, agent: outsideSpec(settings), checks }
  const at = session.parts.clock.now()
  const names = checks.map((check) => String(check.settings['name'])).join(', ')
  const message = `The validation rules were corrected: ${names || 'there are none'}.`
  await session.take([{ type: 'run.reconfigured', at, by: { role: 'runner' }, data: { config, message } }], { hold: true })
}

function iterationsGiven({ given }: State): unknown {
  return given.guards.find(({ name }) => name === 'maxIterations')?.settings['iterationsMax']
}

function plain(rule: JsonObject): unknown {
  return JSON.parse(JSON.stringify(rule))
}

function goingOn(taskId: string, run: string, which: string): PawlError {
  const message = `Task ${taskId} has a loop ${which} and is not over: go on with iterationId "${run}", or end it first with: pawl abort ${run}`
  return new PawlError('mcp.going-on', message, { value: run })
}
