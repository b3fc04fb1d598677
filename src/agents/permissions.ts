import type { AgentAsk, PermissionPolicy } from '../core/agent-ask.ts'
import { PawlError } from '../core/pawl-error.ts'

/**
 * What becomes of what an agent asks: `ask` a person (the default), `allow` or `deny` at once; or one of them for each kind of tool
 * (`edit`, `execute`, `fetch`, …), with `default` for the others.
 */
export type Permissions = PermissionPolicy | Readonly<Record<string, PermissionPolicy>>

/** Throws a `PawlError` whose code begins with `place` where a policy is none. */
export function checkPermissions(place: string, permissions: Permissions): void {
  const each = typeof permissions === 'string' ? [permissions] : Object.values(permissions)
  const bad = each.find((policy) => !['ask', 'allow', 'deny'].includes(policy))
  if (bad !== undefined)
    throw new PawlError(`${place}.permissions`, `permissions must be ask, allow or deny, not ${String(bad)}.`, { value: bad })
}

/** What the policy answers to this wish at once; `undefined` where a person is to be asked. Never an answer for good. */
export function answerByPolicy(permissions: Permissions, { kind, options }: AgentAsk): string | undefined {
  const policy = typeof permissions === 'string' ? permissions : (permissions[kind] ?? permissions['default'] ?? 'ask')
  if (policy === 'ask') return undefined
  // A policy knows no answer to a real question: all it can do is decline.
  const isAllowed = policy === 'allow' && kind !== 'question'
  return (isAllowed ? allowing(options) : refusing(options))?.id
}

/** The agent's mildest way to hear yes. */
function allowing(options: AgentAsk['options']): AgentAsk['options'][number] | undefined {
  return options.find(({ kind }) => kind === 'allow-once') ?? options.find(({ kind }) => kind === 'allow-always')
}

/** The agent's mildest way to hear no. */
export function refusing(options: AgentAsk['options']): AgentAsk['options'][number] | undefined {
  return options.find(({ kind }) => kind === 'deny-once') ?? options.find(({ kind }) => kind === 'deny-always')
}
