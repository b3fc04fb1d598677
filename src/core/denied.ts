/** What an agent wanted to do and was denied by its own rules, where it tells so. */
export interface Denied {
  readonly calls: number
  /** One sentence, with what it wanted to do. */
  readonly message: string
  /** What would allow it. */
  readonly fix: string
}
