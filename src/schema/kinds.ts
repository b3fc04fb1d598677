import { isFields } from '../core/json.ts'
import {
  _addIssue,
  any,
  array,
  type BaseIssue,
  boolean,
  check,
  custom,
  description,
  finite,
  type GenericSchema,
  gtValue,
  type InferInput,
  type InferOutput,
  lazy,
  literal,
  maxLength,
  maxValue,
  metadata,
  minLength,
  minValue,
  nullish,
  number,
  object,
  optional as mayBeAbsent,
  picklist,
  pipe,
  rawCheck,
  record,
  regex,
  safeInteger,
  safeParse,
  strictObject,
  string,
  transform,
  trim,
  union,
  url,
  variant,
} from 'valibot'
import { wantedBy } from './schema-at.ts'

export type { GenericSchema, InferInput as InputOf, InferOutput as OutputOf } from 'valibot'

/*
 * The kinds of values that settings have. The message of every rule in a schema is a phrase that says what is wanted ("true or false"):
 * whoever reports a problem makes a sentence of it, and reference tables use the same phrase.
 */

/** The kind that fits what the value is. */
export function byValue(choose: (value: unknown) => GenericSchema): GenericSchema {
  return mayBeAbsent(lazy(choose))
}

/** A text that isn't blank. */
export const TEXT = notBlank('a text that is not empty')

/** One line of text, without blanks around it. */
export const LINE = matching('one line of text', /^\S(?:.*\S)?$/)

/** One word, which can't be taken for an option. */
export const WORD = matching('one word', /^[^\s-]\S*$/)

/** Any text, an empty one too. */
export const WORDS = string('a text')

/** A list of texts, which may be empty. */
export const TEXTS = listOf('a list of texts', WORDS)

/** A list of anything. */
export const LIST = array(any(), 'a list')

/** A switch. */
export const FLAG = boolean('true or false')

/** Something to call. */
export const FUNCTION = custom<(...given: never[]) => unknown>((value) => typeof value === 'function', 'a function')

/** A length of time. */
export const MILLISECONDS = numberAbove(0, 'a number of milliseconds above 0')

/** Stops something that is under way. */
export const SIGNAL = having<AbortSignal>('an AbortSignal', 'aborted')

/** Whatever somebody else wrote: an agent, or a file of another tool. */
export const ANYTHING = mayBeAbsent(any())

/** A text that isn't blank, called by what it is. */
export function notBlank(wanted: string) {
  return textThat(wanted, (text) => text.trim() !== '')
}

/** A text that fits. `problem` is for one that doesn't: another phrase, or a sentence that leaves out the text, which may be secret. */
export function textThat(wanted: string, fits: (text: string) => boolean, problem = wanted) {
  return pipe(string(wanted), check(fits, problem))
}

/** An address on the web. */
export function address(wanted: string) {
  return pipe(string(wanted), url(wanted))
}

/** Any text, called by what it is. */
export function textCalled(wanted: string) {
  return string(wanted)
}

/** A text of a limited length, which may be empty. */
export function textUpTo(lengthMax: number) {
  const wanted = `a text of at most ${lengthMax} characters`
  return pipe(string(wanted), maxLength(lengthMax, wanted))
}

/** A text of a limited length that isn't blank, without the space around it. */
export function nameUpTo(lengthMax: number) {
  const wanted = `a text of 1 to ${lengthMax} characters`
  return pipe(
    string(wanted),
    minLength(1, wanted),
    maxLength(lengthMax, wanted),
    check((text) => text.trim() !== '', wanted),
    trim(),
  )
}

/** A text of a certain form. */
export function matching(wanted: string, pattern: RegExp) {
  return pipe(string(wanted), regex(pattern, wanted))
}

/** A number from `min` to `max`. */
export function numberBetween(min: number, max: number, wanted = `a number from ${min} to ${max}`) {
  return pipe(number(wanted), minValue(min, wanted), maxValue(max, wanted))
}

/** A whole number from `min` to `max`. */
export function wholeNumberBetween(min: number, max: number, wanted = `a whole number from ${min} to ${max}`) {
  return pipe(number(wanted), safeInteger(wanted), minValue(min, wanted), maxValue(max, wanted))
}

/** A whole number from `min` on. */
export function wholeNumber(min: number) {
  const wanted = `a whole number of at least ${min}`
  return pipe(number(wanted), safeInteger(wanted), minValue(min, wanted))
}

/** A whole number, 0 too. */
export const COUNT = wholeNumber(0)

/** A finite number. */
export const NUMBER = pipe(number('a number such as 0.3'), finite('a number such as 0.3'))

/** A finite number from 0 on. */
export const AMOUNT = pipe(
  number('a number of at least 0'),
  finite('a number of at least 0'),
  minValue(0, 'a number of at least 0'),
)

/** A share above 0 and up to 1. */
export const SHARE = pipe(
  number('a share above 0 and up to 1'),
  gtValue(0, 'a share above 0 and up to 1'),
  maxValue(1, 'a share above 0 and up to 1'),
)

/** A share that may be 0. */
export const SHARE_FROM_0 = pipe(
  number('a number from 0 to 1'),
  minValue(0, 'a number from 0 to 1'),
  maxValue(1, 'a number from 0 to 1'),
)

/** A finite number above `min`, called by what it is. */
export function numberAbove(min: number, wanted: string) {
  return pipe(number(wanted), finite(wanted), gtValue(min, wanted))
}

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(words: Words, wanted = wordsOf(words)) {
  // An issue carries the requirement of its schema, so whoever reports it knows the words.
  return { ...picklist(words, wanted), requirement: words }
}

function wordsOf(words: readonly string[]): string {
  return words.length <= 3 ? words.join(', ').replace(/, (?=[^,]*$)/, ' or ') : `one of ${words.join(', ')}`
}

/** A value of any of these kinds. */
export function eitherOf<const Kinds extends readonly GenericSchema[]>(wanted: string, ...kinds: Kinds) {
  return union(kinds, wanted)
}

/** A list, each of whose items is of a kind; `wanted` says what the whole is. */
export function listOf<const Item extends GenericSchema>(wanted: string, item: Item) {
  return array(item, wanted)
}

/** The same with at least one item. */
export function someOf<const Item extends GenericSchema>(wanted: string, item: Item) {
  return pipe(array(item, wanted), minLength(1, wanted))
}

/** A value of a kind that also fits a rule which the kind can't say. */
export function fittingKind<Given, Value>(wanted: string, kind: GenericSchema<Given, Value>, fits: (value: Value) => boolean) {
  return pipe(kind, check(fits, wanted))
}

/** A list of at most `sizeMax` items. */
export function listUpTo<const Item extends GenericSchema>(sizeMax: number, wanted: string, item: Item) {
  return pipe(array(item, wanted), maxLength(sizeMax, wanted))
}

/** The same with at least one item. */
export function someUpTo<const Item extends GenericSchema>(sizeMax: number, wanted: string, item: Item) {
  return pipe(array(item, wanted), minLength(1, wanted), maxLength(sizeMax, wanted))
}

/** The whole number of a setting, with or without a default, but no more than `max`. */
export function upTo(max: number, setting: GenericSchema | undefined): GenericSchema<number, number> {
  const { wrapped: kind = setting } = setting as { readonly wrapped?: GenericSchema }
  return pipe(kind as GenericSchema<number, number>, maxValue(max, `${wantedBy(kind)} and at most ${max}`))
}

/** The one value that is meant. */
export function exactly<const Value extends string | boolean>(value: Value) {
  return literal(value)
}

/** True, where false is said by leaving it out. */
export const TRUE = literal(true, 'true')

/** Free-form data. JSON Schema says so in so many words, since some MCP clients refuse a schema that says nothing. */
export const ANY_MAP = pipe(mapOf('a map', any()), metadata({ additionalProperties: true })) as unknown as GenericSchema<
  object,
  Record<string, unknown>
>

/** A map with these keys; others are left out. */
export function mapWith<const Entries extends Readonly<Record<string, GenericSchema>>>(wanted: string, entries: Entries) {
  return object(entries, wanted)
}

/** The same for what somebody else wrote: a key that is missing is reported with its own phrase. */
export function looseMap<const Entries extends Readonly<Record<string, GenericSchema>>>(wanted: string, entries: Entries) {
  return object(entries, ({ path }) => (path ? wantedBy(entries[String(path[0].key)]) : wanted))
}

/** Values of a kind by names. */
export function mapOf<const Value extends GenericSchema>(wanted: string, value: Value) {
  return mapsOnly(record(string(), value, wanted))
}

/** The same, with a rule for the names too. */
export function mapOfNamed<const Name extends GenericSchema<string, string>, const Value extends GenericSchema>(
  wanted: string,
  name: Name,
  value: Value,
) {
  return mapsOnly(record(name, value, wanted))
}

/** What a part itself says is right. */
export function fitting<Value>(wanted: string, fits: (value: unknown) => boolean) {
  return custom<Value>(fits, wanted)
}

/** A value that programs have in another form than people write it. */
export function readAs<const Value extends GenericSchema, Read>(kind: Value, read: (value: InferOutput<Value>) => Read) {
  return pipe(kind, transform(read))
}

/** Anything that has these members, whoever made it. */
export function having<Part = unknown>(wanted: string, ...members: readonly string[]) {
  return custom<Part>((value) => isFields(value) && members.every((member) => member in value), wanted)
}

/** A setting that has to be given. `about` is the line for it in reference tables and editors. */
export function needed<const Value extends GenericSchema>(kind: Value, about = '') {
  return described(kind, about)
}

function described<const Value extends GenericSchema>(kind: Value, about: string): Value {
  return about === '' ? kind : (pipe(kind, description(about)) as unknown as Value)
}

/** A setting that may be left out. */
export function optional<const Value extends GenericSchema>(kind: Value, about = '') {
  return mayBeAbsent(described(kind, about))
}

/** The same, where `null` is as good as nothing: the heading of settings that are all commented out. */
export function optionalOrEmpty<const Value extends GenericSchema>(kind: Value) {
  return nullish(kind)
}

/** The same, with a value in place of nothing. */
export function emptyAs<const Value extends GenericSchema, const Default>(kind: Value, value: Default) {
  return nullish(kind, value as never) as unknown as GenericSchema<
    InferInput<Value> | null | undefined,
    InferOutput<Value> | Default
  >
}

/** A setting that has a value where none is given. */
export function byDefault<const Value extends GenericSchema, const Default extends NonNullable<unknown>>(
  kind: Value,
  value: Default,
  about = '',
) {
  return mayBeAbsent(described(kind, about), value)
}

/** The settings of one part: these and no others. */
export function settingsSchema<const Entries extends Readonly<Record<string, GenericSchema>>>(
  entries: Entries,
  wanted = 'a map',
) {
  // Without a prototype, or "constructor" would be a known key.
  return mapsOnly(strictObject(Object.assign(Object.create(null), entries) as Entries, wanted))
}

/** A rule between settings: which of them is wrong, and the phrase for what it must be; `undefined` if none is. */
export function withRule<const Schema extends GenericSchema>(
  schema: Schema,
  rule: (settings: InferOutput<Schema>) => { readonly name: string; readonly wanted: string } | undefined,
) {
  return pipe(
    schema,
    rawCheck(({ dataset, addIssue }) => {
      const wrong = dataset.typed ? rule(dataset.value) : undefined
      if (!wrong) return
      const input = dataset.value as Record<string, unknown>
      const value = input[wrong.name]
      addIssue({
        message: wrong.wanted,
        input: value,
        path: [{ type: 'object', origin: 'value', input, key: wrong.name, value }],
      })
    }),
  )
}

/**
 * Settings that depend on the word under one key, such as `type`: one schema for each word, all called the same. `entries` are those of
 * all of them, for reference tables.
 */
export function settingsBy<const Key extends string, const Schema extends SettingsBy<Key>>(
  key: Key,
  about: string,
  options: readonly Schema[],
) {
  const words = options.flatMap(({ entries }) => (entries[key] as unknown as { readonly options: readonly string[] }).options)
  const message = ({ path }: BaseIssue<unknown>) => (path ? wordsOf(words) : wantedBy(options[0]))
  const schema = variant(key, options as never, message as never) as unknown as GenericSchema<unknown, InferOutput<Schema>>
  return { ...schema, entries: { ...options[0]?.entries, [key]: needed(oneOf(words), about) } }
}

type SettingsBy<Key extends string> = GenericSchema & { readonly entries: Readonly<Record<Key, GenericSchema>> }

/**
 * To valibot a list is an object, and one unknown key is enough; to people a list isn't, and they want to hear of all at once. The issue
 * about a missing key has the phrase of its entry, and that about an unknown one the names that there are.
 */
function mapsOnly<const Schema extends GenericSchema>(schema: Schema): Schema {
  const { entries } = schema as { readonly entries?: Readonly<Record<string, GenericSchema>> }
  // It passes over keys that it doesn't know.
  const inner = entries ? object(entries) : schema
  return {
    ...schema,
    get '~standard'() {
      const validate = (value: unknown) => {
        const { success, output, issues } = safeParse(this as unknown as Schema, value)
        return success ? { value: output } : { issues }
      }
      return { version: 1, vendor: 'valibot', validate }
    },
    '~run'(dataset: never, config: never) {
      const { value } = dataset as { readonly value: unknown }
      if (Array.isArray(value)) {
        _addIssue(this as never, 'type', dataset, config)
        return dataset
      }
      const result = inner['~run'].call(this, dataset, config) as { issues?: BaseIssue<unknown>[] }
      if (!entries) return result
      const found = [...(result.issues ?? [])]
      for (const issue of found) {
        const key = issue.path?.length === 1 ? String(issue.path[0].key) : undefined
        if (key !== undefined && issue.expected === JSON.stringify(key)) Object.assign(issue, { message: wantedBy(entries[key]) })
      }
      const known = { ...this, requirement: Object.keys(entries) }
      for (const key of unknownKeys(value, entries)) {
        const path = [{ type: 'object', origin: 'key', input: value, key, value: (value as Record<string, unknown>)[key] }]
        _addIssue(known as never, 'key', result as never, config, { input: key, expected: 'never', path: path as never })
      }
      // A misspelled key explains a missing one, so it comes first.
      if (result.issues) result.issues = [...result.issues.slice(found.length), ...found]
      return result
    },
  } as Schema
}

function unknownKeys(value: unknown, entries: Readonly<Record<string, GenericSchema>>): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).filter((key) => !Object.hasOwn(entries, key))
}

/**
 * The entries of a schema for options of a type. TypeScript refuses a schema that names an option too few or too many, or that lets one
 * be left out which is needed, or the other way round.
 */
export type EntriesOf<Options> = {
  readonly [Name in NamesOf<Options>]: undefined extends ValueOf<Options, Name>
    ? GenericSchema<unknown, Plain<ValueOf<Options, Name>>> & { readonly wrapped: GenericSchema }
    : GenericSchema<unknown, Plain<ValueOf<Options, Name>>> & { readonly wrapped?: never }
}

/** The type of plain values and lists of them; objects and functions are only checked at run time. */
type Plain<Value> = [Value] extends [PlainValue | readonly PlainValue[]] ? Value : unknown

type PlainValue = string | number | boolean | undefined

/** All names of a union of options, where `keyof` has only those that they share. */
type NamesOf<Options> = Options extends unknown ? keyof Options : never

type ValueOf<Options, Name> = Options extends unknown ? (Name extends keyof Options ? Options[Name] : undefined) : never
