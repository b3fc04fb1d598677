import { parse } from 'yaml'
import type { Proposal } from '../../evidence/proposals.ts'
import { type Policy, policyFrom } from '../../evidence/backtest/policy.ts'
import { maxIterations } from '../../guards/index.ts'
import type { GuardSpec } from '../../core/run-config.ts'
import type { GuardName } from '../../guards/default-guards.ts'
import { camelCase } from '../../schema/file-kinds.ts'
import type { PlainValue } from '../../settings/set-in-yaml.ts'
import { guardOf } from './configured-guards.ts'

/** A proposal that can stand in the file: where, and what. */
export interface Setting {
  readonly path: readonly [string, ...string[]]
  readonly value: PlainValue
}

/** What a proposal writes into `pawl.yaml`; nothing for a guard that cannot stand there. */
export function settingOf({ yaml }: Proposal): Setting | undefined {
  if (yaml === undefined) return undefined
  const { guards, max_iterations: max } = parse(yaml) as {
    readonly guards?: Readonly<Record<string, PlainValue>>
    readonly max_iterations?: number
  }
  if (max !== undefined) return { path: ['max_iterations'], value: max }
  const [entry] = Object.entries(guards ?? {})
  return entry && { path: ['guards', entry[0]], value: entry[1] }
}

/** The guards of a configuration as a policy. */
export function policyOf(name: string, guards: readonly GuardSpec[]): Policy {
  return policyFrom({ name, guards })
}

/** Guards that can be built from their data: those that are functions of a program are left out. */
export function buildable(guards: readonly GuardSpec[]): readonly GuardSpec[] {
  return guards.filter((spec) => !isOfProgram(spec))
}

function isOfProgram({ name, parts = [] }: GuardSpec): boolean {
  return name === 'custom' || parts.some(isOfProgram)
}

/** The guards with one of them set as the proposal says. */
export function withSetting(guards: readonly GuardSpec[], { path, value }: Setting): readonly GuardSpec[] {
  const made = specsOf(path, value)
  const [first] = made
  const names = new Set(made.flatMap(namesOf))
  const place = guards.findIndex((spec) => namesOf(spec).some((name) => names.has(name)))
  if (!first || place === -1) return [...guards, ...made]
  return guards.map((spec, index) => (index === place ? first : spec))
}

function specsOf(path: Setting['path'], value: PlainValue): readonly GuardSpec[] {
  if (path[0] === 'max_iterations') return [maxIterations(Number(value)).spec]
  const given = typeof value === 'object' ? value : { severity: value }
  const options = Object.fromEntries(Object.entries(given).map(([key, each]) => [camelCase(key), each]))
  return guardOf(camelCase(path.at(-1) ?? '') as GuardName, options).map(({ spec }) => spec)
}

/** A ladder goes by the name of the guard in it. */
function namesOf({ name, parts = [] }: GuardSpec): readonly string[] {
  return name === 'ladder' ? parts.map((part) => part.name) : [name]
}
