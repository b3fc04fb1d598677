import type { KindData } from './odds-data.ts'

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
