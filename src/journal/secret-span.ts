/** Where a secret stands in a text, and what kind it is (`github`, `password`, `private-key`). */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
}
