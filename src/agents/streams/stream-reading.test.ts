import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codex } from '../codex.ts'
import { gemini } from '../gemini.ts'
import { opencode } from '../opencode.ts'
import { qwen } from '../qwen.ts'
import { claudeStream } from './claude-stream.ts'
import {
  eventIn,
  initialReading,
  pricedReader,
  readLine,
  readStream,
  type StreamReader,
  type StreamReading,
  workReport,
} from './stream-reading.ts'

const READERS: Readonly<Record<string, StreamReader>> = {
  claude: claudeStream,
  codex: codex.reader,
  gemini: gemini.reader,
  qwen: qwen.reader,
  opencode: opencode.reader,
}

function recorded(agent: string, what: string): string {
  return readFileSync(join(import.meta.dirname, '..', 'fixtures', `${agent}-${what}.jsonl`), 'utf8')
}

function reading(agent: string, what: string): StreamReading {
  return readStream(READERS[agent] as StreamReader, recorded(agent, what))
}

const names = Object.keys(READERS)

describe.each(names)('%s', (name) => {
  test('DRIVE-1 the events of a real agent tell its session, its words, its tools with their results, and that it is done', () => {
    const read = reading(name, 'fixed')
    expect(read.session).toMatch(/^(?:[\da-f-]{36}|ses_\w+)$/)
    expect(read).toMatchObject({
      message: 'I made the change.',
      words: 'I made the change.',
      now: 'I made the change.',
      calls: [],
    })
    expect(read.ending).toEqual({ kind: 'success' })
    expect(read.actions).toHaveLength(2)
    for (const action of read.actions) {
      expect(action.label).toContain('add.js')
      expect(action.result).toMatch(/^\w+$/)
    }
    expect(read.used.tokens ?? read.sessionUsed?.tokens).toBe(330)
  })

  test('DRIVE-2 in a session that continues, figures that add up are distinguished from those of this work', () => {
    const { used, sessionUsed } = reading(name, 'resumed')
    const expected = {
      claude: { used: { tokens: 330 }, sessionUsed: { costUsd: 0.0036, tokens: 660 } },
      codex: { used: {}, sessionUsed: { tokens: 660 } },
      gemini: { used: { tokens: 330 }, sessionUsed: undefined },
      qwen: { used: { tokens: 330 }, sessionUsed: { tokens: 660 } },
      opencode: { used: { tokens: 330 }, sessionUsed: undefined },
    }[name]
    expect({ used, sessionUsed }).toEqual(expected)
  })

  test('DRIVE-3 a tool that fails is a call with a result, and no end of the work', () => {
    const read = reading(name, 'tool-error')
    expect(read.actions).toHaveLength(2)
    expect(read.message).toBe('It could not be done.')
    expect(read.ending).toEqual({ kind: 'success' })
    expect(read.files).toEqual([])
  })

  test('DRIVE-4 a refused key is read from its events: as the end, or as what it is still trying to get over', () => {
    const { ending, refusal } = reading(name, 'unauthorized')
    expect(JSON.stringify(ending ?? refusal)).toContain('401')
    expect(ending?.kind).not.toBe('success')
  })

  test('DRIVE-5 a stream that is cut anywhere, or full of nonsense, is read as far as it goes', () => {
    const lines = recorded(name, 'fixed').split('\n')
    const reader = READERS[name] as StreamReader
    for (let count = 0; count < lines.length; count++) {
      const part = lines.slice(0, count).join('\n')
      for (const more of ['', '\n{"type":', '\nnull', '\n{"type":"result"}', '\n{"type":"item.completed","item":[]}', '\n[1]'])
        expect(() => readStream(reader, part + more)).not.toThrow()
    }
    for (const event of lines.map(eventIn).filter((each) => each !== undefined))
      for (const key of Object.keys(event))
        for (const value of [null, 7, 'x', [], {}, [null], { content: [{ type: 'text' }, { type: 'tool_use' }] }])
          expect(() => reader.event(initialReading, { ...event, [key]: value })).not.toThrow()
  })

  test('DRIVE-6 what is kept of a stream is bounded however long it is', () => {
    const reader = READERS[name] as StreamReader
    const lines = recorded(name, 'fixed').split('\n').slice(0, -2)
    let read = initialReading
    for (let round = 0; round < 300; round++) {
      for (const line of lines) {
        const renamed = line.replaceAll(/"(toolu_|call_|item_|\w+__call_)(\d+)"/g, `"$1$2-${round}"`)
        read = readLine(
          reader,
          read,
          renamed.replaceAll('add.js', `file-${round}.js`).replaceAll('I made', `${'x'.repeat(500)} ${round} I made`),
        )
      }
    }
    expect(read.actions).toHaveLength(200)
    expect(read.actions.length + read.actionsCut).toBe(600)
    expect(read.files.length).toBeLessThanOrEqual(100)
    expect(JSON.stringify(read).length).toBeLessThan(400_000)
  })
})

test('DRIVE-7 files are those that the agent edits, once each', () => {
  for (const name of ['claude', 'gemini', 'qwen']) expect(reading(name, 'fixed').files).toEqual(['/project/add.js'])
})

test('DRIVE-4 a provider that refuses is reported while the agent still tries, and forgotten when it succeeds', () => {
  for (const name of ['claude', 'codex', 'gemini', 'opencode'])
    expect(reading(name, 'server-error').refusal?.message).toMatch(/500|server had an error|high demand/)
  const reader = READERS['claude'] as StreamReader
  const [retry = ''] = recorded('claude', 'server-error').split('\n').slice(1)
  const tried = readLine(reader, initialReading, retry)
  expect(tried).toMatchObject({ refusal: { status: 500 }, now: 'waits for its provider: server_error (status 500)' })
  const after = recorded('claude', 'fixed')
    .split('\n')
    .reduce((read, line) => readLine(reader, read, line), tried)
  expect(after.refusal).toBe(undefined)
})

test('DRIVE-8 pieces of one message are joined, and a new message begins after a call of a tool', () => {
  const events = [
    { type: 'message', role: 'user', content: 'Go.' },
    { type: 'message', role: 'assistant', content: 'I look', delta: true },
    { type: 'message', role: 'assistant', content: ' at it.', delta: true },
    { type: 'tool_use', tool_id: 'a', tool_name: 'read_file', parameters: {} },
    { type: 'tool_result', tool_id: 'a', status: 'success', output: '' },
    { type: 'message', role: 'assistant', content: 'Done.', delta: true },
  ]
  const read = readStream(gemini.reader, events.map((event) => JSON.stringify(event)).join('\n'))
  expect(read).toMatchObject({ words: 'I look at it.\n\nDone.', message: 'Done.' })
})

test('DRIVE-9 the tools of a helper that the agent sends out are not its own', () => {
  const content = [{ type: 'tool_use', id: 'x', name: 'Bash', input: {} }]
  const helper = { type: 'assistant', parent_tool_use_id: 'task-1', message: { id: 'm', model: 'c', content } }
  expect(claudeStream.event(initialReading, helper)).toEqual(initialReading)
})

test('DRIVE-10 Codex items are calls of tools: commands without their shell, patches with their files, MCP tools by name', () => {
  const items = [
    { id: 'a', type: 'command_execution', command: '/bin/bash -lc "npm \\"test\\""', aggregated_output: 'ok', exit_code: 0 },
    { id: 'b', type: 'file_change', changes: [{ path: 'src/a.js', kind: 'update' }], status: 'completed' },
    { id: 'c', type: 'mcp_tool_call', server: 'pawl', tool: 'status', arguments: { a: 1 }, result: {} },
    { id: 'd', type: 'todo_list', items: [] },
  ]
  const read = readStream(codex.reader, items.map((item) => JSON.stringify({ type: 'item.completed', item })).join('\n'))
  expect(read.actions.map(({ name, label }) => [name, label])).toEqual([
    ['shell', 'npm "test"'],
    ['apply_patch', '{"changes":[{"path":"src/a.js","kind":"update"}]}'],
    ['mcp__pawl__status', '{"a":1}'],
  ])
  expect(read.files).toEqual(['src/a.js'])
})

test('DRIVE-11 an event is found behind a warning on the same line; JSON that is no event is not', () => {
  expect(eventIn('Warning: slow {"type":"init"}')).toEqual({ type: 'init' })
  expect(eventIn('see {"a":1}')).toBe(undefined)
  expect(eventIn('[{"type":"init"}]')).toBe(undefined)
  expect(eventIn('{"type":"in')).toBe(undefined)
})

const message = (id: string, content: object, more: object = {}) =>
  JSON.stringify({
    type: 'assistant',
    message: { id, usage: { input_tokens: 100, output_tokens: 1 }, content: [content] },
    ...more,
  })
const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} })

describe('what an agent did until now', () => {
  test('DRIVE-81 each message counts once, also of subagents that work at the same time', () => {
    const helper = { parent_tool_use_id: 'task' }
    const lines = [
      message('m1', { type: 'text', text: 'I look.' }),
      message('m1', call('c1')),
      message('h1', call('c2'), helper),
      message('h2', call('c3'), helper),
      message('h1', call('c4'), helper),
      message('m2', call('c5')),
    ]
    const read = readStream(claudeStream, lines.join('\n'))
    expect(workReport(read)).toMatchObject({ used: { tokens: 4 * 101 }, messages: 5 })
  })

  test.each(names)('DRIVE-81 the messages and tool calls of a real %s are counted', (name) => {
    expect(workReport(reading(name, 'fixed')).messages).toBe(3)
  })
})

test.each<[string, object]>([
  ['codex', { sessionUsed: { tokens: 330, costUsd: 0.00045 } }],
  ['gemini', { used: { tokens: 330, costUsd: 0.00045 } }],
  ['qwen', { sessionUsed: { tokens: 330, costUsd: 0.00045 } }],
])('LIMIT-26 tokens of %s at given prices are an estimated cost', (agent, used) => {
  const reader = READERS[agent] as StreamReader
  const prices = { inputUsdPerMillion: 1, outputUsdPerMillion: 5 }
  expect(readStream(pricedReader(reader, prices), recorded(agent, 'fixed'))).toMatchObject({ ...used, isCostEstimated: true })
  expect(readStream(pricedReader(reader, undefined), recorded(agent, 'fixed'))).not.toHaveProperty('isCostEstimated')
})

test('LIMIT-29 Qwen Code gets a limit of turns', () => {
  expect(qwen.arguments({ permissionMode: 'edit', messagesMax: 500 }).join(' ')).toContain('--max-session-turns 500')
  expect(qwen.arguments({ permissionMode: 'edit' }).join(' ')).not.toContain('turns')
})
