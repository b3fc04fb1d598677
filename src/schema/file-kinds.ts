import {
  description,
  type GenericSchema,
  getDescription,
  getMetadata,
  metadata,
  number,
  optional,
  pipe,
  rawTransform,
  string,
  union,
} from 'valibot'
import { PawlError } from '../core/pawl-error.ts'
import { settingsSchema } from './kinds.ts'
import { keysOf, wantedBy } from './schema-at.ts'

/** What the reference and a new pawl.yaml say about a key besides its description. */
export interface KeyNotes {
  /** The value where the key is absent, in a few words of Markdown. */
  readonly byDefault?: string
  /** The flag that sets it, as help has it: `-n, --max-iterations <count>`. A list is set by repeating it. */
  readonly flag?: string
  /** The line of help for the flag, if the flag means something else than the key. */
  readonly flagAbout?: string
  /** The flags in a few words of Markdown, if there is more to say than the flag's name. */
  readonly flags?: string
  /** Lines of YAML that show it. */
  readonly example?: string
}

/** Settings of a part by their names, or keys of a file. */
export type Entries = Readonly<Record<string, GenericSchema>>

/** A key of a file that may be left out. */
export function optionalKey<const Value extends GenericSchema>(kind: Value, about: string, notes: KeyNotes = {}) {
  return optional(neededKey(kind, about, notes))
}

/** A key that has to be there. */
export function neededKey<const Value extends GenericSchema>(kind: Value, about: string, notes: KeyNotes = {}) {
  return pipe(kind, description(about), metadata({ notes }))
}

/** The description and the notes of a key. */
export function notesOf(schema: GenericSchema): KeyNotes & { readonly about: string; readonly isNeeded: boolean } {
  const { wrapped } = schema as { readonly wrapped?: GenericSchema }
  const inner = wrapped ?? schema
  const { notes = {} } = getMetadata(inner) as { readonly notes?: KeyNotes }
  return { ...notes, about: getDescription(inner) ?? '', isNeeded: wrapped === undefined }
}

/** How a setting in a file, or as a flag, differs from the same setting in a program. */
export interface FileForm extends KeyNotes {
  /** Default: the name in snake_case. */
  readonly name?: string
  /** Default: the same kind. */
  readonly kind?: GenericSchema
  /** Set for a setting that files don't have. */
  readonly isAbsent?: true
}

/** A setting that files have in another form than programs, or not at all. */
export function inFiles<const Value extends GenericSchema>(kind: Value, form: FileForm) {
  return pipe(kind, metadata({ inFiles: form }))
}

/** A setting that only programs have. */
export function inPrograms<const Value extends GenericSchema>(kind: Value) {
  return inFiles(kind, { isAbsent: true })
}

/** How a setting differs in files; empty if it doesn't. */
export function fileFormOf(entry: GenericSchema): FileForm {
  const { wrapped } = entry as { readonly wrapped?: GenericSchema }
  const { inFiles: form = {} } = getMetadata(wrapped ?? entry) as { readonly inFiles?: FileForm }
  return form
}

/**
 * The settings of a part as they are in a file: the names in snake_case, and absent where they are not given, so that the defaults
 * stay in one place.
 */
export function fileEntries(entries: Entries): Entries {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, entry]) => {
      const { wrapped, default: value } = entry as { readonly wrapped?: GenericSchema; readonly default?: unknown }
      const { isAbsent, name: _name, kind: _kind, ...notes } = fileFormOf(entry)
      if (isAbsent) return []
      const make = wrapped === undefined ? neededKey : optionalKey
      const byDefault = notes.byDefault ?? (value === undefined ? undefined : yamlOf(value))
      const key = make(
        fileKind(wrapped ?? entry),
        notesOf(entry).about,
        byDefault === undefined ? notes : { ...notes, byDefault },
      )
      return [[fileKey(name, entry), key]]
    }),
  )
}

/** The key of a setting in files. */
export function fileKey(name: string, entry: GenericSchema): string {
  return fileFormOf(entry).name ?? snakeCase(name)
}

/** What a file says, by the names that programs have for it. */
export function settingsFromFile(entries: Entries, given: object): Readonly<Record<string, unknown>> {
  const values = Object.entries(entries).flatMap(([name, entry]): [string, unknown][] => {
    const value = fileFormOf(entry).isAbsent ? undefined : (given as Record<string, unknown>)[fileKey(name, entry)]
    const { wrapped = entry } = entry as { readonly wrapped?: GenericSchema }
    const { entries: inner } = wrapped as { readonly entries?: Entries }
    return value === undefined ? [] : [[name, inner ? settingsFromFile(inner, value as object) : value]]
  })
  return Object.fromEntries(values)
}

/** The kind of a setting as people write it, in files and flags. */
export function fileKind(schema: GenericSchema): GenericSchema {
  const { kind } = fileFormOf(schema)
  if (kind) return kind
  const { entries } = schema as { readonly entries?: Readonly<Record<string, GenericSchema>> }
  return entries && keysOf(schema).length > 0 ? settingsSchema(fileEntries(entries), wantedBy(schema)) : schema
}

/** `failuresMax`, as programs have it, is `failures_max` in files. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** `failures_max`, as files have it, is `failuresMax` in programs. */
export function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())
}

/** A plain value as YAML has it on one line. */
function yamlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(yamlOf).join(', ')}]`
  return String(value)
}

/** A duration as people write it, read as milliseconds. */
export function durationText(msMin: 0 | 1) {
  return pipe(
    union([string(), number()], 'a duration such as 90s, 10m or 1h30m'),
    rawTransform(({ dataset, addIssue, NEVER }) => {
      try {
        const ms = parseDuration(String(dataset.value))
        if (ms >= msMin) return ms
        addIssue({ message: 'longer than 0' })
      } catch (error) {
        if (!(error instanceof PawlError)) throw error
        addIssue({ message: error.message })
      }
      return NEVER
    }),
  )
}

const INSTANT_WORDS = 'an instant with its zone, such as 2030-01-01T18:00Z or 2030-01-01T18:00+01:00'

/** An instant as text, read as milliseconds since 1970. */
export const INSTANT_TEXT = pipe(
  string(INSTANT_WORDS),
  rawTransform(({ dataset, addIssue, NEVER }) => {
    const at = INSTANT.test(dataset.value) ? Date.parse(dataset.value) : Number.NaN
    if (!Number.isNaN(at)) return at
    addIssue({ message: INSTANT_WORDS })
    return NEVER
  }),
)

/** Without a zone it would be another instant on another machine. */
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Reads `90s`, `10m`, `1h30m`, `500ms`, `2d`; a bare number is seconds. Gives whole milliseconds; anything else is a `usage.duration` error. */
export function parseDuration(text: string): number {
  const trimmed = text.trim()
  const amounts = BARE.test(trimmed) ? { s: trimmed } : PARTS.exec(trimmed)?.groups
  if (amounts === undefined || trimmed === '') throw notADuration(text)
  const ms = Object.entries(UNITS_MS).reduce((sum, [unit, unitMs]) => sum + Number(amounts[unit] ?? 0) * unitMs, 0)
  if (!Number.isSafeInteger(Math.round(ms))) throw notADuration(text)
  return Math.round(ms)
}

const UNITS_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

const BARE = /^\d+(?:\.\d+)?$/

/** Each unit at most once, the larger ones first. */
const PARTS = new RegExp(
  `^${Object.keys(UNITS_MS)
    .map((unit) => `(?:(?<${unit}>\\d+(?:\\.\\d+)?)${unit}(?![a-z])\\s*)?`)
    .join('')}$`,
)

function notADuration(text: string): PawlError {
  const sentence = `"${text}" is not a duration: write it like 90s, 10m, 1h30m or 500ms; a bare number is seconds.`
  return new PawlError('usage.duration', sentence, { value: text })
}
