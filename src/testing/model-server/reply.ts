import type { Json } from '../../core/json.ts'

/** What the scripted model answers: words, a call of a tool, both, or one of the ways in which providers fail. */
export type ModelReply = ModelAnswer | ModelFault

export interface ModelAnswer {
  readonly say?: string
  /** The tool the agent is to call. `input` is an object, or a text for tools that take one. */
  readonly call?: { readonly name: string; readonly input: Json }
  readonly usage?: ModelUsage
}

export interface ModelUsage {
  /** Default 100. */
  readonly inputTokens?: number
  /** Default 10. */
  readonly outputTokens?: number
}

/**
 * - `unauthorized` 401.
 * - `rate-limited` 429, with the time of the reset where the API puts it. Default: in 20 s, of a limit per minute, which agents wait
 *   for; with `isUsedUp` of a plan's or a day's amount, which they do not.
 * - `server-error` 500.
 * - `cut-stream` the connection breaks in the middle of an event.
 * - `slow-stream` the answer comes, with `gapMs` before each event. Default 1000.
 * - `nonsense` status 200 and an answer that is not JSON, or one whose events come in the wrong order (without streaming: an
 *   answer of the wrong shape).
 */
export type ModelFault =
  | { readonly fault: 'unauthorized' }
  | { readonly fault: 'rate-limited'; readonly resetInSeconds?: number; readonly isUsedUp?: boolean }
  | { readonly fault: 'server-error' }
  | ({ readonly fault: 'cut-stream' } & ModelAnswer)
  | ({ readonly fault: 'slow-stream'; readonly gapMs?: number } & ModelAnswer)
  | ({ readonly fault: 'nonsense'; readonly kind: 'not-json' | 'wrong-order' } & ModelAnswer)

/** Whether a reply is a failure. */
export function isFault(reply: ModelReply): reply is ModelFault {
  return 'fault' in reply
}
