import type { Figure, Measurement } from './figure.ts'
import { significant } from './wording.ts'

/** Every figure is a ratio. */
const UNIT = 'x'

/** A figure for a person: the line that says whether it holds, then how it came about. */
export function report({ name, bound }: Figure, measurement: Measurement): string {
  if (measurement.status === 'unmeasured') return `${name.padEnd(NAME_WIDTH)} NOT MEASURED: ${measurement.reason}`
  const { value, details } = measurement
  const verdict = bound.holds(value) ? 'holds' : 'MISSED'
  const headline = `${name.padEnd(NAME_WIDTH)} ${`${significant(value)}${UNIT}`.padEnd(VALUE_WIDTH)} bound ${bound.text}: ${verdict}`
  return [headline, ...details.map((line) => `    ${line}`)].join('\n')
}

/** A figure for a program: one line, `value` null and a `reason` when it could not be measured. */
export function toJson({ name, bound }: Figure, measurement: Measurement): string {
  const isMeasured = measurement.status === 'measured'
  const value = isMeasured ? Number(significant(measurement.value)) : null
  const holds = isMeasured && bound.holds(measurement.value)
  const reason = isMeasured ? {} : { reason: measurement.reason }
  return JSON.stringify({ name, value, unit: UNIT, bound: bound.text, holds, ...reason })
}

/** How many hold, and the names of those that do not. */
export function summary(measurements: readonly (readonly [Figure, Measurement])[]): string {
  const names = (isWanted: (figure: Figure, measurement: Measurement) => boolean): string[] =>
    measurements.filter(([figure, measurement]) => isWanted(figure, measurement)).map(([{ name }]) => name)
  const unmeasured = names((_figure, { status }) => status === 'unmeasured')
  const missed = names(({ bound }, each) => each.status === 'measured' && !bound.holds(each.value))
  const holding = measurements.length - unmeasured.length - missed.length
  const parts = [
    `${holding} of ${measurements.length} hold.`,
    ...(missed.length > 0 ? [`MISSED: ${missed.join(', ')}.`] : []),
    ...(unmeasured.length > 0 ? [`NOT MEASURED: ${unmeasured.join(', ')}.`] : []),
  ]
  return parts.join(' ')
}

const NAME_WIDTH = 20
const VALUE_WIDTH = 7
