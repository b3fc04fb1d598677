import type { Guard } from '../core/guard.ts'
import type { JsonObject } from '../core/json.ts'
import { lostTests } from '../core/measures/lost-tests.ts'
import { isTestFile } from '../core/measures/test-edits/test-file.ts'
import type { Allowance } from '../core/question.ts'
import { SUSPICION_KINDS, type Suspicion, type SuspicionKind } from '../core/suspicion.ts'
import type { Trip } from '../core/trip.ts'
import type { Severity } from '../core/run-config.ts'
import { counted, shortened } from '../core/wording.ts'
import { byDefault, type EntriesOf, listOf, oneOf, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'

export interface TamperingOptions {
  /** Default `trip`: a person is asked, also when every check passes. `warn` only tells the agent. */
  readonly severity?: Severity
  /** Kinds that are not watched, for a goal that is about the tests themselves. Default: none. */
  readonly allow?: readonly SuspicionKind[]
}

/**
 * Trips when the agent touched what its work is checked by: tests deleted, skipped, focused, emptied or weakened, protected files,
 * the loop's own state. Its trip disputes a pass, for as long as it is neither put back nor accepted. What a person edits never counts.
 *
 * @part tampering
 */
export function tampering(options: TamperingOptions = {}): Guard {
  const { severity, allow } = readOptions('tampering', SETTINGS, options)
  return {
    spec: { name: 'tampering', v: 1, severity, settings: { allow } },
    inspect: (state) => {
      const { observed, checks, ended } = state.current
      const held = (observed?.suspicions ?? []).filter((each) => !allow.includes(each.kind) && !isAllowed(each, state.allowances))
      // What a person was asked about already is asked about again only when it would make a pass.
      const isAsked = ended?.verdict.passed === true || held.some(({ isEarlier }) => !isEarlier)
      const suspicions = isAsked ? held : []
      const lost = lostTests(state)
      const vanished = allow.includes('deleted') ? [] : lost.vanished
      const skipped = allow.includes('skipped') ? [] : lost.skipped
      const counts = lost.counts.filter(({ kind }) => !allow.includes(kind)).map(({ text }) => text)
      const fewer = vanished.length + skipped.length + counts.length
      if (suspicions.length + fewer === 0) return observed && held.length > 0 ? [reminder(held, observed.seq)] : []
      const seen = observed && suspicions.length > 0 ? [observed.seq] : []
      const facts = [...seen, ...(fewer > 0 ? checks.map((check) => check.seq) : [])]
      return [tripOf(severity, { suspicions, vanished, skipped, counts }, facts)]
    },
  }
}

const SETTINGS = settingsSchema({
  allow: byDefault(listOf('a list such as [skipped]', oneOf(SUSPICION_KINDS)), [], 'Kinds of tampering to ignore'),
  severity: severityOf('trip'),
} satisfies EntriesOf<TamperingOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings tampering
 */
export const tamperingSettings: GuardSettings = { schema: SETTINGS, place: 3 }

/** A person let the agent change what tests of this file expect; deleting or skipping them is something else. */
function isAllowed({ kind, file }: Suspicion, allowances: readonly Allowance[] = []): boolean {
  return allowances.some((each) => {
    const isThere = each.file === undefined ? isTestFile(file) : isSameFile(each.file, file)
    return each.guard === 'tampering' && each.kinds.includes(kind) && isThere
  })
}

/** A report may name a file from another folder than the workspace does. */
function isSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`)
}

/** While the checks fail anyway, the agent is only told. */
function reminder(held: readonly Suspicion[], seq: number): Trip {
  const found = { suspicions: held, vanished: [], skipped: [], counts: [] }
  return {
    guard: 'tampering',
    severity: 'warn',
    code: 'tampering.still-there',
    message: `This was to be put back and is still there: ${whatOf(found)}. ${exampleOf(found)}`,
    evidence: { facts: [seq], measures: { suspicions: held.map(shown) } },
    hint: HINT,
  }
}

const HINT = 'Putting these lines back would have let it go on, or a person who says that they were meant to change.'

interface Found {
  readonly suspicions: readonly Suspicion[]
  readonly vanished: readonly string[]
  readonly skipped: readonly string[]
  readonly counts: readonly string[]
}

function tripOf(severity: Severity, found: Found, facts: readonly number[]): Trip {
  const { suspicions, vanished, skipped, counts } = found
  const isOld = suspicions.length > 0 && suspicions.every(({ isEarlier }) => isEarlier)
  const measures: JsonObject = {
    ...(suspicions.length > 0 ? { suspicions: suspicions.map(shown) } : {}),
    ...(vanished.length > 0 ? { vanished } : {}),
    ...(skipped.length > 0 ? { skipped } : {}),
    ...(counts.length > 0 ? { counts } : {}),
  }
  return {
    guard: 'tampering',
    severity,
    code: isOld ? 'tampering.still-there' : 'tampering.edits',
    message: `${isOld ? 'This was to be put back and is still there' : 'The agent touched what checks it'}: ${whatOf(found)}. ${exampleOf(found)}`,
    evidence: { facts, measures },
    hint: HINT,
    ...(severity === 'trip' ? { disputesPass: true } : {}),
  }
}

/** As a person reads it: that it is told again, the message says. */
function shown({ isEarlier: _again, ...each }: Suspicion): JsonObject {
  return each
}

function whatOf({ suspicions, vanished, skipped, counts }: Found): string {
  const said = SUSPICION_KINDS.flatMap((kind) => {
    const count = suspicions.filter((each) => each.kind === kind).length
    return count > 0 ? [WORDING[kind](count)] : []
  })
  return [
    ...said,
    ...(vanished.length > 0 ? [`${counted(vanished.length, 'test')} no longer reported`] : []),
    ...(skipped.length > 0 ? [`${counted(skipped.length, 'test')} reported as skipped that ran before`] : []),
    ...(counts.length > 0 ? ['fewer tests run than before'] : []),
  ].join(', ')
}

const WORDING: Readonly<Record<SuspicionKind, (count: number) => string>> = {
  deleted: (count) => counted(count, 'deletion'),
  skipped: (count) => `${counted(count, 'test')} skipped`,
  focused: (count) => `${counted(count, 'test')} run to the exclusion of others`,
  emptied: (count) => `${counted(count, 'test')} emptied`,
  weakened: (count) => `${counted(count, 'check')} weakened`,
  protected: (count) => `${counted(count, 'protected file')} edited`,
  state: (count) => `${counted(count, 'file')} of the loop's own state edited`,
}

function exampleOf({ suspicions: [first], vanished, skipped, counts }: Found): string {
  if (!first) return `First: ${shortened(vanished[0] ?? skipped[0] ?? counts[0] ?? '', EXAMPLE_LENGTH_MAX)}`
  const place = first.line === undefined ? first.file : `${first.file}:${first.line}`
  return `First: ${place}: ${shortened(first.text, EXAMPLE_LENGTH_MAX)}`
}

const EXAMPLE_LENGTH_MAX = 120
