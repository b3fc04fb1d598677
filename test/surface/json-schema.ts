import { nameText, objectText, unionText } from './lines.ts'

export type Schema = Readonly<Record<string, unknown>>

/** Keywords that say how values are bounded. */
const BOUNDS = ['format', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
BOUNDS.push('minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'default')

/** A JSON schema as one writes a type; two schemas that allow the same thing in other words come out alike. */
export function schemaText(schema: Schema): string {
  const bounds = BOUNDS.filter((key) => schema[key] !== undefined && Math.abs(Number(schema[key])) !== Number.MAX_SAFE_INTEGER)
  const marks = bounds.map((key) => `${key} ${JSON.stringify(schema[key])}`).join(', ')
  return `${shapeText(schema)}${marks === '' ? '' : ` (${marks})`}`
}

function shapeText(schema: Schema): string {
  const {
    type,
    enum: values,
    const: value,
    anyOf,
    oneOf,
    allOf,
    items,
    prefixItems,
    properties,
    additionalProperties: rest,
  } = schema
  const choices = (anyOf ?? oneOf) as readonly Schema[] | undefined
  if (value !== undefined) return JSON.stringify(value)
  if (Array.isArray(values)) return unionText(values.map((each) => JSON.stringify(each)))
  if (choices) return unionText(choices.map((each) => schemaText(each)))
  if (Array.isArray(allOf))
    return unionText(
      allOf.map((each: Schema) => schemaText(each)),
      '&',
    )
  if (Array.isArray(type)) return unionText(type.map((each: string) => shapeText({ ...schema, type: each })))
  if (type === 'array' && Array.isArray(prefixItems)) return `[${prefixItems.map((each: Schema) => schemaText(each)).join(', ')}]`
  if (type === 'array') return `(${schemaText((items ?? {}) as Schema)})[]`
  if (type !== 'object') return String(type ?? schema['$ref'] ?? 'anything')
  const required = new Set((schema['required'] ?? []) as readonly string[])
  const members = Object.entries((properties ?? {}) as Record<string, Schema>).map(
    ([name, each]) => `${nameText(name)}${required.has(name) ? '' : '?'}: ${schemaText(each)}`,
  )
  const others = rest === false ? [] : [`[others]: ${typeof rest === 'object' ? schemaText(rest as Schema) : 'anything'}`]
  return objectText([...members, ...others])
}
