import { expect, test } from 'vitest'
import type { AgentAsk, AskOptionKind } from '../core/agent-ask.ts'
import { answerByPolicy, checkPermissions, type Permissions } from './permissions.ts'

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

test('ASK-8 a policy that is none is refused', () => {
  expect(() => checkPermissions('agent.acp', { edit: 'perhaps' as never })).toThrow('ask, allow or deny, not perhaps')
})
