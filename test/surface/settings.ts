import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Schema, schemaText } from './json-schema.ts'
import { byText } from './lines.ts'
import { ROOT } from './pawl.ts'

/** Key of pawl.yaml to what it takes, as the JSON Schema that the package ships has it; test/docs.test.ts keeps that in step. */
export function settingsKeys(): Record<string, string> {
  const schema = JSON.parse(readFileSync(join(ROOT, 'schema', 'pawl.schema.json'), 'utf8')) as Schema
  return Object.fromEntries(keysIn(schema, '').toSorted(([left], [right]) => byText(left, right)))
}

type Line = readonly [path: string, takes: string]

/** A line for each key at `path` and below it: entries of lists are `[]`, keys that users choose `NAME`. */
function keysIn(schema: Schema, path: string): readonly Line[] {
  const { anyOf = [], items, properties = {}, additionalProperties: others, required = [] } = schema
  const inChoices = (anyOf as readonly Schema[]).flatMap((each) => keysIn(each, path))
  const inItems = items ? keysIn(items as Schema, `${path}[]`) : []
  const inOthers = typeof others === 'object' ? keysIn(others as Schema, `${path}.NAME`) : []
  const own = Object.entries(properties as Readonly<Record<string, Schema>>).flatMap(([key, each]) => {
    const place = path === '' ? key : `${path}.${key}`
    const needed = (required as readonly string[]).includes(key) ? ', needed' : ''
    return [[place, `${schemaText(shallow(each))}${needed}${defaultOf(each)}`] as const, ...keysIn(each, place)]
  })
  return [...own, ...inChoices, ...inItems, ...inOthers]
}

/** The schema without the keys that have lines of their own. */
function shallow(schema: Schema): Schema {
  const { anyOf, items, properties, ...rest } = schema
  return {
    ...rest,
    ...(anyOf ? { anyOf: (anyOf as readonly Schema[]).map(shallow) } : {}),
    ...(items ? { items: shallow(items as Schema) } : {}),
    ...(typeof rest['additionalProperties'] === 'object'
      ? { additionalProperties: shallow(rest['additionalProperties'] as Schema) }
      : {}),
    ...(properties ? { properties: {} } : {}),
  }
}

/** A default that is a value; those told in words are wording. */
function defaultOf({ description = '' }: Schema): string {
  const value = /\bDefault: (\S+|\[[^\]]*\])\.$/.exec(String(description))?.[1]
  return value === undefined ? '' : `, default ${value}`
}
