/** What the checks of one iteration add up to. */
export interface Verdict {
  readonly passed: boolean
  /** 0..1; 1 only when everything passed. */
  readonly score: number
  /** Failing tests, or failing checks where tests are not known. */
  readonly failing: number
}
