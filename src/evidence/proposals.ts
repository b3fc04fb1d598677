import type { PolicyChange } from './tuning.ts'
import { type Alarm, isOver, knownAlarms, knownCost, type RunRecord, type Threshold } from './run-record.ts'
import { isLimit } from '../core/trip.ts'
import { counted, money } from '../core/wording.ts'

/** A change of settings that recorded runs speak for. Proposed, never made: a person writes the line into the file, or does not. */
export interface Proposal {
  readonly guard: string
  readonly kind: 'raise' | 'warn' | 'decide'
  /** What to change, and what that would have done to the recorded runs. */
  readonly message: string
  /** What it rests on. */
  readonly evidence: {
    /** Stops, or runs for `decide`, whose outcome is known. */
    readonly known: number
    readonly falseAlarms: number
    readonly falseAvoided: number
    /** True alarms that would not have come before the run's maximum. */
    readonly trueMissed: number
    /** Iterations and money that it would have cost (above 0) or saved (below 0) in these runs. */
    readonly iterations: number
    /** Absent where no cost is known. */
    readonly costUsd?: number
    readonly runs: readonly string[]
  }
  /** The lines for `pawl.yaml`; absent for a guard that is part of a program or of a combination. */
  readonly yaml?: string
}

/** A proposal, and whether `pawl.yaml` says so already. */
export type Compared<Proposed extends Proposal> = Proposed & { readonly inPlace: boolean }

/** A proposal with what to expect of it. */
export interface TunedProposal extends Proposal {
  /** Stops of this guard that were false, of those known; 95 of 100 times the share lies between the bounds. */
  readonly falseAlarms?: { readonly of: number; readonly times: number; readonly interval: readonly [number, number] }
  /** What the same runs would have come to; absent if the guard cannot be built from data. */
  readonly effect?: Pick<PolicyChange, 'lost' | 'avoided'>
}

/** Runs that count as a success or as a failure, and those that are not over. */
export interface TuningCounts {
  readonly solved: number
  readonly failed: number
  readonly open: number
}

/** At most one proposal a guard. */
export function proposals(records: readonly RunRecord[]): readonly Proposal[] {
  const names = new Set(records.flatMap(({ guards }) => guards.map(({ guard }) => guard)))
  return [...names].toSorted().flatMap((guard) => {
    const alarms = records.flatMap((record) => record.alarms.filter((alarm) => alarm.guard === guard))
    const found = raiseProposal(guard, alarms) ?? warnProposal(guard, alarms) ?? decideProposal(guard, records)
    if (!found) return []
    const isBuiltIn = records.some(({ guards }) => guards.some((each) => each.guard === guard && each.isBuiltIn))
    const { yaml: _lines, ...rest } = found
    return [isBuiltIn ? found : rest]
  })
}

/** A higher threshold for a guard that was mostly wrong: the lowest that avoids the most false alarms without missing true ones. */
function raiseProposal(guard: string, all: readonly Alarm[]): Proposal | undefined {
  const now = thresholdNow(all)
  if (!now) return undefined
  // What an older, lower threshold raised says nothing about the present one.
  const judged = knownAlarms(all.filter((alarm) => hasThreshold(alarm) && alarm.threshold.counted >= now.is))
  if (!judged) return undefined
  const { known, wrong, right } = judged
  const values = [...new Set(wrong.map(valueNeeded))].filter((to) => to > now.is && to <= now.is * TIMES_MAX)
  const best = values
    .map((to) => ({ to, ...effectOf(to, guard, wrong, right) }))
    .toSorted((one, other) => gain(other) - gain(one) || one.to - other.to)[0]
  if (!best || best.falseAvoided < AVOIDED_MIN || gain(best) <= 0) return undefined
  const { to, falseAvoided, trueMissed, iterations, costUsd } = best
  const later = iterations === 0 ? '' : `; the others come later, ${counted(iterations, 'iteration')} in all${priced(costUsd)}`
  return {
    guard,
    kind: 'raise',
    message: `Raise ${guard}.${now.setting} from ${now.is} to ${to}: would have avoided ${counted(falseAvoided, 'false alarm')} of ${wrong.length} and missed ${trueMissed} of ${counted(right.length, 'true one')}${later}.`,
    evidence: {
      known: known.length,
      falseAlarms: wrong.length,
      falseAvoided,
      trueMissed,
      iterations,
      ...knownCost(costUsd),
      runs: [...new Set(known.map(({ run }) => run))],
    },
    yaml: guardLines(guard, { [now.setting]: to }, all.at(-1)?.isLadder ? 'ladder' : 'trip'),
  }
}

const AVOIDED_MIN = 2

/** A threshold many times as high is no threshold: then the guard had better only warn. */
const TIMES_MAX = 4

type WithThreshold = Alarm & { readonly threshold: Threshold }

function hasThreshold(alarm: Alarm): alarm is WithThreshold {
  return alarm.threshold !== undefined
}

/** What the newest run was given; what people raised in the course of it holds for that run only. */
function thresholdNow(alarms: readonly Alarm[]): Threshold | undefined {
  const newest = alarms.findLast(hasThreshold)?.run
  return alarms.filter(hasThreshold).find(({ run }) => run === newest)?.threshold
}

/** With this value the guard would have kept still until the run succeeded; where it did not, at least at that moment. */
function valueNeeded({ threshold, iterationsToSuccess = 1 }: Alarm): number {
  return (threshold?.counted ?? 0) + iterationsToSuccess
}

interface RaiseEffect {
  readonly falseAvoided: number
  readonly trueMissed: number
  readonly iterations: number
  readonly costUsd: number
}

/** A true alarm comes that many iterations later, unless the run's maximum comes first: then it is missed. */
function effectOf(to: number, guard: string, wrong: readonly Alarm[], right: readonly Alarm[]): RaiseEffect {
  const late = right.map((alarm) => ({ ...alarm, later: Math.max(0, to - (alarm.threshold?.counted ?? 0)) }))
  const isMissed = ({ later, iterationsLeft }: (typeof late)[number]): boolean =>
    !isLimit(guard) && iterationsLeft !== undefined && later > iterationsLeft
  const coming = late.map((alarm) => ({ ...alarm, later: isMissed(alarm) ? (alarm.iterationsLeft ?? 0) : alarm.later }))
  return {
    falseAvoided: wrong.filter((alarm) => valueNeeded(alarm) <= to).length,
    trueMissed: late.filter(isMissed).length,
    iterations: coming.reduce((sum, { later }) => sum + later, 0),
    costUsd: coming.reduce((sum, { later, costUsdEach }) => sum + later * costUsdEach, 0),
  }
}

function gain({ falseAvoided, trueMissed }: RaiseEffect): number {
  return falseAvoided - trueMissed
}

function priced(costUsd: number): string {
  return costUsd > 0 ? ` and ${money(costUsd)}` : ''
}

/**
 * A guard that only warns, and was right every time: in none of the runs it warned in did the work succeed afterwards. As a ladder it
 * would have stopped them two iterations after its warning.
 */
function decideProposal(guard: string, records: readonly RunRecord[]): Proposal | undefined {
  if (isLimit(guard) || records.some(({ alarms }) => alarms.some((alarm) => alarm.guard === guard))) return undefined
  const warned = records.flatMap((record) => {
    const first = record.nudges.find((nudge) => nudge.guard === guard)
    return first && isOver(record.ending) ? [{ ...record, since: record.iterations - first.iteration - PATIENCE }] : []
  })
  const isAlwaysRight = warned.every(({ ending, disputed }) => ending !== 'succeeded' && !disputed.includes(guard))
  if (warned.length < WARNED_MIN || !isAlwaysRight) return undefined
  const late = warned.filter(({ since }) => since > 0)
  const iterations = late.reduce((sum, { since }) => sum + since, 0)
  const costUsd = late.reduce((sum, { since, costUsd: cost, iterations: done }) => sum + (since * cost) / Math.max(1, done), 0)
  if (iterations === 0) return undefined
  const price = costUsd > 0 ? ` and ${money(costUsd)}` : ''
  return {
    guard,
    kind: 'decide',
    message: `Let ${guard} decide after its warning: of ${counted(warned.length, 'run')} it warned in none succeeded, and it would have saved ${counted(iterations, 'iteration')}${price}.`,
    evidence: {
      known: warned.length,
      falseAlarms: 0,
      falseAvoided: 0,
      trueMissed: 0,
      iterations: -iterations,
      ...knownCost(-costUsd),
      runs: warned.map(({ run }) => run),
    },
    yaml: guardLines(guard, {}, 'ladder'),
  }
}

/** More than for a raised threshold: what decides can end a run that would have succeeded. */
const WARNED_MIN = 5

/** As the ladder has it by default. */
const PATIENCE = 2

/** A guard that was mostly wrong, and that no higher threshold fixes, had better only warn. A limit is meant to decide. */
function warnProposal(guard: string, alarms: readonly Alarm[]): Proposal | undefined {
  const judged = isLimit(guard) ? undefined : knownAlarms(alarms)
  if (!judged || judged.wrong.length <= judged.right.length) return undefined
  const { known, wrong, right } = judged
  return {
    guard,
    kind: 'warn',
    message: `Let ${guard} only warn: would have avoided ${counted(wrong.length, 'false alarm')} of ${wrong.length} and missed ${right.length} of ${counted(right.length, 'true one')}.`,
    evidence: {
      known: known.length,
      falseAlarms: wrong.length,
      falseAvoided: wrong.length,
      trueMissed: right.length,
      iterations: 0,
      runs: [...new Set(known.map(({ run }) => run))],
    },
    yaml: guardLines(guard, {}, 'warn'),
  }
}

/** The lines of `pawl.yaml` that give a guard these settings and this severity. */
export function guardLines(
  guard: string,
  settings: Readonly<Record<string, number>>,
  severity: 'warn' | 'trip' | 'ladder',
): string {
  if (guard === 'maxIterations') return `max_iterations: ${settings['iterationsMax']}`
  const values = Object.entries(settings).map(([name, value]) => `${fileName(name)}: ${value}`)
  // The severity is written down, since a line in the file replaces what stood there.
  const map = values.length === 0 ? severity : `{ ${[...values, `severity: ${severity}`].join(', ')} }`
  return `guards:\n  ${fileName(guard)}: ${map}`
}

/** `repeatsMin` is `repeats_min` in files. */
function fileName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
