import type { HookCall } from './hook-call.ts'

/** What a hook tells its agent. */
export type HookAnswer =
  /** Nothing is in the way; `note` is for the person at the screen. */
  | { readonly kind: 'pass'; readonly note?: string }
  /** Go on working: `reason` is what the agent is told. */
  | { readonly kind: 'block'; readonly reason: string; readonly note: string }
  /** Something the agent should know while it works; `note` is for the person at the screen. */
  | { readonly kind: 'tell'; readonly text: string; readonly note?: string }
  /** End the turn now. */
  | { readonly kind: 'halt'; readonly reason: string }

/** The agents cut longer texts, some of them without a word. */
const REASON_LENGTH_MAX = 9500

/** The answer in the agent's own shape: one line of JSON. */
export function answerText({ agent, event }: Pick<HookCall, 'agent' | 'event'>, answer: HookAnswer): string {
  switch (answer.kind) {
    case 'pass':
      return JSON.stringify(answer.note === undefined ? {} : { systemMessage: answer.note })
    case 'block': {
      const decision = agent === 'gemini' ? 'deny' : 'block'
      return JSON.stringify({ decision, reason: cut(answer.reason), systemMessage: answer.note })
    }
    case 'tell':
      return JSON.stringify({
        hookSpecificOutput: { hookEventName: event, additionalContext: cut(answer.text) },
        ...(answer.note === undefined ? {} : { systemMessage: answer.note }),
      })
    case 'halt':
      return JSON.stringify({ continue: false, stopReason: cut(answer.reason) })
  }
}

function cut(text: string): string {
  return text.length <= REASON_LENGTH_MAX ? text : `${text.slice(0, REASON_LENGTH_MAX - CUT.length)}${CUT}`
}

const CUT = '\n[cut]'
