import { isLimit } from '../../core/limits.ts'
import { counted, money } from '../../core/wording.ts'
import type { Alarm, Threshold } from './alarm.ts'
import { knownCost } from './known-cost.ts'
import { knownAlarms } from './known-alarms.ts'
import type { Proposal } from './proposals.ts'
import { guardLines } from './yaml-lines.ts'

/** A higher threshold for a guard that was mostly wrong: the lowest that avoids the most false alarms without missing true ones. */
export function raiseProposal(guard: string, all: readonly Alarm[]): Proposal | undefined {
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
