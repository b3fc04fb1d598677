import type { Edit } from './edit.ts'

/** An edit that was kept, with the text it replaced; the offsets are those of the text it was made in. */
export interface KeptEdit extends Pick<Edit, 'start' | 'end' | 'replacement'> {
  readonly path: string
  readonly replaced: string
}

/**
 * Takes one of the kept edits out of the present text of its file and leaves the later ones in place. Comes back with the text
 * and the other edits, as if that one had never been made; `undefined` where a later edit touches it.
 */
export function takeBack<Kept extends KeptEdit>(
  text: string,
  kept: readonly Kept[],
  index: number,
): { text: string; kept: Kept[] } | undefined {
  const edit = kept[index]!
  const growth = edit.replacement.length - edit.replaced.length
  const others = kept.slice(0, index)
  let start = edit.start
  for (const later of kept.slice(index + 1)) {
    const isBefore = later.end <= start
    const isBehind = later.start >= start + edit.replacement.length
    if (later.path !== edit.path) others.push(later)
    else if (isBefore) {
      others.push(later)
      start += later.replacement.length - later.replaced.length
    } else if (isBehind) others.push({ ...later, start: later.start - growth, end: later.end - growth })
    else return undefined
  }
  const end = start + edit.replacement.length
  return { text: text.slice(0, start) + edit.replaced + text.slice(end), kept: others }
}
