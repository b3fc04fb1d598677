import type { Json, JsonObject } from '../core/json.ts'
import type { Seq } from '../core/event.ts'
import type { Trip } from '../core/trip.ts'
import { amountWords } from './config-view.ts'
import type { TripView } from './decision-view.ts'
import type { Screen } from './screen.ts'
import { labelled } from './text-layout.ts'

/** What a guard said, and what became of it, where that is known. */
type ShownTrip = Trip & Partial<Pick<TripView, 'isWaived' | 'isDisputed'>>

/** A guard's answer: which rule, on what evidence, and what would have let the run go on. */
export function tripLines(trip: ShownTrip, { columns, paint }: Screen): readonly string[] {
  const measures = measureWords(trip.evidence.measures)
  const evidence = [measures, factsWords(trip.evidence.facts)].filter((words) => words !== '').join('; ')
  const [first = '', ...rest] = labelled('Rule', `${trip.guard}${tripKind(trip)}: ${trip.message}`, columns)
  return [
    first.replace(trip.guard, () => paint('bold', trip.guard)),
    ...rest,
    ...(evidence === '' ? [] : labelled('Evidence', evidence, columns)),
    ...labelled('To go on', trip.hint, columns),
  ]
}

/** The trips that a decision rests on: a pass outranks every limit, so what is asked about one rests on what its message tells and no more. */
export function decidingTrips<Tripped extends Trip>(
  trips: readonly Tripped[],
  message: string,
  hasPassed: boolean,
): readonly Tripped[] {
  return hasPassed ? trips.filter((trip) => message.includes(trip.message)) : trips
}

/** What became of a trip, in brackets; nothing for one that simply decided. */
export function tripKind({ severity, isWaived, isDisputed }: ShownTrip): string {
  if (isDisputed) return ` (a person called ${severity === 'warn' ? 'this warning' : 'it'} a false alarm)`
  if (severity === 'warn') return ' (a warning)'
  return isWaived ? ' (passed: a person allowed it)' : ''
}

/** "fact 41", "facts 12, 25 and 41"; of many the last few: "facts 12, 25, 41 and 6 earlier". */
export function factsWords(seqs: readonly Seq[]): string {
  if (seqs.length === 0) return ''
  if (seqs.length === 1) return `fact ${seqs[0]}`
  const shown = seqs.toSorted((one, other) => one - other).slice(-FACTS_SHOWN_MAX)
  if (seqs.length > shown.length) return `facts ${shown.join(', ')} and ${seqs.length - shown.length} earlier`
  return `facts ${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** "iterations 3, iterationsMax 3". A guard made of others says the name of each part once. */
export function measureWords(measures: JsonObject): string {
  return Object.entries(measures)
    .filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[0] !== 'fingerprint')
    .map(([name, value]) => {
      if (isListOfObjects(value)) return value.map(objectWords).join('; ')
      return isObject(value) ? `${name}: ${measureWords(value)}` : `${name} ${amountWords(name, value)}`
    })
    .join(', ')
}

const FACTS_SHOWN_MAX = 8

/** What was found, one by one: "skipped a.test.ts:4 it.skip('adds')". */
function objectWords(item: JsonObject): string {
  const { file, line, ...rest } = item
  const place = file === undefined ? [] : [`${String(file)}${line === undefined ? '' : `:${String(line)}`}`]
  const [kind, ...others] = Object.values(rest).map(String)
  return [kind, ...place, ...others].filter((word) => word !== undefined).join(' ')
}

function isListOfObjects(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
