import { redactText } from '../../../journal/redact.ts'
import { hasSecretHint } from '../../../journal/secret-hint.ts'
import type { Captured } from '../../../ports/captured.ts'
import { eventIn, initialReading, type StreamReader } from './stream-reading.ts'

/**
 * What an agent printed, without messages that came in pieces and together hold a secret: in the single events there are only parts of it,
 * and no rule knows those.
 */
export async function withoutSplitSecrets(reader: StreamReader, printed: Captured): Promise<Captured> {
  const lines = printed.text.split('\n')
  const kept: string[] = []
  let message = ''
  let pieces: string[] = []
  const endMessage = async (): Promise<void> => {
    const isSecret = pieces.length > 1 && hasSecretHint(message) && (await redactText(message)) !== message
    if (isSecret) kept.push(LEFT_OUT)
    else kept.push(...pieces)
    message = ''
    pieces = []
  }
  for (const line of lines) {
    const piece = pieceIn(reader, line)
    if (piece === undefined) {
      if (pieces.length > 0) await endMessage()
      kept.push(line)
    } else {
      message += piece
      pieces.push(line)
    }
  }
  await endMessage()
  return { ...printed, text: kept.join('\n') }
}

const LEFT_OUT = '[a message in pieces is left out: there is a secret in it]'

/** The words that an event adds to a message that goes on; `undefined` for any other line. */
function pieceIn(reader: StreamReader, line: string): string | undefined {
  const event = eventIn(line)
  if (!event) return undefined
  const { isMessageOpen, message } = reader.event(initialReading, event)
  return isMessageOpen ? message : undefined
}
