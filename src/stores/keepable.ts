import { hash } from 'node:crypto'
import type { TextRef } from '../core/event-data.ts'
import { redactJson, redactSaid } from '../secrets/filter.ts'
import { hasSecretHint } from '../secrets/hint.ts'
import type { Captured } from '../process/captured.ts'
import type { Snapshot } from './store.ts'

/** A text as a store keeps it: free of secrets, with the reference by which it is found again. */
export interface KeepableText {
  readonly content: Buffer
  readonly ref: TextRef
}

/** Makes a text fit to be kept. A promise only when something in it may be a secret: most texts need not wait. */
export function keepableText({ text, bytesCut }: Captured): KeepableText | Promise<KeepableText> {
  const content = Buffer.from(text, 'utf8')
  if (!hasSecretHint(text)) return asKeepable(content, bytesCut)
  return redactSaid(text).then((redacted) => asKeepable(Buffer.from(redacted, 'utf8'), bytesCut))
}

function asKeepable(content: Buffer, bytesCut: number): KeepableText {
  const ref = { sha256: hash('sha256', content), bytes: content.byteLength }
  return { content, ref: bytesCut > 0 ? { ...ref, bytesCut } : ref }
}

/**
 * The state of a snapshot as text, or nothing where it must not be kept: one with a secret in it is dropped. Redacting it would make
 * it differ from the fold of the journal, and a snapshot that is not there changes nothing.
 */
export async function keepableState({ state }: Snapshot): Promise<string | undefined> {
  const text = JSON.stringify(state)
  return !hasSecretHint(text) || JSON.stringify(await redactJson(state)) === text ? text : undefined
}
