import { type GenericSchema, metadata, pipe, rawTransform, string } from 'valibot'

/** A setting that people write in another way in files than programs do: `kind` reads what stands in a file. */
export function inFiles<const Value extends GenericSchema, const Text extends GenericSchema>(kind: Value, text: Text) {
  return pipe(kind, metadata({ inFiles: text }))
}

const INSTANT_WORDS = 'an instant with its zone, such as 2026-11-20T18:00Z or 2026-11-20T18:00+01:00'

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
