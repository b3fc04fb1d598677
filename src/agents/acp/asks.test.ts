import type { CreateElicitationRequest, ToolCallUpdate } from '@agentclientprotocol/sdk'
import { describe, expect, test } from 'vitest'
import type { AgentAsk, AskOptionKind } from '../../core/agent-ask.ts'
import { acpAgent } from './acp-agent.ts'
import { answerByPolicy, elicitationAnswer, elicitationAsk, permissionAsk } from './asks.ts'
import type { Permissions } from '../agent-settings.ts'

const OPTIONS = [{ optionId: 'go', name: 'Allow', kind: 'allow_once' as const }]

async function idOf(call: Partial<ToolCallUpdate>): Promise<string> {
  const toolCall = { toolCallId: 'any', kind: 'execute' as const, title: 'rm a', ...call }
  return (await permissionAsk({ sessionId: 's', toolCall, options: OPTIONS }, toolCall)).id
}

async function shownOf(command: string | readonly string[]) {
  const title = typeof command === 'string' ? command : command.join(' ')
  const toolCall: ToolCallUpdate = { toolCallId: 'any', kind: 'execute', title, rawInput: { command } }
  return permissionAsk({ sessionId: 's', toolCall, options: OPTIONS }, toolCall)
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

  test('ACP-40 the end of a command is shown, however long it is; where its middle is left out, that is said', async () => {
    expect(await shownOf('rm -r dist')).not.toHaveProperty('detail')
    const long = `echo ${'build '.repeat(60)}; rm -rf ~/work`
    expect((await shownOf(long)).detail).toBe(long)
    expect((await shownOf(['bash', '-c', long])).detail).toBe(`bash -c ${long}`)
    const { detail = '' } = await shownOf(`echo ${'build '.repeat(6000)}; rm -rf ~/work`)
    expect(detail).toMatch(/^echo build[^]*\n… \d+ characters are not shown …\n[^]*; rm -rf ~\/work$/)
    expect(detail.length).toBeLessThanOrEqual(2000)
  })

  test('ACP-41 nothing in an agent’s question can move the reader’s cursor', async () => {
    const hidden = 'rm -rf ~/work\u001B[2K\u001B[Gls -la'
    const toolCall: ToolCallUpdate = {
      toolCallId: 'any',
      kind: 'execute',
      title: hidden,
      rawInput: { command: `${hidden}\u0007` },
      content: [{ type: 'content', content: { type: 'text', text: `${hidden}\u009B2K` } }],
    }
    const options = [{ optionId: 'go', name: `Reject\u001B[2K\u001B[GAllow`, kind: 'allow_once' as const }]
    const asks = [
      await permissionAsk({ sessionId: 's', toolCall, options }, toolCall),
      await elicitationAsk({ ...form({ a: { type: 'string', title: hidden } }), message: `${hidden}\n${hidden}` }),
      await elicitationAsk(form({ a: { type: 'string', oneOf: [{ const: 'x', title: hidden }] } })),
    ]
    for (const ask of asks) {
      const texts = [ask.title, ask.detail ?? '', ...ask.options.map(({ label }) => label)]
      // oxlint-disable-next-line no-control-regex
      expect(texts.join('')).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/)
    }
    expect(asks[0]?.title).toBe('rm -rf ~/workls -la')
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

function wish(kind: string, ...kinds: readonly AskOptionKind[]): AgentAsk {
  return { id: 'x', kind, title: 'x', options: kinds.map((each) => ({ id: each, label: each, kind: each })) }
}

const USUAL = ['allow-always', 'allow-once', 'deny-always', 'deny-once'] as const

test.each<[Permissions, string, string | undefined]>([
  ['ask', 'edit', undefined],
  ['allow', 'edit', 'allow-once'],
  ['deny', 'edit', 'deny-once'],
  [{ execute: 'allow' }, 'execute', 'allow-once'],
  [{ execute: 'allow' }, 'edit', undefined],
  [{ edit: 'allow', default: 'deny' }, 'execute', 'deny-once'],
  ['allow', 'question', 'deny-once'],
])('ASK-8 the policy %j answers a wish to %s with %s', (permissions, kind, answer) => {
  expect(answerByPolicy(permissions, wish(kind, ...USUAL))).toBe(answer)
})

test('ASK-8 an answer for good is given by a policy only where the agent has no other', () => {
  expect(answerByPolicy('allow', wish('edit', 'allow-always'))).toBe('allow-always')
  expect(answerByPolicy('deny', wish('edit', 'allow-once'))).toBeUndefined()
})

test('ASK-8 an unknown policy is refused', () => {
  expect(() => acpAgent({ command: ['x'], permissions: { edit: 'perhaps' as never } })).toThrow('ask, allow or deny')
})
