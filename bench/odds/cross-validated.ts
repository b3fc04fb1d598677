import { GIVEN_UP_FROM_ITERATION } from '../../src/guards/worth-continuing.ts'
import type { Moment } from '../../src/guards/odds/moment.ts'
import type { KindData, OddsKind } from '../../src/guards/odds/odds-data.ts'
import { oddsAt, type Source, sourceOf } from '../../src/guards/odds/odds.ts'
import { SHIPPED_ODDS } from '../../src/guards/odds/shipped-odds.ts'
import { fit } from './fit.ts'
import type { MomentLoop } from './recorded-moments.ts'

/** A loop with the chances that a fit gave it which had seen none of its task's loops. */
export interface JudgedLoop extends MomentLoop {
  readonly fold: number
  /** By iteration; nothing if the odds abstain. */
  readonly chances: readonly (number | undefined)[]
  /** The same where the guard may decide. */
  readonly deciding: readonly (number | undefined)[]
  /** At `lastMoment`. */
  readonly lastChance: number | undefined
}

export interface CrossValidated {
  /** Each loop judged by a fit that had seen no loop at its task. */
  readonly judged: readonly JudgedLoop[]
  /** By fold: the loops that its fit was learned from, judged by that fit. What ships judges the loops it was learned from too. */
  readonly learnedFrom: readonly (readonly JudgedLoop[])[]
}

/** How often the tasks are parted. */
const FOLDS = 5

/** Judges every loop by a fit to the other folds' loops; all loops at a task are in the same fold. Through the product's own `oddsAt`. */
export function crossValidated(kind: OddsKind, loops: readonly MomentLoop[], say: (line: string) => void): CrossValidated {
  const judged: JudgedLoop[] = []
  const learnedFrom: (readonly JudgedLoop[])[] = []
  for (let fold = 0; fold < FOLDS; fold++) {
    say(`${kind}: fold ${fold + 1} of ${FOLDS}`)
    const others = loops.filter((loop) => foldOf(loop.task) !== fold)
    const held = loops.filter((loop) => foldOf(loop.task) === fold)
    const source = fittedTo(kind, others)
    judged.push(...held.map((loop) => judgedBy(source, loop, fold)))
    learnedFrom.push(others.map((loop) => judgedBy(source, loop, fold)))
  }
  return { judged, learnedFrom }
}

/**
 * Judges the loops of one dataset by a fit to those of the others, as if it had never been recorded; with those others, cross-validated and as
 * that fit itself judges them, for limits to come from.
 */
export function unseenDataset(
  kind: OddsKind,
  loops: readonly MomentLoop[],
  dataset: string,
  say: (line: string) => void,
): { readonly judged: readonly JudgedLoop[]; readonly others: readonly (readonly JudgedLoop[])[] } {
  const others = loops.filter((loop) => loop.dataset !== dataset)
  const held = loops.filter((loop) => loop.dataset === dataset)
  const source = fittedTo(kind, others)
  const learnedFrom = others.map((loop) => judgedBy(source, loop, FOLDS))
  return {
    judged: held.map((loop) => judgedBy(source, loop, FOLDS)),
    others: [crossValidated(kind, others, say).judged, learnedFrom],
  }
}

/** Judges loops by the odds that ship, or by others: also those they were learned from. */
export function judgedByData(kind: OddsKind, loops: readonly MomentLoop[], data: KindData): readonly JudgedLoop[] {
  const source = sourceOf({ ...SHIPPED_ODDS, [kind]: data })
  return loops.map((loop) => judgedBy(source, loop, FOLDS))
}

function fittedTo(kind: OddsKind, learned: readonly MomentLoop[]): Source {
  return sourceOf({ ...SHIPPED_ODDS, [kind]: fit(kind, learned) })
}

function judgedBy(source: Source, loop: MomentLoop, fold: number): JudgedLoop {
  const chanceAt = (moment: Moment | undefined): number | undefined => {
    const odds = moment && oddsAt(moment, undefined, source)
    return odds?.status === 'known' ? odds.chance : undefined
  }
  const chances = loop.moments.map(chanceAt)
  const deciding = chances.map((chance, index) => (index + 1 < GIVEN_UP_FROM_ITERATION ? undefined : chance))
  return { ...loop, fold, chances, deciding, lastChance: chanceAt(loop.lastMoment) }
}

/** Always the same for a task: a hash of its name (FNV-1a, well mixed). */
function foldOf(task: string): number {
  let hash = 2166136261
  for (let index = 0; index < task.length; index++) hash = Math.imul(hash ^ task.charCodeAt(index), 16777619)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % FOLDS
}
