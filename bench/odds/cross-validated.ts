import { GIVEN_UP_FROM_ITERATION } from '../../src/core/odds/chance-limit.ts'
import { oddsAt, type Source, sourceOf } from '../../src/core/odds/odds.ts'
import type { OddsKind } from '../../src/core/odds/odds-kind.ts'
import { SHIPPED_ODDS } from '../../src/core/odds/shipped-odds.ts'
import { fit } from './fit.ts'
import type { MomentLoop } from './recorded-moments.ts'

/** A loop with the chances that a fit gave it which had seen none of its task's loops. */
export interface JudgedLoop extends MomentLoop {
  readonly fold: number
  /** By iteration; nothing where the odds abstain. */
  readonly chances: readonly (number | undefined)[]
  /** The same where the guard may decide. */
  readonly deciding: readonly (number | undefined)[]
}

/** How often the tasks are parted. */
const FOLDS = 5

/** Judges every loop by a fit to the other folds' loops; all loops at a task are in the same fold. Through the product's own `oddsAt`. */
export function crossValidated(kind: OddsKind, loops: readonly MomentLoop[], say: (line: string) => void): readonly JudgedLoop[] {
  const judged: JudgedLoop[] = []
  for (let fold = 0; fold < FOLDS; fold++) {
    say(`${kind}: fold ${fold + 1} of ${FOLDS}`)
    const others = loops.filter((loop) => foldOf(loop.task) !== fold)
    const held = loops.filter((loop) => foldOf(loop.task) === fold)
    judged.push(...judgedAfter(kind, others, held, fold))
  }
  return judged
}

/**
 * Judges the loops of one dataset by a fit to those of the others, as if it had never been recorded; with those others, cross-validated, for
 * limits to come from.
 */
export function unseenDataset(
  kind: OddsKind,
  loops: readonly MomentLoop[],
  dataset: string,
  say: (line: string) => void,
): { readonly judged: readonly JudgedLoop[]; readonly others: readonly JudgedLoop[] } {
  const others = loops.filter((loop) => loop.dataset !== dataset)
  const held = loops.filter((loop) => loop.dataset === dataset)
  return { judged: judgedAfter(kind, others, held, FOLDS), others: crossValidated(kind, others, say) }
}

function judgedAfter(
  kind: OddsKind,
  learned: readonly MomentLoop[],
  held: readonly MomentLoop[],
  fold: number,
): readonly JudgedLoop[] {
  const source = sourceOf({ ...SHIPPED_ODDS, [kind]: fit(kind, learned) })
  return held.map((loop) => judgedBy(source, loop, fold))
}

function judgedBy(source: Source, loop: MomentLoop, fold: number): JudgedLoop {
  const chances = loop.moments.map((moment) => {
    const odds = moment && oddsAt(moment, undefined, source)
    return odds?.status === 'known' ? odds.chance : undefined
  })
  const deciding = chances.map((chance, index) => (index + 1 < GIVEN_UP_FROM_ITERATION ? undefined : chance))
  return { ...loop, fold, chances, deciding }
}

/** Always the same for a task: a hash of its name (FNV-1a, well mixed). */
function foldOf(task: string): number {
  let hash = 2166136261
  for (let index = 0; index < task.length; index++) hash = Math.imul(hash ^ task.charCodeAt(index), 16777619)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % FOLDS
}
