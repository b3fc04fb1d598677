import type { State } from '../../core/state.ts'
import { type Moment, momentOf, placeOf } from './moment.ts'
import { type GivenChance, type KindData, ODDS_KINDS, type OddsData, type OddsKind } from './odds-data.ts'
import type { OwnOdds } from './own-odds.ts'
import { SHIPPED_ODDS } from './shipped-odds.ts'

/** What is known of the chance that a run still succeeds. */
export type Odds = KnownOdds | UnknownOdds

export interface KnownOdds {
  readonly status: 'known'
  readonly kind: OddsKind
  /** Which iteration at the present goal has ended, counted from 1. */
  readonly iteration: number
  /** That it succeeds in the iterations that are left, 0..1. */
  readonly chance: number
  /** That it succeeds in the next 1, 2, 3 … iterations; the last is `chance`. */
  readonly chanceWithin: readonly number[]
  /** How many recorded moments were given about the chance that the recorded loops alone say, by a fit that had not seen their loops. */
  readonly given: number
  /** Between which chances theirs were. */
  readonly givenChances: readonly [least: number, most: number]
  /** From how many of these the loop still succeeded. */
  readonly endedWell: number
  /** What the recorded loops alone say, before one's own move it. */
  readonly chanceRecorded: number
  /** How many loops of one's own moved it. */
  readonly ownLoops: number
}

/** Not enough evidence. */
export interface UnknownOdds {
  readonly status: 'unknown'
  /** Of what too few are recorded: loops that got here with as many iterations left, or moments of the same sort. */
  readonly tooFew: 'loops' | 'moments'
  /** How many of these are recorded; 0 even if they are so few that they were not counted. */
  readonly recorded: number
}

/** With fewer recorded loops that got here with as many iterations left, nothing is known: too few to show a small chance. */
const STOOD_MIN = 100

/** Fewer moments of the same sort than this are not enough evidence. */
export const SIMILAR_MIN = 30

/**
 * The chance that a run succeeds from here, learned from recorded loops and moved by one's own where there are any. Nothing if the
 * question makes no sense: before the first iteration has ended, after a pass, after the last iteration. A pure function of the state.
 */
export function oddsOf(state: State, own?: OwnOdds): Odds | undefined {
  const moment = momentOf(state)
  return moment && oddsAt(moment, own)
}

/** The same for a moment that is known already. `from` is what is asked instead of what ships, to try it out. */
export function oddsAt(moment: Moment, own?: OwnOdds, from: Source = shipped()): Odds {
  const { kind, iteration, iterationsLeft, traits } = moment
  const { data, forest, similarIn } = from[kind]
  const stood = data.stood[iteration - 1]?.[iterationsLeft - 1] ?? 0
  if (stood < STOOD_MIN) return { status: 'unknown', tooFew: 'loops', recorded: stood }
  const ofSort = similarIn.get(similarCell(moment)) ?? 0
  if (ofSort < SIMILAR_MIN) return { status: 'unknown', tooFew: 'moments', recorded: ofSort }
  const learned = chanceOf(boostedMargin(forest, traits))
  const [least, most] = believable(moment, learned, data)
  const chanceRecorded = Math.min(most, Math.max(least, learned))
  const mine = own?.[kind]
  const chance = mine ? Math.min(most, Math.max(least, chanceOf(marginOf(chanceRecorded) + mine.shift))) : chanceRecorded
  const shares = data.within[iterationsLeft - 1] ?? [1]
  const chanceWithin = shares.map((share) => share * chance)
  const ownLoops = mine?.loops ?? 0
  return { status: 'known', kind, iteration, chance, chanceWithin, ...givenAbout(chanceRecorded, data), chanceRecorded, ownLoops }
}

/** What became of the recorded moments that were given about this chance. */
function givenAbout(chance: number, { given: parts }: KindData): Pick<KnownOdds, 'given' | 'givenChances' | 'endedWell'> {
  const index = parts.findIndex(([chanceMax]) => chance <= chanceMax)
  const [most, given, endedWell] = parts[index] ?? NONE
  return { given, givenChances: [parts[index - 1]?.[0] ?? 0, most], endedWell }
}

/** In a circle no high chance is believed and elsewhere none so low, whoever says so. What is not believed to be so low keeps its order. */
function believable(moment: Moment, learned: number, { circleChance }: KindData): readonly [least: number, most: number] {
  return isCircle(moment) ? [0, circleChance] : [circleChance + learned / 100, 1]
}

/** Learned data made ready to be asked. */
export type Source = Readonly<Record<OddsKind, Ready>>

interface Ready {
  readonly data: KindData
  readonly forest: Forest
  readonly similarIn: ReadonlyMap<number, number>
}

const NONE: GivenChance = [1, 0, 0]

/** Makes data ready. */
export function sourceOf(data: OddsData): Source {
  return Object.fromEntries(ODDS_KINDS.map((kind) => [kind, readyOf(data[kind])])) as Source
}

function readyOf(data: KindData): Ready {
  const words = data.similar.split(' ').map(Number)
  const similarIn = new Map<number, number>()
  for (let index = 0; index + 1 < words.length; index += 2) similarIn.set(words[index] as number, words[index + 1] as number)
  return { data, forest: forestOf(data), similarIn }
}

/** Unpacked when it is first asked: most processes never ask. */
function shipped(): Source {
  ready ??= sourceOf(SHIPPED_ODDS)
  return ready
}

let ready: Source | undefined

function chanceOf(margin: number): number {
  return 1 / (1 + Math.exp(-margin))
}

function marginOf(chance: number): number {
  return Math.log(chance / (1 - chance))
}

/** Trees in a form that is quick to walk: a node each place, its left side at the next place. */
export interface Forest {
  readonly base: number
  readonly roots: Int32Array
  /** The trait a fork asks about; -1 for a leaf. */
  readonly traits: Int16Array
  /** The threshold of a fork, the value of a leaf. */
  readonly numbers: Float64Array
  readonly rights: Int32Array
}

/** Unpacks the trees of one kind. */
export function forestOf({ base, trees }: Pick<KindData, 'base' | 'trees'>): Forest {
  const roots: number[] = []
  const traits: number[] = []
  const numbers: number[] = []
  const rights: number[] = []
  for (const tree of trees) {
    roots.push(traits.length)
    const words = tree.split(' ')
    // Forks whose right side is still to come.
    const open: number[] = []
    for (let index = 0; index < words.length; index += 2) {
      const node = traits.length
      const trait = Number(words[index])
      traits.push(trait)
      numbers.push(Number(words[index + 1]))
      rights.push(-1)
      if (trait >= 0) open.push(node)
      else if (open.length > 0) rights[open.pop() as number] = node + 1
    }
  }
  return {
    base,
    roots: Int32Array.from(roots),
    traits: Int16Array.from(traits),
    numbers: Float64Array.from(numbers),
    rights: Int32Array.from(rights),
  }
}

/** The margin (logit) that a forest gives to a moment. */
export function boostedMargin({ base, roots, traits, numbers, rights }: Forest, moment: readonly number[]): number {
  let margin = base
  for (let tree = 0; tree < roots.length; tree++) {
    let node = roots[tree] as number
    let trait = traits[node] as number
    while (trait >= 0) {
      node = (moment[trait] as number) <= (numbers[node] as number) ? node + 1 : (rights[node] as number)
      trait = traits[node] as number
    }
    margin += numbers[node] as number
  }
  return margin
}

/**
 * The cell in which recorded moments are counted that are of the same sort as one: about the same place, repeating themselves at least as
 * much (not at all, once, in a circle), and with a score or without, as it is.
 */
function similarCell(moment: Moment): number {
  return cellAt(moment.iteration, moment.iterationsLeft, sortOf(moment))
}

/** The cell of one sort of moments at one place. */
export function cellAt(iteration: number, iterationsLeft: number, sort: number): number {
  return (iteration * PLACES + iterationsLeft) * SORTS + sort
}

/** Which of the six sorts a moment is of. */
function sortOf(moment: Moment): number {
  return 2 * repetition(moment) + Number((moment.traits[SCORE] as number) > 0)
}

/** The sorts a moment counts for: its own, and those that repeat themselves less. */
export function sortsUpTo(moment: Moment): readonly number[] {
  const sort = sortOf(moment)
  return [sort, sort - 2, sort - 4].filter((each) => each >= 0)
}

function repetition(moment: Moment): 0 | 1 | 2 {
  if (isCircle(moment)) return 2
  return Math.max(moment.traits[ERROR_STREAK] as number, moment.traits[WORK_STREAK] as number) > 1 ? 1 : 0
}

/** More than any recorded loop has iterations. */
const PLACES = 100
const SORTS = 6

const WORK_STREAK = placeOf('workStreak')
const SCORE = placeOf('score')

/**
 * Whether a loop goes round in circles: attempts, when the same work was handed in three times; turns, when the same error came three
 * times in a row. An attempt that tries something else and meets with the same error is no circle.
 */
function isCircle({ kind, traits }: Pick<Moment, 'kind' | 'traits'>): boolean {
  return (traits[kind === 'attempts' ? WORK_COUNT : ERROR_STREAK] as number) >= REPEATS_MIN
}

const REPEATS_MIN = 3
const WORK_COUNT = placeOf('workCount')
const ERROR_STREAK = placeOf('errorStreak')
