import { type GenericSchema, safeParse } from 'valibot'
import { PawlError } from '../core/pawl-error.ts'
import { camelCase, type Entries, fileFormOf, fileKind, notesOf } from './file-kinds.ts'

/** A flag of the command line that sets one setting of a part. */
export interface Flag {
  readonly setting: string
  /** `-n, --max-iterations <count>`. */
  readonly usage: string
  readonly about: string
  /** Absent if there is none, or `about` has it. */
  readonly byDefault?: string
  /** The words that it takes, if they are few. */
  readonly choices?: readonly string[]
  /** Whether it may be given several times. */
  readonly isList: boolean
}

/** The flags that a part's settings name. Settings that share a flag have one. */
export function flagsOf(entries: Entries): readonly Flag[] {
  const flags = Object.entries(entries).flatMap(([setting, entry]): Flag[] => {
    const { flag: usage, about, flagAbout = lowerFirst(about), byDefault } = { ...notesOf(entry), ...fileFormOf(entry) }
    const { default: value } = entry as { readonly default?: unknown }
    if (usage === undefined) return []
    const kind = fileKind(innerKind(entry))
    const { options: choices } = kind as { readonly options?: readonly string[] }
    // The default of a switch is that nobody gave it.
    const isPlain = kind.type !== 'boolean' && flagAbout === lowerFirst(about)
    const known = isPlain ? (byDefault ?? (value === undefined ? undefined : String(value))) : undefined
    return [
      {
        setting,
        usage,
        about: flagAbout,
        // Of a map, each gives one entry: `--guard thrashing=trip`.
        isList: kind.type === 'array' || kind.type === 'strict_object',
        ...(known === undefined ? {} : { byDefault: known }),
        ...(kind.type === 'picklist' && choices ? { choices } : {}),
      },
    ]
  })
  return flags.filter(({ usage }, index) => flags.findIndex((each) => each.usage === usage) === index)
}

/** The settings that flags give; `given` has them as commander does. Throws `usage.number` or `usage.duration` with the flag's name. */
export function flagSettings(entries: Entries, given: object): Readonly<Record<string, unknown>> {
  const settings = Object.entries(entries).map(([setting, entry]) => {
    const { flag } = { ...notesOf(entry), ...fileFormOf(entry) }
    return [
      setting,
      flag === undefined ? undefined : flagValue(innerKind(entry), flag, given as Readonly<Record<string, unknown>>),
    ]
  })
  return Object.fromEntries(settings.filter(([, value]) => value !== undefined))
}

function flagValue(kind: GenericSchema, usage: string, given: Readonly<Record<string, unknown>>): unknown {
  const [, name = '', no, words = ''] = /(--(no-)?([\w-]+))/.exec(usage) ?? []
  const text = given[camelCase(words.replaceAll('-', '_'))]
  // Commander's value for a `--no-…` that nobody gave is true.
  if (text === undefined || (no !== undefined && text !== false)) return undefined
  const wanted = fileKind(kind)
  // `--no-promise` beside `--promise <word>`.
  if (text === false && wanted.type === 'array') return []
  const isNumber = wanted.type === 'number'
  const { success, output, issues } = safeParse(wanted, isNumber ? numberIn(String(text)) : text)
  if (success) return output
  const [{ message }] = issues
  // A phrase says what is wanted, a sentence what is wrong.
  const sentence = message.endsWith('.')
    ? `${name}: ${message}`
    : `${name} takes ${message.replace(/^longer/, 'a duration longer')}, not "${String(text)}".`
  throw new PawlError(isNumber ? 'usage.number' : 'usage.duration', sentence, { value: text })
}

function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

function innerKind(entry: GenericSchema): GenericSchema {
  return (entry as { readonly wrapped?: GenericSchema }).wrapped ?? entry
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
