import type { Policy, PolicyData } from '../../../evidence/backtest/policy.ts'
import { budget, maxIterations } from '../../../guards/index.ts'
import type { GuardSpec } from '../../../core/run-config.ts'
import type { GuardName } from '../../../guards/default-guards.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { camelCase, neededKey, optionalKey } from '../../../schema/file-kinds.ts'
import { LINE, settingsSchema, textCalled } from '../../../schema/kinds.ts'
import type { ConfiguredGuard } from '../../../settings/pawl-config.ts'
import { guardsKind, limitKeys } from '../../../settings/project-schema.ts'
import { readYaml } from '../../../settings/yaml-file.ts'
import { guardOf } from '../../../settings/configured-guards.ts'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Guard } from '../../../core/guard.ts'

const policySchema = settingsSchema(
  {
    name: neededKey(LINE, 'Its name'),
    about: optionalKey(textCalled('one line of text'), 'What it is for'),
    ...limitKeys,
    guards: optionalKey(guardsKind, 'Its guards'),
  },
  'a map such as { name: mine, guards: { same_failure: trip } }',
)

/**
 * Reads a policy: a name, limits, and guards as in `pawl.yaml`. It has the guards that it names and no others. Everything wrong in it is
 * one `config.invalid` error, a line each: `FILE:LINE:COLUMN: what`; so is a policy in which nothing decides.
 */
export function parsePolicy(text: string, file: string): PolicyData {
  const { name, about, ...rest } = readYaml(text, file, {
    schema: () => policySchema,
    code: 'config.invalid',
    emptyMessage: EMPTY,
  })
  const specs = specsOf(rest as Given)
  if (specs.some(({ severity }) => severity !== 'warn')) return { name, ...(about === undefined ? {} : { about }), guards: specs }
  const sentence = `${file}:1:1: nothing decides in this policy: give a guard "severity: trip", or a limit`
  throw new PawlError('config.invalid', sentence, { value: file })
}

const EMPTY =
  'the file is empty: write a name and what ends a loop, such as "name: mine", and below it "guards: { same_failure: trip }"'

interface Given {
  readonly max_iterations?: number
  readonly budget_usd?: number
  readonly budget_tokens?: number
  readonly guards?: Readonly<Record<string, ConfiguredGuard>>
}

function specsOf({ max_iterations: max, budget_usd: costUsdMax = 0, budget_tokens: tokensMax = 0, guards: named = {} }: Given) {
  const limits = [
    ...(max === undefined ? [] : [maxIterations(max)]),
    ...(costUsdMax + tokensMax === 0 ? [] : [budget({ costUsdMax, tokensMax })]),
  ]
  const others = Object.entries(named).flatMap(([name, given]) => guardOf(camelCase(name) as GuardName, inCamelCase(given)))
  return [...limits, ...others].map(({ spec }): GuardSpec => spec)
}

function inCamelCase(given: ConfiguredGuard): ConfiguredGuard {
  if (given === 'off') return given
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [camelCase(key), value]))
}

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

/** An error in a guard of the user's program is reported as theirs. */
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
