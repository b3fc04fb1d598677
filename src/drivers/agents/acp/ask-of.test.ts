import type { CreateElicitationRequest, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, test } from 'vitest'
import { elicitationAnswer, elicitationAsk, permissionAsk } from './ask-of.ts'

const OPTIONS = [{ optionId: 'go', name: 'Allow', kind: 'allow_once' as const }]

async function idOf(call: Partial<ToolCallUpdate>): Promise<string> {
  const toolCall = { toolCallId: 'any', kind: 'execute' as const, title: 'rm a', ...call }
  return (await permissionAsk({ sessionId: 's', toolCall, options: OPTIONS }, toolCall)).id
}

describe('leave to use a tool', () => {
  test('ACP-18 the same wish has the same id in every session, another one another', async () => {
    const id = await idOf({ rawInput: { command: 'rm a', folder: '.' } })
    expect(await idOf({ toolCallId: 'other', rawInput: { folder: '.', command: 'rm a' } })).toBe(id)
    const others = [
      await idOf({ rawInput: { command: 'rm b', folder: '.' } }),
      await idOf({ title: 'rm b', rawInput: { command: 'rm a', folder: '.' } }),
      await idOf({ kind: 'edit', rawInput: { command: 'rm a', folder: '.' } }),
      await idOf({ rawInput: { command: 'rm a', folder: '.' }, locations: [{ path: '/x' }] }),
    ]
    expect(new Set([id, ...others]).size).toBe(5)
  })

  test('ACP-24 a person is shown what the tool would do, in bounds', async () => {
    const toolCall: ToolCallUpdate = {
      toolCallId: 'any',
      kind: 'edit',
      title: 'Write a.txt',
      content: [{ type: 'diff', path: 'a.txt', oldText: 'x', newText: 'y'.repeat(5000) }],
    }
    const { detail = '' } = await permissionAsk({ sessionId: 's', toolCall, options: OPTIONS }, toolCall)
    expect(detail).toMatch(/^a\.txt:\ny+…$/)
    expect(detail.length).toBe(2000)
  })
})

function form(properties: object): CreateElicitationRequest {
  return { mode: 'form', sessionId: 's', message: 'How?', requestedSchema: { type: 'object', properties } } as never
}

describe('questions with a form', () => {
  test.each([
    ['yes or no', form({ ok: { type: 'boolean' } }), 'true', undefined, { ok: true }],
    ['one of several', form({ a: { type: 'string', oneOf: [{ const: 'x', title: 'The x' }] } }), 'x', undefined, { a: 'x' }],
    ['a text', form({ name: { type: 'string' } }), 'words', 'Ada', { name: 'Ada' }],
    ['a number', form({ port: { type: 'integer' } }), 'words', ' 8080 ', { port: 8080 }],
    [
      'several',
      form({ name: { type: 'string' }, port: { type: 'number' } }),
      'words',
      'name: Ada\nport = 1',
      { name: 'Ada', port: 1 },
    ],
    ['nothing but consent', form({}), 'accept', undefined, {}],
  ])('ACP-21 %s is answered as the form wants it', async (_what, request, option, note, content) => {
    const { options } = await elicitationAsk(request)
    expect(options.map(({ id }) => id)).toContain(option)
    const answer = { option, ...(note === undefined ? {} : { note }) }
    expect(elicitationAnswer(request, answer)).toEqual({ action: 'accept', content })
  })

  test('ACP-25 words that do not fit the form, none at all, and a refusal decline', () => {
    const number = form({ port: { type: 'integer' } })
    expect(elicitationAnswer(number, { option: 'words', note: 'many' })).toEqual({ action: 'decline' })
    expect(elicitationAnswer(number, { option: 'words' })).toEqual({ action: 'decline' })
    expect(elicitationAnswer(number, { option: 'decline' })).toEqual({ action: 'decline' })
  })
})
