import { type Document, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import type { Policy, PolicyData } from '../../../evidence/backtest/policy.ts'
import { budget, maxIterations } from '../../../guards/index.ts'
import type { GuardSpec } from '../../../core/run-config.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { camelCase } from '../../../settings/camel-case.ts'
import { problemsOf } from '../../../settings/config-problem.ts'
import { keysUnder } from '../../../settings/config-schema.ts'
import { guardsSchema } from '../../../settings/guard-schema.ts'
import { wholeNumber } from '../../../settings/number-rules.ts'
import type { ConfiguredGuard } from '../../../settings/pawl-config.ts'
import { syntaxProblems } from '../../../settings/syntax-problems.ts'
import { offsetOf } from '../../../settings/yaml-place.ts'
import { type GuardName, guardOf } from '../configured-guards.ts'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Guard } from '../../../core/guard.ts'

const amount = z.number('a number of at least 0').min(0, 'a number of at least 0')

const policySchema = z.strictObject(
  {
    name: z.string('one line of text').regex(/^\S(?:.*\S)?$/, 'one line of text'),
    about: z.string('one line of text').optional(),
    max_iterations: wholeNumber(1).optional(),
    budget_usd: amount.optional(),
    budget_tokens: wholeNumber(0).optional(),
    guards: guardsSchema.optional(),
  },
  'a map such as { name: mine, guards: { same_failure: trip } }',
)

/**
 * Reads a policy: a name, limits, and guards as in `pawl.yaml`. It has the guards that it names and no others. Everything wrong in it is
 * one `config.invalid` error, a line each: `FILE:LINE:COLUMN: what`; so is a policy in which nothing decides.
 */
export function parsePolicy(text: string, file: string): PolicyData {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const refuse: Refuse = (problems) => {
    const sorted = problems.toSorted((one, other) => one.offset - other.offset)
    const told = sorted.map(({ offset, message }) => {
      const { line, col } = lines.linePos(offset)
      return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}: ${message}`
    })
    throw new PawlError('config.invalid', told.join('\n'), { value: file })
  }
  const syntax = syntaxProblems(document, text)
  if (syntax.length > 0) return refuse(syntax)
  const value = plainValue(document, refuse)
  if (value === null) return refuse([{ offset: 0, message: EMPTY }])
  const { data, error } = policySchema.safeParse(value)
  if (!data) {
    const wrong = problemsOf(error.issues, value, keysOf)
    return refuse(wrong.map((each) => ({ offset: offsetOf(document, each), message: each.message })))
  }
  const { name, about, ...rest } = data
  const guards = specsOf(rest)
  if (guards.every(({ severity }) => severity === 'warn'))
    return refuse([{ offset: 0, message: `nothing decides in this policy: give a guard "severity: trip", or a limit` }])
  return { name, ...(about === undefined ? {} : { about }), guards }
}

const EMPTY =
  'the file is empty: write a name and what ends a loop, such as "name: mine", and below it "guards: { same_failure: trip }"'

function plainValue(document: Document, refuse: Refuse): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // Aliases of aliases: a few lines that would fill the memory.
    return refuse([{ offset: 0, message: `this cannot be read as YAML: ${(error as Error).message}` }])
  }
}

type Refuse = (problems: readonly { readonly offset: number; readonly message: string }[]) => never

function keysOf(path: Parameters<typeof keysUnder>[0]): readonly string[] {
  return path.length === 0 ? Object.keys(policySchema.shape) : keysUnder(path)
}

type Given = Omit<z.output<typeof policySchema>, 'name' | 'about'>

function specsOf({ max_iterations: max, budget_usd: costUsdMax = 0, budget_tokens: tokensMax = 0, guards = {} }: Given) {
  const limits = [
    ...(max === undefined ? [] : [maxIterations(max)]),
    ...(costUsdMax + tokensMax === 0 ? [] : [budget({ costUsdMax, tokensMax })]),
  ]
  const named = Object.entries(guards).flatMap(([name, given]) =>
    given === undefined ? [] : guardOf(camelCase(name) as GuardName, inCamelCase(given as ConfiguredGuard<object>)),
  )
  return [...limits, ...named].map(({ spec }): GuardSpec => spec)
}

function inCamelCase(given: ConfiguredGuard<object>): ConfiguredGuard<object> {
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
