import { agentName } from './answered-config.ts'
import { isLimitTrip } from './limits.ts'
import { accept, followedBy } from './question-options.ts'
import type { Option } from './question.ts'
import type { State } from './state.ts'
import { guardsIn, raisesOf, type Trip } from './trip.ts'

/** The choice that says a guard was wrong. */
export const FALSE_ALARM = 'false-alarm'

/** What the guards that decided let a person choose besides: to call them wrong, and to put their expert to work. */
export function guardOptions(state: State, trips: readonly Trip[]): readonly Option[] {
  return [...falseAlarm(trips), ...expert(state, trips)]
}

/** A limit is never a false alarm: where one tripped too, it is raised along with it. */
function falseAlarm(trips: readonly Trip[]): readonly Option[] {
  const disputes = [...new Set(trips.filter((trip) => !isLimitTrip(trip)).map(({ guard }) => guard))]
  if (disputes.length === 0) return []
  const names = disputes.join(' and ')
  const option: Option = {
    choice: FALSE_ALARM,
    label: `False alarm: ${names} should not have stopped it`,
    consequence: { kind: 'continue', raises: trips.filter(isLimitTrip).flatMap(raisesOf), disputes },
  }
  return [followedBy(option, `The agent tries again as before, and this is counted against ${names} (pawl stats).`)]
}

/** The guards were wrong not to believe a pass: it is taken as it is, and counted against them. */
export function believedAfterAll(state: State, disputes: readonly Trip[]): Option {
  const guards = [...new Set(disputes.map(({ guard }) => guard))]
  const names = guards.join(' and ')
  const taken = accept(state, `False alarm: accept it as done, ${names} should have believed it`)
  const option: Option = { ...taken, choice: FALSE_ALARM, consequence: { kind: 'accept', disputes: guards } }
  return followedBy(option, `${taken.then ?? ''} This is counted against ${names} (pawl stats).`.trim())
}

/** The first of the guards that has an expert who is not at work already. */
function expert({ config }: State, trips: readonly Trip[]): readonly Option[] {
  const now = JSON.stringify(config.agent)
  const found = trips.flatMap(guardsIn).flatMap((guard) => {
    const agent = config.experts?.[guard]
    return agent && JSON.stringify(agent) !== now ? [{ guard, agent }] : []
  })
  return found.slice(0, 1).map(({ guard, agent }) => {
    const name = agentName(agent)
    const label = `Go on with ${name}, the expert for ${guard}`
    const option: Option = { choice: 'expert', label, consequence: { kind: 'continue', raises: trips.flatMap(raisesOf), agent } }
    return followedBy(option, `${name} does the work from now on, and is told all that was tried.`)
  })
}
