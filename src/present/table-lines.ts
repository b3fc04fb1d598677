import type { Screen } from './screen.ts'
import { oneLine, padded, textWidth } from './text-layout.ts'

/** Rows under their titles in aligned columns: the first to the left, numbers to the right. */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  { paint }: Pick<Screen, 'paint'>,
): readonly string[] {
  const texts = [titles, ...rows.map((row) => row.map(oneLine))]
  const widths = titles.map((_, column) => Math.max(...texts.map((row) => textWidth(row[column] ?? ''))))
  return texts.map((row, index) => {
    const cells = row.map((text, column) => padded(text, widths[column] ?? 0, column === 0 ? 'left' : 'right'))
    const line = cells.join(GAP).trimEnd()
    return index === 0 ? paint('dim', line) : line
  })
}

const GAP = '  '
