import { randomFrom } from '../../src/evidence/backtest/bootstrap.ts'

/** One tree: node 0 is its root; a leaf has `feature` -1. */
export interface Tree {
  readonly feature: number[]
  readonly threshold: number[]
  readonly left: number[]
  readonly right: number[]
  readonly value: number[]
}

export interface BoostedTrees {
  readonly base: number
  readonly trees: readonly Tree[]
}

export interface TreeOptions {
  readonly trees: number
  /** How much of each tree is taken. */
  readonly rate: number
  readonly depthMax: number
  readonly leafMin: number
  /** Weight that pulls every leaf to nothing. */
  readonly shrinkage: number
  readonly binsMax: number
  /** Share of the rows that each tree sees, drawn again for each by a seeded generator: what depends on a few rows is averaged out. */
  readonly rowShare: number
  /** For each feature: 1 if the chance may only grow with it, -1 if it may only fall, 0 if it is free. */
  readonly direction: readonly number[]
}

/**
 * Fits small trees one after the other to yes and no, each to what the ones before left over (gradient boosting with Newton's step).
 * Deterministic: rows are drawn by a seeded generator. The directions hold for the whole model, as they hold for every tree.
 */
export function boostedTrees(rows: readonly (readonly number[])[], yes: readonly number[], options: TreeOptions): BoostedTrees {
  const binned = binsOf(rows, options.binsMax)
  const rate = yes.reduce((sum, each) => sum + each, 0) / yes.length
  const base = Math.log(rate / (1 - rate))
  const margin = new Float64Array(rows.length).fill(base)
  const gradient = new Float64Array(rows.length)
  const weight = new Float64Array(rows.length)
  const trees: Tree[] = []
  const random = randomFrom(rows.length)
  const all = Uint32Array.from(rows, (_row, index) => index)
  for (let count = 0; count < options.trees; count++) {
    const drawn = options.rowShare < 1 ? all.filter(() => random() < options.rowShare) : all
    for (let row = 0; row < rows.length; row++) {
      const chance = 1 / (1 + Math.exp(-(margin[row] ?? 0)))
      gradient[row] = (yes[row] ?? 0) - chance
      weight[row] = chance * (1 - chance)
    }
    const tree = grown({ binned, gradient, weight, options }, drawn)
    for (let row = 0; row < rows.length; row++)
      margin[row] = (margin[row] as number) + valueOf(tree, rows[row] as readonly number[])
    trees.push(tree)
  }
  return { base, trees }
}

/** The margin (logit) that trees give to one row. */
export function marginOf({ base, trees }: BoostedTrees, row: readonly number[]): number {
  return trees.reduce((margin, tree) => margin + valueOf(tree, row), base)
}

function valueOf({ feature, threshold, left, right, value }: Tree, row: readonly number[]): number {
  let node = 0
  while ((feature[node] as number) >= 0) {
    const isLeft = (row[feature[node] as number] as number) <= (threshold[node] as number)
    node = (isLeft ? left[node] : right[node]) as number
  }
  return value[node] as number
}

interface Binned {
  readonly cuts: readonly (readonly number[])[]
  readonly bins: readonly Uint8Array[]
}

function binsOf(rows: readonly (readonly number[])[], binsMax: number): Binned {
  const cuts: number[][] = []
  const bins: Uint8Array[] = []
  for (let feature = 0; feature < (rows[0]?.length ?? 0); feature++) {
    const values = Float64Array.from(rows, (row) => row[feature] as number).toSorted()
    const cut = cutsOf(values, binsMax)
    cuts.push(cut)
    bins.push(Uint8Array.from(rows, (row) => firstAtLeast(cut, row[feature] as number)))
  }
  return { cuts, bins }
}

/** Half-way between neighbours; of too many values those that part the rows evenly. */
function cutsOf(sorted: Float64Array, binsMax: number): number[] {
  const different = [...new Set(sorted)]
  const halfway = different.slice(1).map((value, index) => (value + (different[index] as number)) / 2)
  if (halfway.length < binsMax) return halfway
  const chosen = new Set<number>()
  for (let count = 1; count < binsMax; count++) {
    const value = sorted[Math.floor((sorted.length * count) / binsMax)] as number
    const index = different.indexOf(value)
    if (index < halfway.length) chosen.add(halfway[index] as number)
  }
  return [...chosen].toSorted((one, other) => one - other)
}

function firstAtLeast(cuts: readonly number[], value: number): number {
  let index = 0
  while (index < cuts.length && value > (cuts[index] as number)) index++
  return index
}

interface Growth {
  readonly binned: Binned
  readonly gradient: Float64Array
  readonly weight: Float64Array
  readonly options: TreeOptions
}

interface Split {
  readonly feature: number
  readonly bin: number
  readonly leftValue: number
  readonly rightValue: number
}

function grown(growth: Growth, rows: Uint32Array): Tree {
  const tree: Tree = { feature: [], threshold: [], left: [], right: [], value: [] }
  grow(growth, tree, rows, 0, -Infinity, Infinity)
  return tree
}

/** `lowest` and `highest` bound the values below a node, so that a direction holds between far leaves too. */
function grow(growth: Growth, tree: Tree, rows: Uint32Array, depth: number, lowest: number, highest: number): number {
  const { binned, options } = growth
  const node = tree.feature.length
  const [gradient, weight] = sums(growth, rows)
  const value = clamped(gradient / (weight + options.shrinkage), lowest, highest)
  tree.feature.push(-1)
  tree.threshold.push(0)
  tree.left.push(-1)
  tree.right.push(-1)
  tree.value.push(options.rate * value)
  const split = depth < options.depthMax ? bestSplit(growth, rows, gradient, weight, lowest, highest) : undefined
  if (!split) return node
  const { feature, bin, leftValue, rightValue } = split
  const bins = binned.bins[feature] as Uint8Array
  const middle = (leftValue + rightValue) / 2
  const direction = options.direction[feature] ?? 0
  tree.feature[node] = feature
  tree.threshold[node] = binned.cuts[feature]?.[bin] as number
  const isLeft = (row: number): boolean => (bins[row] as number) <= bin
  tree.left[node] = grow(
    growth,
    tree,
    rows.filter(isLeft),
    depth + 1,
    direction < 0 ? Math.max(lowest, middle) : lowest,
    direction > 0 ? Math.min(highest, middle) : highest,
  )
  tree.right[node] = grow(
    growth,
    tree,
    rows.filter((row) => !isLeft(row)),
    depth + 1,
    direction > 0 ? Math.max(lowest, middle) : lowest,
    direction < 0 ? Math.min(highest, middle) : highest,
  )
  return node
}

function sums({ gradient, weight }: Growth, rows: Uint32Array): [number, number] {
  let gradients = 0
  let weights = 0
  for (const row of rows) {
    gradients += gradient[row] as number
    weights += weight[row] as number
  }
  return [gradients, weights]
}

function clamped(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value))
}

function bestSplit(
  { binned, gradient, weight, options }: Growth,
  rows: Uint32Array,
  gradients: number,
  weights: number,
  lowest: number,
  highest: number,
): Split | undefined {
  const { leafMin, shrinkage, direction } = options
  if (rows.length < 2 * leafMin) return undefined
  const gain = (value: number, sum: number, mass: number): number => 2 * value * sum - value * value * (mass + shrinkage)
  const parent = clamped(gradients / (weights + shrinkage), lowest, highest)
  let best = gain(parent, gradients, weights) + GAIN_MIN
  let split: Split | undefined
  for (const [feature, bins] of binned.bins.entries()) {
    const size = (binned.cuts[feature]?.length ?? 0) + 1
    if (size === 1) continue
    const inBin = new Float64Array(3 * size)
    for (const row of rows) {
      const at = 3 * (bins[row] as number)
      inBin[at] = (inBin[at] as number) + (gradient[row] as number)
      inBin[at + 1] = (inBin[at + 1] as number) + (weight[row] as number)
      inBin[at + 2] = (inBin[at + 2] as number) + 1
    }
    let [sum, mass, count] = [0, 0, 0]
    for (let bin = 0; bin < size - 1; bin++) {
      sum += inBin[3 * bin] as number
      mass += inBin[3 * bin + 1] as number
      count += inBin[3 * bin + 2] as number
      if (count < leafMin || rows.length - count < leafMin) continue
      const leftValue = clamped(sum / (mass + shrinkage), lowest, highest)
      const rightValue = clamped((gradients - sum) / (weights - mass + shrinkage), lowest, highest)
      if ((direction[feature] ?? 0) * (rightValue - leftValue) < 0) continue
      const total = gain(leftValue, sum, mass) + gain(rightValue, gradients - sum, weights - mass)
      if (total > best) {
        best = total
        split = { feature, bin, leftValue, rightValue }
      }
    }
  }
  return split
}

const GAIN_MIN = 1e-6
