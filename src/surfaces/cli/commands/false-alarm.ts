import { FALSE_ALARM } from '../../../core/question.ts'
import { isLimit } from '../../../core/limits.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { State } from '../../../core/state.ts'
import { tripNames } from '../../../core/trip-names.ts'
import type { SealedEvent, Store } from '../../../stores/store.ts'
import { disputeGuard, knownState } from '../../../engine/person-facts.ts'
import { systemClock } from '../../../process/clock.ts'

/** Calls one guard of a run wrong, also one that only warned. Gives what then stands in the way: guards that stopped it as well. */
export async function falseAlarm(
  store: Store,
  run: string,
  guard: string,
  note: string | undefined,
): Promise<{ readonly standing: readonly string[] }> {
  requireGuard(await knownState(store, run), guard)
  await requireSpoken(store, run, guard)
  await disputeGuard(store, systemClock, run, guard, note)
  const { question, waivers } = await knownState(store, run)
  const trips = (question?.trips ?? []).map((trip) => trip.guard)
  return { standing: trips.filter((name) => !waivers.includes(name)) }
}

/** Refuses `false-alarm` as an answer where the question does not offer it, and says what can be answered instead. */
export function requireAlarm({ run, question }: State): void {
  if (!question || question.question.options.some(({ choice }) => choice === FALSE_ALARM)) return
  const names = [...new Set(question.trips.map((trip) => trip.guard))].join(' and ')
  const why =
    names === '' ? 'no guard stopped it' : `${names} stopped it, which cannot be a false alarm there: choose one of its options`
  throw new PawlError('question.no-alarm', `Run ${run} has no false alarm: ${why} (pawl answer ${run}).`)
}

/** Whether this guard alone keeps a pass from being believed: to call it wrong is then to accept the work. */
export function isOnlyDoubt({ question }: State, guard: string): boolean {
  const alarm = question?.question.options.find(({ choice }) => choice === FALSE_ALARM)?.consequence
  return alarm?.kind === 'accept' && (alarm.disputes ?? []).join() === guard
}

function requireGuard({ run, config, question }: State, guard: string): void {
  const names = new Set([...config.guards.flatMap(tripNames), ...(question?.trips ?? []).map((trip) => trip.guard)])
  if (names.has(guard)) return
  throw new PawlError('usage.unknown-guard', `Run ${run} has no guard "${guard}"; it has ${[...names].join(', ')}.`, {
    value: guard,
  })
}

/** What said nothing cannot have been wrong; a limit is refused for being one. */
async function requireSpoken(store: Store, run: string, guard: string): Promise<void> {
  if (isLimit(guard)) return
  const spoken = [...new Set((await store.read(run)).filter(isAlarm).map(({ by }) => by.name))]
  if (spoken.includes(guard)) return
  const alarms = spoken.filter((name) => name !== undefined && !isLimit(name))
  const who = alarms.length === 0 ? 'no guard did' : `only ${alarms.join(' and ')} did`
  throw new PawlError('usage.no-alarm', `${guard} neither stopped run ${run} nor warned, so it cannot have been wrong: ${who}.`, {
    value: guard,
  })
}

function isAlarm({ type }: SealedEvent): boolean {
  return type === 'guard.tripped' || type === 'guard.nudged' || type === 'budget.warned'
}
