import type { SequencePair } from './sequence-pair.ts'

/** At most so many elements can match: those that both sequences have, in whatever order. */
export function matchedAtMost({ a, b }: SequencePair): number {
  const counts = new Map<number, number>()
  const table = new Int32Array(TABLE_SIZE)
  for (const element of b) {
    if (element < TABLE_SIZE) (table[element] as number)++
    else counts.set(element, (counts.get(element) ?? 0) + 1)
  }
  let common = 0
  for (const element of a) {
    if (element < TABLE_SIZE) {
      if ((table[element] as number)-- > 0) common++
    } else {
      const count = counts.get(element) ?? 0
      if (count > 0) common++
      counts.set(element, count - 1)
    }
  }
  return common
}

/** At least so many elements match, unless popular ones are left out: `difflib` begins with the longest match there is. */
export function matchedAtLeast({ a, b }: SequencePair): number {
  const lengthMax = Math.min(a.length, b.length)
  let atStart = 0
  while (atStart < lengthMax && a[atStart] === b[atStart]) atStart++
  let atEnd = 0
  while (atEnd < lengthMax && a[a.length - 1 - atEnd] === b[b.length - 1 - atEnd]) atEnd++
  return Math.max(atStart, atEnd)
}

/** Nearly all characters of source code, and the first lines of anything. */
const TABLE_SIZE = 1024
