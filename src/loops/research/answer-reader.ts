/** Reads values out of JSON that a stranger wrote: what is wrong is noted with its place, and reading goes on. */
export interface AnswerReader {
  readonly errors: readonly string[]
  object(value: unknown, place: string): Readonly<Record<string, unknown>>
  /** A list; missing counts as empty where `isOptional`. Longer ones are an error. */
  list<Item>(
    value: unknown,
    place: string,
    read: (item: unknown, place: string) => Item,
    options?: { readonly isOptional?: boolean; readonly lengthMax?: number },
  ): readonly Item[]
  /** A text that is not blank, cut to `lengthMax`. */
  text(value: unknown, place: string, lengthMax?: number): string
  /** The same, where it may be missing or blank. */
  optionalText(value: unknown, place: string, lengthMax?: number): string | undefined
  oneOf<Choice extends string>(value: unknown, place: string, choices: readonly Choice[]): Choice
  wholeNumber(value: unknown, place: string): number
  share(value: unknown, place: string): number
  fail(message: string): void
}

/** A reader with no errors yet. It keeps at most `ERRORS_MAX`. */
export function answerReader(textLengthMax: number): AnswerReader {
  const errors: string[] = []
  const fail = (message: string): void => {
    if (errors.length < ERRORS_MAX) errors.push(message)
  }
  const wrong = (place: string, wanted: string, value: unknown): void => fail(`${place} must be ${wanted}, not ${shown(value)}`)
  return {
    errors,
    fail,
    object(value, place) {
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
      wrong(place, 'an object', value)
      return {}
    },
    list(value, place, read, { isOptional = false, lengthMax = LIST_LENGTH_MAX } = {}) {
      if ((value === undefined || value === null) && isOptional) return []
      if (!Array.isArray(value)) {
        wrong(place, 'a list', value)
        return []
      }
      if (value.length > lengthMax) fail(`${place} has ${value.length} entries, at most ${lengthMax} are taken`)
      return value.slice(0, lengthMax).map((item: unknown, index) => read(item, `${place}[${index}]`))
    },
    text(value, place, lengthMax = textLengthMax) {
      if (typeof value === 'string' && value.trim() !== '') return cut(value, lengthMax)
      wrong(place, 'a text', value)
      return ''
    },
    optionalText(value, place, lengthMax = textLengthMax) {
      if (value === undefined || value === null || value === '') return undefined
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        return cut(String(value), lengthMax)
      wrong(place, 'a text', value)
      return undefined
    },
    oneOf(value, place, choices) {
      const found = choices.find((choice) => choice === value)
      if (found !== undefined) return found
      wrong(place, `one of ${choices.join(', ')}`, value)
      return choices[0] as (typeof choices)[number]
    },
    wholeNumber(value, place) {
      if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
      wrong(place, 'a whole number of at least 1', value)
      return 1
    },
    share(value, place) {
      if (typeof value === 'number' && value >= 0 && value <= 1) return value
      wrong(place, 'a number from 0 to 1', value)
      return 0
    },
  }
}

/** How many errors are told: an agent mends the first ones, and most of the others with them. */
const ERRORS_MAX = 20
const LIST_LENGTH_MAX = 200

function cut(value: string, lengthMax: number): string {
  return value.trim().slice(0, lengthMax).toWellFormed()
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = JSON.stringify(value) ?? typeof value
  return text.length <= 60 ? text : `${text.slice(0, 60).toWellFormed()}…`
}
