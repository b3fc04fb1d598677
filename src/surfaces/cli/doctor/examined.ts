/** `absent`: something nobody asked for is not there, which is fine. Only a `problem` makes the doctor unhappy. */
export type Health = 'ok' | 'absent' | 'warning' | 'problem'

/** One thing that was looked at. */
export interface Examined {
  readonly topic: string
  readonly status: Health
  readonly message: string
  /** What mends it. */
  readonly fix?: string
}
