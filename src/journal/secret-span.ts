/** Where a secret stands in a text, and what kind it is (`github`, `password`, `private-key`, or the name of a variable). */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
  /** Set when it is the whole secret and nothing else: its line stays. */
  readonly isExact?: true
}
