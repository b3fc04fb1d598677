import type { Terminal } from './terminal.ts'

/** What a view must know of the terminal: how wide it is, and how to colour. */
export type Screen = Pick<Terminal, 'columns' | 'tableColumns' | 'paint'>

/** How wide a table may be. */
export function tableColumns({ columns, tableColumns: own = columns }: Screen): number {
  return own
}
