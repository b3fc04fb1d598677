import type { BaseIssue, GenericSchema } from 'valibot'

/** The parts that schemas are made of, as far as Pawl looks into them. */
interface Inside {
  readonly wrapped?: GenericSchema
  readonly pipe?: readonly GenericSchema[]
  readonly options?: readonly unknown[]
  readonly entries?: Readonly<Record<string, GenericSchema>>
  readonly message?: unknown
}

/** A place in a value: keys of maps and indexes of lists. */
export type Path = readonly (string | number)[]

/** Where an issue is. */
export function pathOf({ path }: BaseIssue<unknown>): Path {
  return (path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)))
}

/** `over[1]`, `prices.input`. */
export function dottedPath(path: Path): string {
  return path.map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`)).join('')
}

/** The names there are, of an issue about an unknown key or a wrong word. */
export function namesOf({ requirement }: BaseIssue<unknown>): readonly string[] {
  return Array.isArray(requirement) ? requirement : []
}

/** The keys of a map with this schema; none if it is not a map of fixed keys. */
export function keysOf(schema: GenericSchema | undefined): readonly string[] {
  return Object.keys(partsOf(schema).find(({ entries }) => entries)?.entries ?? {})
}

/** What a schema asks for, as a part of a sentence: "a whole number of at least 1". */
export function wantedBy(schema: GenericSchema | undefined): string {
  const message = partsOf(schema).find((part) => typeof part.message === 'string')?.message
  return typeof message === 'string' ? message : 'a value'
}

/** Whether an issue is about a key that the schema doesn't have. */
export function isUnknownKey({ type, expected }: BaseIssue<unknown>): boolean {
  return type === 'strict_object' && expected === 'never'
}

/** A schema without what is wrapped around it, the schemas of its pipe, and the variants of a union. */
function partsOf(schema: GenericSchema | undefined): readonly Inside[] {
  if (schema === undefined) return []
  const { wrapped, pipe, options } = schema as Inside
  if (wrapped) return partsOf(wrapped)
  const piped = (pipe ?? []).filter(({ kind }) => kind === 'schema')
  if (piped.length > 0) return piped.flatMap((part) => partsOf(part))
  const variants = schema.type === 'union' || schema.type === 'variant' ? ((options ?? []) as readonly GenericSchema[]) : []
  return [schema as Inside, ...variants.flatMap((part) => partsOf(part))]
}
