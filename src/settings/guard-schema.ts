import { z } from 'zod'
import { SUSPICION_KINDS } from '../core/suspicion.ts'
import { share, wholeNumber } from './number-rules.ts'

/** What a guard may do when it holds; `off` leaves it out. */
const LEVELS = ['warn', 'trip', 'ladder'] as const

const level = {
  severity: z.enum(LEVELS, 'trip, warn or ladder').optional(),
  patience: wholeNumber(1).optional(),
}

const INSTANT_WORDS = 'an instant with its zone, such as 2026-11-20T18:00Z or 2026-11-20T18:00+01:00'

const instant = z.string(INSTANT_WORDS).transform((text, context) => {
  const at = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return at
  context.addIssue({ code: 'invalid_format', format: 'datetime', input: text, message: INSTANT_WORDS })
  return z.NEVER
})

/** Without a zone it would be another instant on another machine. */
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)$/

const OWN_WORDS = 'a map such as { loops: 40, shift: 0.3 }'
const ownShift = z.strictObject({ loops: wholeNumber(1), shift: z.number('a number such as 0.3') }, OWN_WORDS)
const ownShifts = z.strictObject(
  { attempts: ownShift.optional(), turns: ownShift.optional() },
  'a map such as { attempts: { loops: 40, shift: 0.3 } }',
)

/** The keys under `own` of `worth_continuing`, or under one of its kinds. */
export function ownKeys(kind: string | number | undefined): readonly string[] {
  return Object.keys(kind === undefined ? ownShifts.shape : ownShift.shape)
}

/** The settings of every guard, by the names they have in files. */
export const guardShapes = {
  circuit_breaker: settings({ failures_max: wholeNumber(1).optional() }, '{ failures_max: 8, severity: trip }'),
  same_failure: settings({ repeats_min: wholeNumber(2).optional() }, '{ repeats_min: 3, severity: warn }'),
  thrashing: settings({ times_min: wholeNumber(2).optional() }, '{ times_min: 5, severity: warn }'),
  no_progress: settings({ iterations_min: wholeNumber(2).optional() }, '{ iterations_min: 4, severity: warn }'),
  oscillation: settings(
    {
      turns_min: wholeNumber(2).optional(),
      over: z
        .array(z.enum(['trees', 'failures', 'actions'], 'trees, failures or actions'), 'a list such as [trees, failures]')
        .min(1, 'a list such as [trees, failures]')
        .optional(),
    },
    '{ turns_min: 2, over: [trees, failures], severity: warn }',
  ),
  stalled_diff: settings(
    {
      repeats_min: wholeNumber(1).optional(),
      similarity_min: share().optional(),
      lines_differing_max: wholeNumber(0).optional(),
      by: z.enum(['lines', 'characters'], 'lines or characters').optional(),
    },
    '{ repeats_min: 2, similarity_min: 0.97, severity: warn }',
  ),
  empty_iterations: settings({ iterations_min: wholeNumber(1).optional() }, '{ iterations_min: 2, severity: warn }'),
  spinning_text: settings({ iterations_min: wholeNumber(1).optional() }, '{ iterations_min: 1, severity: warn }'),
  repeated_action: settings({ repeats_min: wholeNumber(2).optional() }, '{ repeats_min: 3, severity: warn }'),
  quality_regression: settings({}, '{ severity: warn }'),
  tampering: settings(
    { allow: z.array(z.enum(SUSPICION_KINDS, `one of ${SUSPICION_KINDS.join(', ')}`), 'a list such as [skipped]').optional() },
    '{ allow: [skipped], severity: trip }',
  ),
  worth_continuing: settings(
    {
      give_up_a_success_at_most_once_in: wholeNumber(2).optional(),
      own: ownShifts.optional(),
    },
    '{ give_up_a_success_at_most_once_in: 50, severity: warn }',
  ),
  deadline: settings({ until: instant }, '{ until: 2026-11-20T18:00Z, severity: trip }'),
}

/** The map of guards in a file: for each its settings, or one word. */
export const guardsSchema = z.strictObject(
  {
    circuit_breaker: orWord(guardShapes.circuit_breaker),
    same_failure: orWord(guardShapes.same_failure),
    thrashing: orWord(guardShapes.thrashing),
    no_progress: orWord(guardShapes.no_progress),
    oscillation: orWord(guardShapes.oscillation),
    stalled_diff: orWord(guardShapes.stalled_diff),
    empty_iterations: orWord(guardShapes.empty_iterations),
    spinning_text: orWord(guardShapes.spinning_text),
    repeated_action: orWord(guardShapes.repeated_action),
    quality_regression: orWord(guardShapes.quality_regression),
    tampering: orWord(guardShapes.tampering),
    worth_continuing: orWord(guardShapes.worth_continuing),
    deadline: orWord(guardShapes.deadline, (word) => ({ until: word })),
  },
  'a map of guards',
)

function settings<Shape extends z.ZodRawShape>(shape: Shape, example: string) {
  const expected = `a map such as ${example}, or one of off, warn, trip and ladder`
  return z
    .strictObject({ ...shape, ...level }, expected)
    .refine(
      (given: { readonly patience?: unknown; readonly severity?: unknown }) =>
        given.patience === undefined || given.severity === 'ladder',
      '"patience" is for a ladder only: add severity: ladder, or take it out.',
    )
}

/** `off` is text in the YAML of today and `false` in that of yesterday; people mean the same. */
function orWord<Settings extends z.ZodType>(inner: Settings, read: (word: string) => unknown = (word) => word) {
  const fromWord = (value: unknown): unknown => {
    if (value === 'off' || value === false) return undefined
    if (typeof value !== 'string') return value
    return LEVELS.some((name) => name === value) ? { severity: value } : read(value)
  }
  return z
    .preprocess(fromWord, inner.optional())
    .transform((value) => value ?? ('off' as const))
    .optional()
}
