/** What may stand for an option. */
export interface OptionKind {
  /** A part of a sentence: "true or false". */
  readonly wanted: string
  readonly accepts: (value: unknown) => boolean
}

/** What has to be given. */
export interface NeededOption extends OptionKind {
  readonly isNeeded: true
}

/**
 * The options of a factory, each with what may stand for it; `true` where the factory itself looks at what is given. TypeScript refuses a table that
 * names an option too few or too many, or that calls one needed that may be left out, or the other way round.
 */
export type OptionKinds<Options> = {
  readonly [Name in NamesOf<Options>]: undefined extends ValueOf<Options, Name>
    ? true | (OptionKind & { readonly isNeeded?: never })
    : true | NeededOption
}

/** All names of a union of options, where `keyof` knows only those that they share. */
type NamesOf<Options> = Options extends unknown ? keyof Options : never

type ValueOf<Options, Name> = Options extends unknown ? (Name extends keyof Options ? Options[Name] : undefined) : never

/** The same kind, for an option that has to be given. */
export function needed(kind: OptionKind): NeededOption {
  return { ...kind, isNeeded: true }
}

/** Some text. */
export const TEXT: OptionKind = {
  wanted: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
}

/** Any text, an empty one too. */
export const WORDS: OptionKind = { wanted: 'a text', accepts: (value) => typeof value === 'string' }

/** Texts, which may be none. */
export const TEXTS: OptionKind = listOf('a list of texts', WORDS)

/** A whole number, 0 too. */
export const COUNT: OptionKind = {
  wanted: 'a whole number of at least 0',
  accepts: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
}

/** A length of time. */
export const MILLISECONDS: OptionKind = {
  wanted: 'a number of milliseconds above 0',
  accepts: (value) => Number.isFinite(value) && Number(value) > 0,
}

/** What stops something that is under way. */
export const SIGNAL: OptionKind = having('an AbortSignal', 'aborted')

/** A switch. */
export const FLAG: OptionKind = { wanted: 'true or false', accepts: (value) => typeof value === 'boolean' }

/** Something to call. */
export const FUNCTION: OptionKind = { wanted: 'a function', accepts: (value) => typeof value === 'function' }

/** One of a few words. */
export function oneOf(...words: readonly string[]): OptionKind {
  return { wanted: words.join(' or '), accepts: (value) => typeof value === 'string' && words.includes(value) }
}

/** Whether a guard decides or only warns. */
export const SEVERITY: OptionKind = oneOf('trip', 'warn')

/** A list, each of whose items is of a kind; `wanted` says what the whole is. */
export function listOf(wanted: string, kind: OptionKind): OptionKind {
  return { wanted, accepts: (value) => Array.isArray(value) && value.every((item) => kind.accepts(item)) }
}

/** A list of anything. */
export const LIST: OptionKind = { wanted: 'a list', accepts: Array.isArray }

/** Values of a kind by names. */
export function mapOf(wanted: string, kind: OptionKind): OptionKind {
  return { wanted, accepts: (value) => isObject(value) && Object.values(value).every((item) => kind.accepts(item)) }
}

/** A part of a loop: anything that has these members, whoever made it. */
export function having(wanted: string, ...members: readonly string[]): OptionKind {
  return { wanted, accepts: (value) => isObject(value) && members.every((member) => member in value) }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
