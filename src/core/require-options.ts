import { didYouMean } from './nearest-name.ts'
import type { OptionKind, OptionKinds } from './option-kinds.ts'
import { PawlError } from './pawl-error.ts'
import { isRecorded } from './recorded-settings.ts'

/**
 * Refuses options that a factory does not know, that are missing, or that are not what may stand for them: a limit that is misspelled would
 * be none, and be believed in. What a run recorded is taken as it is.
 */
export function requireOptions<Options>(owner: string, options: Options, kinds: OptionKinds<Options>): void {
  if (isRecorded(options)) return
  requireKnownOptions(owner, options, Object.keys(kinds))
  for (const [name, kind] of Object.entries<true | (OptionKind & { readonly isNeeded?: true })>(kinds)) {
    const value = (options as Readonly<Record<string, unknown>>)[name]
    if (kind === true || (value === undefined && !kind.isNeeded)) continue
    requireKind(owner, name, value, kind)
  }
}

/** Refuses what is no object of options, and an option with another name than these. */
export function requireKnownOptions(owner: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const sentence = `${owner} takes an object with its options (${names.join(', ')}), not ${shown(options)}.`
    throw new PawlError('setting.invalid', sentence, { value: options })
  }
  const wrong = Object.keys(options).find((name) => !names.includes(name))
  if (wrong === undefined) return
  const sentence = `${owner} has no option "${wrong}"${didYouMean(wrong, names)}`
  throw new PawlError('setting.unknown', sentence.endsWith('?') ? sentence : `${sentence}.`, { value: wrong })
}

/** Refuses a value that is not of the kind, and one that is not there. */
export function requireKind(owner: string, name: string, value: unknown, { wanted, accepts }: OptionKind): void {
  if (value === undefined) throw new PawlError('setting.missing', `${owner} needs ${name}: ${wanted}.`)
  if (!accepts(value))
    throw new PawlError('setting.invalid', `${owner}: ${name} must be ${wanted}, not ${shown(value)}.`, { value })
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${[...new Set(value.map(shown))].join(', ')}`
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…` : text
}

const SHOWN_LENGTH_MAX = 80
