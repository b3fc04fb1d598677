import type { Suspicion, SuspicionKind } from '../../suspicion.ts'
import { shortened } from '../../wording.ts'

const TEXT_LENGTH_MAX = 200

/** A suspicion with its line in one short piece. */
export function suspicion(kind: SuspicionKind, file: string, line: number | undefined, text: string): Suspicion {
  return { kind, file, ...(line === undefined ? {} : { line }), text: shortened(text.trim(), TEXT_LENGTH_MAX) }
}
