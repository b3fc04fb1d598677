import type { Support } from '../../../settings/agent-presets.ts'

/** `absent`: something nobody asked for is not there, which is fine. Only a `problem` makes the doctor unhappy. */
export type Health = 'ok' | 'absent' | 'warning' | 'problem'

/** One thing that was looked at. */
export interface Examined {
  readonly topic: string
  readonly status: Health
  readonly message: string
  /** What mends it. */
  readonly fix?: string
  /** Of an agent: whether somebody seems to be logged in. */
  readonly login?: Login
  /** Of an agent: what Pawl can use of it. */
  readonly supports?: readonly Support[]
  /** Of an agent: the parts that pawl.yaml gives it, in words. */
  readonly parts?: readonly string[]
}

/** What shows a log-in, by its name only; or how to log in. */
export type Login = { readonly status: 'found'; readonly by: string } | { readonly status: 'none'; readonly how: string }
