/** Fields that may be undefined, as optional properties that are absent instead. */
export type Defined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>
}

/**
 * The fields that have a value. An optional property is absent if it isn't known, never undefined: what is written as JSON and read back
 * is the same then.
 *
 * @example
 * const view = { run, ...defined({ model, session }) }
 */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}
