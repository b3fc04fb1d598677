import type { Alarm } from './alarm.ts'

/** Fewer stops than this prove nothing. */
const KNOWN_MIN = 4

/** The stops of a guard that are known to have been right or wrong; nothing unless there are enough and at least half were wrong. */
export function knownAlarms(
  alarms: readonly Alarm[],
): { readonly known: readonly Alarm[]; readonly wrong: readonly Alarm[]; readonly right: readonly Alarm[] } | undefined {
  const known = alarms.filter(({ judgement }) => judgement !== 'open')
  const wrong = known.filter(({ judgement }) => judgement === 'false')
  const right = known.filter(({ judgement }) => judgement === 'true')
  return known.length < KNOWN_MIN || wrong.length < known.length / 2 ? undefined : { known, wrong, right }
}
