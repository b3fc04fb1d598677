import type { JsonObject } from '../../core/json.ts'
import { didYouMean } from '../../core/nearest-name.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { ANYTHING, settingsSchema } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'
import { DEFAULT_RESEARCH_RULES } from './default-rules.ts'

/** Throws for a setting that does not exist: `coverag` would say nothing, and be believed. */
export function requireKnownKeys(overrides: JsonObject): void {
  readOptions('researchLoop', OPTIONS, overrides)
  for (const [name, value] of Object.entries(overrides)) {
    const known = RULES[name]
    if (!isMap(known) || !isMap(value)) continue
    const isNamed = Object.values(known).every(isMap)
    if (name !== 'roles') requireIn(value, Object.keys(known).concat(name === 'conflicts' ? ['cosineMax'] : []), `${name}.`)
    if (!isNamed) continue
    const fields = [...new Set(Object.values(known).flatMap((each) => Object.keys(each as JsonObject))), ...(MORE[name] ?? [])]
    for (const [key, entry] of Object.entries(value)) if (isMap(entry)) requireIn(entry, fields, `${name}.${key}.`)
  }
}

const RULES = DEFAULT_RESEARCH_RULES as unknown as JsonObject

/** Settings without a default. */
const OPTIONAL = [
  'iterationsMax',
  'iterationsCap',
  'iterationTimeoutMs',
  'agentRetriesMax',
  'cohort',
  'goal',
  'checkpoint',
  'past',
]

/** Their values are looked at one by one. */
const OPTIONS = settingsSchema(Object.fromEntries([...Object.keys(RULES), ...OPTIONAL].map((name) => [name, ANYTHING])))

const MORE: Readonly<Record<string, readonly string[]>> = { specialists: ['timeoutMs'], roles: ['timeoutMs'] }

function requireIn(given: JsonObject, known: readonly string[], place: string): void {
  const wrong = Object.keys(given).find((key) => !known.includes(key))
  if (wrong === undefined) return
  throw new PawlError('setting.unknown', `researchLoop: there is no setting ${place}${wrong}${didYouMean(wrong, known)}`, {
    value: wrong,
  })
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
