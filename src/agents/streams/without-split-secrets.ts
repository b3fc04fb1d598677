import { redactText } from '../../secrets/filter.ts'
import { hasSecretHint } from '../../secrets/hint.ts'
import type { Captured } from '../../process/output.ts'
import { eventIn, initialReading, type StreamReader } from './stream-reading.ts'

/**
 * What an agent printed, without messages that came in pieces and together hold a secret: in the single events there are only parts of it,
 * and no rule knows those. A line that does not end a message for the reader, such as a warning on standard error, does not end it here.
 */
export async function withoutSplitSecrets(reader: StreamReader, printed: Captured): Promise<Captured> {
  const kept: string[] = []
  let held: Read[] = []
  const endMessage = async (): Promise<void> => {
    const isSecret = await isSecretInPieces(held.flatMap(({ piece }) => piece ?? []))
    if (isSecret) kept.push(LEFT_OUT)
    for (const { line, piece } of held) if (!isSecret || piece === undefined) kept.push(line)
    held = []
  }
  for (const line of printed.text.split('\n')) {
    const read = readOpen(reader, line)
    if (read.isEnd) await endMessage()
    if (held.length > 0 || read.piece !== undefined) held.push(read)
    else kept.push(line)
  }
  await endMessage()
  return { ...printed, text: kept.join('\n') }
}

const LEFT_OUT = '[a message in pieces is left out: there is a secret in it]'

async function isSecretInPieces(pieces: readonly string[]): Promise<boolean> {
  const message = pieces.join('')
  return pieces.length > 1 && hasSecretHint(message) && (await redactText(message)) !== message
}

interface Read {
  readonly line: string
  /** The words that it adds to a message that goes on. */
  readonly piece?: string
  /** Whether a message that was open is over. */
  readonly isEnd: boolean
}

/** What a line is to a message that is open. */
function readOpen(reader: StreamReader, line: string): Read {
  const event = eventIn(line)
  if (!event) return { line, isEnd: false }
  const { isMessageOpen, message } = reader.event({ ...initialReading, isMessageOpen: true }, event)
  return { line, isEnd: !isMessageOpen, ...(isMessageOpen && message !== '' ? { piece: message } : {}) }
}
