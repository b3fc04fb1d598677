import type { Bound } from './bound.ts'

/** Something worth measuring, always as a ratio: an absolute time says more about the machine than about Pawl. */
export interface Figure {
  readonly name: string
  readonly bound: Bound
  /** `say` shows what is measured now. */
  measure(say: (line: string) => void): Promise<Measurement>
}

/** What came of measuring: a number, or the reason why there is none. A number is never invented. */
export type Measurement =
  | {
      readonly status: 'measured'
      readonly value: number
      /** How it was measured and how much it varied, a sentence or two a line. */
      readonly details: readonly string[]
    }
  | { readonly status: 'unmeasured'; readonly reason: string }
