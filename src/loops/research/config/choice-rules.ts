import type { Json, JsonObject } from '../../../core/json.ts'
import type { StrategyName } from '../rules.ts'
import { roleName } from './role-name.ts'

/** What the seed's rules of choice come to here; `isRead` says whether their form was one that is known. */
export interface ReadChoice {
  readonly rules: JsonObject
  readonly isRead: boolean
}

/**
 * `strategy_selection_rules`: a list or a map of `{ strategy, keywords | scope_words, max_files | file_count_max }`; in a map the name of a
 * rule may be the strategy.
 */
export function strategyChoice(value: Json): ReadChoice {
  const rules: Partial<Record<StrategyName, JsonObject>> = {}
  let isRead = false
  for (const [name, entry] of entriesOf(value)) {
    const strategy = STRATEGIES.find((each) => each === entry['strategy'] || (entry['strategy'] === undefined && each === name))
    const words = wordsIn(entry['keywords'] ?? entry['scope_words'])
    const files = entry['max_files'] ?? entry['file_count_max']
    const isCount = typeof files === 'number' && Number.isInteger(files) && files > 0
    if (strategy === undefined || (words === undefined && !isCount)) continue
    isRead = true
    const known = rules[strategy] ?? {}
    const all = words && [...((known['words'] as readonly string[] | undefined) ?? []), ...words]
    rules[strategy] = { ...known, ...(all ? { words: all } : {}), ...(isCount ? { relevantFilesMax: files } : {}) }
  }
  return { rules: rules as JsonObject, isRead }
}

/**
 * `agent_cohort_rules`: `always_include: [explore]`, and for each role, also one level down, `{ keywords: […], always_include: true }` or the
 * keywords alone; in a list with the role under `agent` or `role`.
 */
export function cohortChoice(value: Json): ReadChoice {
  const rules: Record<string, JsonObject> = {}
  const always = isMap(value) ? wordsIn(value['always_include']) : undefined
  for (const role of always ?? []) rules[roleName(role)] = { isAlwaysIncluded: true }
  for (const [name, entry] of roleEntries(value)) {
    const role = roleName(String(entry['agent'] ?? entry['role'] ?? name))
    const keywords = wordsIn(entry['keywords'])
    const isAlways = entry['always_include']
    if (keywords === undefined && typeof isAlways !== 'boolean') continue
    rules[role] = {
      ...rules[role],
      ...(keywords ? { keywords } : {}),
      ...(typeof isAlways === 'boolean' ? { isAlwaysIncluded: isAlways } : {}),
    }
  }
  return { rules, isRead: Object.keys(rules).length > 0 }
}

const STRATEGIES: readonly StrategyName[] = ['narrow', 'broad', 'comprehensive']

type Entry = readonly [name: string, entry: JsonObject]

/** Rules of a list have no names. */
function entriesOf(value: Json): readonly Entry[] {
  if (Array.isArray(value)) return value.flatMap((each): Entry[] => (isMap(each) ? [['', each]] : []))
  return isMap(value) ? Object.entries(value).flatMap(([name, each]): Entry[] => (isMap(each) ? [[name, each]] : [])) : []
}

function roleEntries(value: Json): readonly Entry[] {
  const bare = isMap(value)
    ? Object.entries(value).flatMap(([name, each]): Entry[] => {
        const keywords = name === 'always_include' ? undefined : wordsIn(each)
        return keywords ? [[name, { keywords }]] : []
      })
    : []
  return [...bare, ...entriesOf(value).flatMap(([name, each]) => (isRule(each) ? [[name, each] as const] : roleEntries(each)))]
}

function isRule(entry: JsonObject): boolean {
  return 'keywords' in entry || typeof entry['always_include'] === 'boolean'
}

function wordsIn(value: Json | undefined): readonly string[] | undefined {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return undefined
  return value.length === 0 ? undefined : value
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
