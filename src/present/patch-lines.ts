import type { Terminal } from './terminal.ts'
import { safeText } from './text-layout.ts'

/**
 * The lines of a patch. Where a person looks they are coloured and cannot do anything to the terminal; where a program reads they
 * are as they are, so that the patch can be applied.
 */
export function* patchLines(patch: string, { isLive, paint }: Pick<Terminal, 'isLive' | 'paint'>): Generator<string> {
  if (patch === '') return
  const isSeen = isLive || paint('red', 'x') !== 'x'
  const lines = patch.endsWith('\n') ? patch.slice(0, -1).split('\n') : patch.split('\n')
  let isHead = true
  for (const line of lines) {
    if (line.startsWith('diff --git ')) isHead = true
    else if (line.startsWith('@@')) isHead = false
    yield isSeen ? painted(safeText(line), isHead, paint) : line
  }
}

function painted(line: string, isHead: boolean, paint: Terminal['paint']): string {
  if (isHead) return paint('bold', line)
  if (line.startsWith('+')) return paint('green', line)
  if (line.startsWith('-')) return paint('red', line)
  return line.startsWith('@@') ? paint('cyan', line) : line
}
