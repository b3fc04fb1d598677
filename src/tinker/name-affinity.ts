/**
 * How easily one name is written for another, 0..1: names that share words (`itemCount`, `itemTotal`), that are
 * opposites (`start`, `end`), that are one slip of the keys apart, or that are both a single letter.
 */
export function nameAffinity(first: string, second: string): number {
  const [left, right] = [wordsOf(first), wordsOf(second)]
  const opposite = left.some((word) =>
    right.some((other) => OPPOSITES.has(`${word} ${other}`) || OPPOSITES.has(`${other} ${word}`)),
  )
  if (opposite) return 1
  if (first.length === 1 && second.length === 1) return 0.7
  const shared = left.filter((word) => right.includes(word)).length
  const overlap = shared / Math.max(left.length, right.length)
  const [short, long] = [first.toLowerCase(), second.toLowerCase()].toSorted((a, b) => a.length - b.length) as [string, string]
  const isPart = short.length >= 2 && (long.startsWith(short) || long.endsWith(short))
  return Math.max(overlap, isPart ? 0.7 : 0, isOneSlip(short, long) ? 0.9 : 0)
}

/** The words of a name in lower case: `maxItemCount` and `max_item_count` give max, item, count. */
export function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase())
}

const OPPOSITES: ReadonlySet<string> = new Set(
  `start end|begin end|first last|min max|minimum maximum|lower upper|low high|from to|left right|width height|row column|row col|rows columns|x y|before after|next previous|next prev|older newer|old new|source target|open close|opened closed|gross net|price quantity|price qty|total subtotal|sum count|key value|in out|read write|input output|index count|length index|earlier later|arrival departure|credit debit|debit credit|head tail|parent child|hours minutes|minutes seconds|day month|month year`.split(
    '|',
  ),
)

/** One letter added, left out, changed, or two neighbours exchanged. */
function isOneSlip(short: string, long: string): boolean {
  if (short.length < 3 || long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1)
  const isChanged = short.slice(at + 1) === long.slice(at + 1)
  const isExchanged = short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
  return isChanged || isExchanged
}
