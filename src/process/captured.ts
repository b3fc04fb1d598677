/** Text a process or tool produced, kept within bounds: the head and the tail, and how much between them was cut. */
export interface Captured {
  readonly text: string
  /** Bytes left out of `text`. */
  readonly bytesCut: number
}
