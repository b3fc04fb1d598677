import type { Edit } from './edit.ts'

/** An edit that was kept, with the text it replaced. */
export interface KeptEdit extends Pick<Edit, 'start' | 'end' | 'replacement'> {
  readonly path: string
  readonly replaced: string
}

/**
 * The present text of a file without one of its kept edits, the later ones left in place; `undefined` where a later edit
 * touches it, so that it cannot be taken back alone.
 */
export function takeBack(text: string, kept: KeptEdit, later: readonly KeptEdit[]): string | undefined {
  let start = kept.start
  for (const edit of later) {
    if (edit.path !== kept.path) continue
    const isBefore = edit.end <= start
    const isAfter = edit.start >= start + kept.replacement.length
    if (!isBefore && !isAfter) return undefined
    if (isBefore) start += edit.replacement.length - (edit.end - edit.start)
  }
  const end = start + kept.replacement.length
  return text.slice(start, end) === kept.replacement ? text.slice(0, start) + kept.replaced + text.slice(end) : undefined
}
