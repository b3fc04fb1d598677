import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeStream } from './claude-stream.ts'
import { codexStream } from './codex-stream.ts'
import { geminiStream } from './gemini-stream.ts'
import { opencodeStream } from './opencode-stream.ts'
import { qwenStream } from './qwen-stream.ts'
import { readStream } from './stream-reading.ts'
import { usageGap } from './usage-gap.ts'

const FIXTURES = join(import.meta.dirname, '..', 'fixtures')
const READERS = { claude: claudeStream, codex: codexStream, gemini: geminiStream, opencode: opencodeStream, qwen: qwenStream }
type Name = keyof typeof READERS

const NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const satisfies readonly Name[]
const PARTIAL = { isUsagePartial: true }

async function recorded(agent: Name, what: string): Promise<string> {
  return readFile(join(FIXTURES, `${agent}-${what}.jsonl`), 'utf8')
}

function read(agent: Name, text: string) {
  return readStream(READERS[agent], text)
}

test.each(NAMES)('DRIVE-58 %s that came to its end told all; cut off anywhere before it, it did not', async (agent) => {
  const text = await recorded(agent, 'fixed')
  expect(usageGap(read(agent, text), 'exited')).toEqual({})
  // What it told is whole also where it is ended afterwards.
  expect(usageGap(read(agent, text), 'timed-out')).toEqual({})
  const lines = text.trimEnd().split('\n')
  const last = lines.findLastIndex((_, index) => read(agent, lines.slice(0, index).join('\n')).ending === undefined)
  for (let count = 0; count <= last; count++) {
    const reading = read(agent, lines.slice(0, count).join('\n'))
    for (const status of ['timed-out', 'aborted', 'killed'] as const) expect(usageGap(reading, status)).toEqual(PARTIAL)
  }
})

test.each(NAMES)('DRIVE-58 %s whose provider failed from the first on used nothing that is not told', async (agent) => {
  for (const what of ['limit', 'unauthorized', 'server-error'])
    expect({ what, ...usageGap(read(agent, await recorded(agent, what)), 'exited') }).toEqual({ what })
})

test.each(['gemini', 'qwen'] as const)(
  'DRIVE-58 %s that was cut off within its answer tells 0 tokens, which is no figure',
  async (agent) => {
    const reading = read(agent, await recorded(agent, 'cut'))
    expect(usageGap(reading, 'exited')).toEqual(PARTIAL)
    expect(usageGap({ ...reading, sessionUsed: { tokens: 330 } }, 'exited'), 'what was used before').toEqual(PARTIAL)
  },
)

test('DRIVE-58 an error that Claude Code puts into the mouth of a model is no answer', async () => {
  for (const what of ['unreachable', 'no-network', 'limit'])
    expect({ what, ...usageGap(read('claude', await recorded('claude', what)), 'exited') }).toEqual({ what })
})

test('DRIVE-58 a program that ended by itself before any event used nothing', () => {
  expect(usageGap(read('claude', 'claude: unknown option'), 'exited')).toEqual({})
})

test('DRIVE-58 an end without figures after an answer is told as such', () => {
  const events = [
    { type: 'thread.started', thread_id: 't-1' },
    { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'I begin.' } },
    { type: 'turn.failed', error: { message: 'unexpected status 429 Too Many Requests' } },
  ]
  const text = events.map((event) => JSON.stringify(event)).join('\n')
  expect(usageGap(read('codex', text), 'exited')).toEqual(PARTIAL)
})
