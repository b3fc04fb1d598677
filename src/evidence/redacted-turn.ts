import type { TranscriptCall, TranscriptTurn } from './transcripts/transcript-turn.ts'
import { redactJson, redactSaid } from '../secrets/filter.ts'
import { hasSecretHint } from '../secrets/hint.ts'

/**
 * A turn without secrets in all that is shortened for facts: what was said, what tools were told. What tools returned stays as it was: of
 * that only digests and reports become facts.
 */
export async function redactedTurn(turn: TranscriptTurn): Promise<TranscriptTurn> {
  const { prompt, words } = turn
  return {
    ...turn,
    words: hasSecretHint(words) ? await redactSaid(words) : words,
    ...(prompt ? { prompt: await redactJson(prompt) } : {}),
    calls: await Promise.all(turn.calls.map(redactedCall)),
  }
}

async function redactedCall(call: TranscriptCall): Promise<TranscriptCall> {
  const { input, shell } = call
  return {
    ...call,
    input: await redactJson(input),
    ...(shell ? { shell: { ...shell, command: await redactJson(shell.command) } } : {}),
  }
}
