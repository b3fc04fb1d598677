import type { Readable, Writable } from 'node:stream'
import { CLIENT_METHODS, type AnyMessage, type SessionUpdate, type Stream } from '@agentclientprotocol/sdk'

/** How long one message of an agent may be; a longer one is dropped. */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024

export interface Listener {
  /** The agent's report about its session. Throws if the update is malformed. */
  readonly onUpdate: (update: SessionUpdate) => void
  /** Output that isn't a message: a banner, a log, half a line. */
  readonly onNoise: (bytes: Buffer) => void
}

/**
 * A program's stdin and stdout as messages, one per line. Skips noise, which agents print too. Handles updates here: there are many, and
 * newer agents send kinds that the library doesn't know. Reads only as fast as the messages are used, so a flood can't fill the memory.
 */
export function messageStream(input: Writable, output: Readable, listener: Listener): Stream {
  return {
    readable: ReadableStream.from(messages(output, listener)),
    writable: new WritableStream({
      write: (message) =>
        new Promise<void>((resolve, reject) => {
          input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
        }),
    }),
  }
}

async function* messages(output: Readable, { onNoise, onUpdate }: Listener): AsyncGenerator<AnyMessage> {
  for await (const line of lines(output, onNoise)) {
    const message = messageIn(line)
    if (message && isTaken(message, onUpdate)) continue
    if (message && !isUpdate(message)) yield message
    else if (line.length > 0) onNoise(Buffer.concat([line, NEWLINE]))
  }
}

async function* lines(output: Readable, onNoise: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of output as AsyncIterable<Buffer>) {
    let rest = chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const last = rest.subarray(0, end)
      rest = rest.subarray(end + 1)
      if (bytes + last.length <= MESSAGE_BYTES_MAX) yield Buffer.concat([...parts, last])
      else onNoise(last)
      parts = []
      bytes = 0
    }
    bytes += rest.length
    // Too long to keep: the rest of the line is noise.
    if (bytes > MESSAGE_BYTES_MAX) {
      onNoise(Buffer.concat([...parts, rest]))
      parts = []
    } else if (rest.length > 0) parts.push(rest)
  }
  if (parts.length > 0 && bytes <= MESSAGE_BYTES_MAX) yield Buffer.concat(parts)
}

function isUpdate(message: AnyMessage): boolean {
  return 'method' in message && message.method === CLIENT_METHODS.session_update
}

/** A malformed update is noise. */
function isTaken(message: AnyMessage, onUpdate: Listener['onUpdate']): boolean {
  if (!isUpdate(message)) return false
  try {
    onUpdate((message as { readonly params: { readonly update: SessionUpdate } }).params.update)
    return true
  } catch {
    return false
  }
}

const NEWLINE = Buffer.from('\n')

/** An object that is a request, a notification or an answer; the SDK would print a complaint about anything else. */
function messageIn(line: Buffer): AnyMessage | undefined {
  const text = line.toString('utf8').trim()
  if (!text.startsWith('{')) return undefined
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>>
    const isCall = typeof value['method'] === 'string'
    const isAnswer = typeof value['id'] === 'number' && ('result' in value || 'error' in value)
    return isCall || isAnswer ? (value as unknown as AnyMessage) : undefined
  } catch {
    return undefined
  }
}
