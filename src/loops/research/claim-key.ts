import type { Citation, Claim } from './finding.ts'

/** A claim in a form that can be compared. */
export interface ComparableClaim {
  /** Subject, attribute and scope. */
  readonly key: string
  readonly topic: string
  readonly scope: string
  readonly value: string
  /** The value with its unit as the agent said it: `30 minutes`. */
  readonly said: string
  readonly isNegative: boolean
}

/**
 * Brings a claim into one form: case, spaces, units of time and size no longer matter. Where no scope is stated, the environment that the
 * names of the cited files speak of is one: what development's settings say contradicts nothing in production's.
 */
export function comparableClaim(claim: Claim, citations: readonly Pick<Citation, 'file'>[] = []): ComparableClaim {
  const scope = normal(claim.scope ?? '') || environmentOf(citations)
  const topic = `${normal(claim.subject)} / ${normal(claim.attribute)}`
  return {
    key: `${topic} @ ${scope}`,
    topic,
    scope,
    value: valueOf(claim),
    said: written(claim),
    isNegative: claim.polarity === 'negative',
  }
}

function normal(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.+#]+/gu, ' ')
    .replaceAll(/(^|\s)(?:the|a|an)(?=\s)/g, '$1')
    .trim()
}

function written({ value, unit }: Claim): string {
  return unit === undefined ? value : `${value} ${unit}`
}

/** Numbers with a unit that is known are compared in the smallest one. */
function valueOf(claim: Claim): string {
  const said = written(claim)
  const [, number, name = ''] = /^\s*([+-]?\d+(?:[.,]\d+)?)\s*([\p{L}%]*)\s*$/u.exec(said) ?? []
  if (number === undefined) return normal(said)
  const amount = Number(number.replace(',', '.'))
  const known = UNITS[name.toLowerCase()]
  return known ? `${amount * known[1]} ${known[0]}` : `${amount} ${name.toLowerCase()}`.trim()
}

const UNITS: Readonly<Record<string, readonly [unit: string, factor: number]>> = {
  ...units('ms', { ms: 1, millisecond: 1, s: 1000, sec: 1000, second: 1000, m: 60_000, min: 60_000, minute: 60_000 }),
  ...units('ms', { h: 3_600_000, hour: 3_600_000, d: 86_400_000, day: 86_400_000, week: 604_800_000 }),
  ...units('bytes', { b: 1, byte: 1, kb: 1024, kib: 1024, mb: 1_048_576, mib: 1_048_576, gb: 1_073_741_824, gib: 1_073_741_824 }),
}

function units(unit: string, factors: Readonly<Record<string, number>>): Readonly<Record<string, readonly [string, number]>> {
  return Object.fromEntries(
    Object.entries(factors).flatMap(([name, factor]) => [
      [name, [unit, factor] as const],
      [`${name}s`, [unit, factor] as const],
    ]),
  )
}

/**
 * What a finding is about as far as that is said: the scopes of its claims, else the environment that its cited files are named after, else
 * one that it names in its own words. Two findings with none in common are about different things.
 */
export function scopesOf({ claims = [], citations, description }: ScopedFinding): ReadonlySet<string> {
  const claimed = claims.map((claim) => normal(claim.scope ?? '')).filter((scope) => scope !== '')
  if (claimed.length > 0) return new Set(claimed)
  const environment = environmentOf(citations)
  if (environment !== '') return new Set([environment])
  return new Set(description.toLowerCase().match(/\b(?:development|staging|production)\b/g))
}

interface ScopedFinding {
  readonly claims?: readonly Claim[]
  readonly citations: readonly Pick<Citation, 'file'>[]
  readonly description: string
}

/** The one environment that all cited files are named after; empty where there is none. */
function environmentOf(citations: readonly Pick<Citation, 'file'>[]): string {
  const named = new Set(citations.map(({ file }) => environmentIn(file)))
  const [only] = named
  return named.size === 1 ? (only ?? '') : ''
}

function environmentIn(file: string): string {
  const words = file.toLowerCase().split(/[^a-z]+/)
  const found = Object.entries(ENVIRONMENTS).find(([, names]) => names.some((name) => words.includes(name)))
  return found?.[0] ?? ''
}

const ENVIRONMENTS: Readonly<Record<string, readonly string[]>> = {
  development: ['development', 'dev', 'local'],
  test: ['test', 'tests', 'testing', 'spec', 'ci'],
  staging: ['staging', 'stage'],
  production: ['production', 'prod', 'live'],
}
