import type { Failure } from '../core/failure.ts'
import type { EditKind } from './edit.ts'

/** How much likelier than usual each kind of edit is, given how the tests fail; 1 where nothing speaks for or against it. */
export function hintsFrom(failures: readonly Failure[]): (kind: EditKind) => number {
  const factors = new Map<EditKind, number>()
  for (const failure of failures) {
    for (const { kinds, factor, fits } of HINTS) {
      if (!fits(failure)) continue
      for (const kind of kinds) factors.set(kind, Math.max(factors.get(kind) ?? 1, factor))
    }
  }
  return (kind) => factors.get(kind) ?? 1
}

interface Hint {
  readonly fits: (failure: Failure) => boolean
  readonly kinds: readonly EditKind[]
  readonly factor: number
}

const HINTS: readonly Hint[] = [
  { fits: ({ message }) => /Promise|coroutine|never awaited/.test(message), kinds: ['await'], factor: 5 },
  {
    fits: ({ received }) => received !== undefined && /^\[?object Promise|Promise \{/.test(received),
    kinds: ['await'],
    factor: 5,
  },
  {
    fits: ({ message }) => /is not a function|is not defined|has no attribute|NameError|undefined:/.test(message),
    kinds: ['name'],
    factor: 2,
  },
  {
    fits: ({ message }) => /properties of (?:undefined|null)|NoneType|out of range|nil pointer|IndexError/.test(message),
    kinds: ['optional', 'bound', 'guard', 'number', 'comparison'],
    factor: 1.6,
  },
  {
    fits: ({ message }) => /[Mm]issing expected (?:exception|rejection)|DID NOT RAISE/.test(message),
    kinds: ['comparison', 'condition', 'guard', 'logic'],
    factor: 1.4,
  },
  { fits: ({ received }) => received === 'undefined' || received === 'None', kinds: ['return', 'name', 'bound'], factor: 1.6 },
  { fits: ({ received }) => received === 'NaN', kinds: ['name', 'order', 'arithmetic'], factor: 1.5 },
  {
    fits: (failure) => isBoolean(failure.expected) && isBoolean(failure.received),
    kinds: ['comparison', 'condition', 'literal', 'logic', 'sibling'],
    factor: 1.3,
  },
  { fits: (failure) => Math.abs(difference(failure)) === 1, kinds: ['bound', 'number', 'comparison'], factor: 1.4 },
  { fits: (failure) => Math.abs(difference(failure)) < 1, kinds: ['sibling'], factor: 1.6 },
  {
    fits: ({ expected, received }) => difference({ expected, received }) === 2 * Number(expected),
    kinds: ['order', 'arithmetic'],
    factor: 1.5,
  },
  { fits: isOtherCase, kinds: ['text', 'sibling'], factor: 2.5 },
  { fits: isReordered, kinds: ['order', 'sibling', 'copy'], factor: 1.8 },
]

type Values = Pick<Failure, 'expected' | 'received'>

function difference({ expected, received }: { expected?: string | undefined; received?: string | undefined }): number {
  return expected === undefined || received === undefined || expected === '' || received === ''
    ? Number.NaN
    : Number(expected) - Number(received)
}

function isBoolean(value: string | undefined): boolean {
  return value === 'true' || value === 'false' || value === 'True' || value === 'False'
}

function isOtherCase({ expected, received }: Values): boolean {
  return expected !== undefined && expected !== received && expected.toLowerCase() === received?.toLowerCase()
}

function isReordered({ expected, received }: Values): boolean {
  if (!expected || !received || expected === received || expected.length < 5) return false
  return [...expected].toSorted().join('') === [...received].toSorted().join('')
}
