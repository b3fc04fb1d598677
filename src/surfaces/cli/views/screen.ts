import type { Terminal } from '../terminal.ts'

/** What a view must know of the terminal: how wide it is, and how to colour. */
export type Screen = Pick<Terminal, 'columns' | 'paint'>
