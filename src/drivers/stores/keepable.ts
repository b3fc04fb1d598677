import { hash } from 'node:crypto'
import type { TextRef } from '../../core/event-data.ts'
import { redactJson, redactText } from '../../journal/redact.ts'
import { hasSecretHint } from '../../journal/secret-hint.ts'
import type { Captured } from '../../ports/captured.ts'
import type { Snapshot } from '../../ports/store.ts'

/** A text as a store keeps it: free of secrets, with the reference by which it is found again. */
export async function keepableText(text: Captured): Promise<{ readonly content: Buffer; readonly ref: TextRef }> {
  const content = Buffer.from(hasSecretHint(text.text) ? await redactText(text.text) : text.text, 'utf8')
  const ref = { sha256: hash('sha256', content), bytes: content.byteLength }
  return { content, ref: text.bytesCut > 0 ? { ...ref, bytesCut: text.bytesCut } : ref }
}

/**
 * Whether a snapshot may be kept: one with a secret in it is dropped. Redacting it would make it differ from the fold of the
 * journal, and a snapshot that is not there changes nothing.
 */
export async function isKeepable({ state }: Snapshot): Promise<boolean> {
  const text = JSON.stringify(state)
  return !hasSecretHint(text) || JSON.stringify(await redactJson(state)) === text
}
