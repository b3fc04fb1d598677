import { hash } from 'node:crypto'
import type { EventData, TextRef } from '../core/event-data.ts'

/** The reference to a text that nobody keeps: its hash distinguishes it. */
export function textRef(text: string): TextRef {
  return { sha256: hash('sha256', text), bytes: Buffer.byteLength(text) }
}

/** A text that an event refers to, and the name of the field that does. */
export interface NamedText {
  readonly field: string
  readonly ref: TextRef
}

/** The names of the fields of `Data` that hold a reference. */
type TextField<Data> = Data extends readonly unknown[]
  ? never
  : Data extends object
    ? { [Name in keyof Data]-?: [Data[Name] & {}] extends [TextRef] ? Named<Name, Data[Name] & {}> : never }[keyof Data]
    : never

/** The names of the fields of `Data` that hold something, or a list of things, with references in it. */
type Holder<Data> = Data extends object
  ? { [Name in keyof Data]-?: Named<Name, TextField<Each<Data[Name] & {}>>> }[keyof Data]
  : never

/** `Name`, if there is any `Value` at all. */
type Named<Name, Value> = [Value] extends [never] ? never : Name

type Each<Value> = Value extends readonly (infer Item)[] ? Item : Value

/** The field `Name`, if `Data` has it. */
type Held<Data, Name> = Data extends object ? Each<Data[keyof Data & Name] & {}> : never

type AnyData = EventData[keyof EventData]

/** Where events keep texts by reference. A field that `EventData` has and that is not named here does not compile. */
const TEXT_FIELDS: Readonly<Record<TextField<AnyData> | TextField<Held<AnyData, Holder<AnyData>>>, true>> = {
  brief: true,
  output: true,
  said: true,
  diff: true,
  packages: true,
  draft: true,
}

/** What has such fields in turn. */
const HOLDERS: Readonly<Record<Holder<AnyData>, true>> = { question: true, firstRun: true }

/**
 * The texts that an event's data refers to. Only the fields that are meant for it are looked at: what an agent said may look like a
 * reference, too.
 */
export function textRefsOf(data: unknown): readonly NamedText[] {
  const own = refsIn(data)
  const held = Object.keys(HOLDERS).flatMap((name) => [fieldOf(data, name)].flat().flatMap(refsIn))
  return [...own, ...held]
}

function refsIn(data: unknown): readonly NamedText[] {
  return Object.keys(TEXT_FIELDS).flatMap((field) => {
    const ref = fieldOf(data, field)
    return isTextRef(ref) ? [{ field, ref }] : []
  })
}

function fieldOf(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>)[name] : undefined
}

function isTextRef(value: unknown): value is TextRef {
  return typeof fieldOf(value, 'sha256') === 'string'
}
