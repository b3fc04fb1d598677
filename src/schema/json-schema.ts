import { toJsonSchema } from '@valibot/to-json-schema'
import type { GenericSchema } from 'valibot'

/** A schema as JSON Schema: what is given to it, or what comes out of it. Rules that JSON Schema can't express are left out. */
export function jsonSchema(schema: GenericSchema, typeMode: 'input' | 'output'): Record<string, unknown> {
  return { ...toJsonSchema(schema, { typeMode, target: 'draft-2020-12', errorMode: 'ignore' }) }
}
