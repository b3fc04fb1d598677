import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Guard } from '../../../core/guard.ts'
import type { Policy } from '../../../evidence/backtest/policy.ts'
import { PawlError } from '../../../core/pawl-error.ts'

/** Whether a policy is given as a module: its guards are functions of a program. */
export function isPolicyModule(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path)
}

/**
 * The policies that a module exports, under any names, each alone or in lists. What cannot be loaded, or exports none, is a
 * `config.policy-module` error. Its guards are replayed as they are: they must be pure, like every guard.
 */
export async function policiesInModule(path: string): Promise<readonly Policy[]> {
  const exported = await loaded(path)
  const found = Object.values(exported).flat().filter(isPolicy)
  const policies = [...new Set(found)]
  if (policies.length > 0)
    return policies.map((policy) => ({ ...policy, guards: policy.guards.map((guard) => watched(guard, path)) }))
  const sentence = `${path} exports no policy: export { name: 'mine', guards: [...] }, or a list of such, with guards of pawl/guards.`
  throw new PawlError('config.policy-module', sentence, { value: path })
}

/** What goes wrong in a guard of somebody's program is told as theirs. */
function watched(guard: Guard, path: string): Guard {
  const fail = (why: string, cause?: unknown): never => {
    throw new PawlError('config.policy-module', `A guard of ${path}, ${guard.spec.name}, ${why}.`, { value: path, cause })
  }
  return {
    ...guard,
    inspect: (state) => {
      try {
        const trips: unknown = guard.inspect(state)
        return Array.isArray(trips) ? trips : fail('must return a list of trips, empty when all is well')
      } catch (cause) {
        if (cause instanceof PawlError) throw cause
        return fail(`failed: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
      }
    },
  }
}

async function loaded(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    const sentence = `${path} could not be loaded: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new PawlError('config.policy-module', sentence, { value: path, cause })
  }
}

function isPolicy(value: unknown): value is Policy {
  if (typeof value !== 'object' || value === null) return false
  const { name, guards } = value as Partial<Policy>
  return typeof name === 'string' && name !== '' && Array.isArray(guards) && guards.every(isGuard)
}

function isGuard(value: unknown): value is Guard {
  if (typeof value !== 'object' || value === null) return false
  const { spec, inspect } = value as Partial<Guard>
  return typeof spec?.name === 'string' && typeof inspect === 'function'
}
