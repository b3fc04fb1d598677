import type { Json } from '../../../core/json.ts'
import type { ValueKind } from './config-shape.ts'

/** A value as the rules have it, or what it must be. */
export type ReadValue = { readonly status: 'read'; readonly value: Json } | { readonly status: 'wrong'; readonly form: string }

/** Reads one setting of a file. */
export function readValue(kind: ValueKind, value: Json): ReadValue {
  const { form, read } = KINDS[kind]
  const found = read(value)
  return found === undefined ? { status: 'wrong', form } : { status: 'read', value: found }
}

interface Reader {
  readonly form: string
  readonly read: (value: Json) => Json | undefined
}

const KINDS: Readonly<Record<ValueKind, Reader>> = {
  count: { form: 'a whole number from 1', read: (value) => (isWhole(value) && value >= 1 ? value : undefined) },
  number: { form: 'a whole number from 0', read: (value) => (isWhole(value) && value >= 0 ? value : undefined) },
  share: {
    form: 'a number from 0 to 1',
    read: (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined),
  },
  flag: { form: 'true or false', read: (value) => (typeof value === 'boolean' ? value : undefined) },
  words: {
    form: 'a list of words',
    read: (value) => (Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined),
  },
  text: { form: 'a text', read: (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined) },
  seconds: {
    form: 'a number of seconds above 0',
    read: (value) => (typeof value === 'number' && value > 0 ? Math.round(value * 1000) : undefined),
  },
  hours: {
    form: 'a number of hours above 0',
    read: (value) => (typeof value === 'number' && value > 0 ? Math.round(value * 3_600_000) : undefined),
  },
  model: {
    form: 'fast or deep (haiku is fast, sonnet and opus are deep)',
    read: (value) => (typeof value === 'string' ? MODELS[value.toLowerCase()] : undefined),
  },
  priority: {
    form: 'auto, critical, important or nice_to_have',
    read: (value) => (typeof value === 'string' || typeof value === 'number' ? PRIORITIES[String(value)] : undefined),
  },
  strategy: {
    form: 'auto, narrow, broad or comprehensive',
    read: (value) => (['auto', 'narrow', 'broad', 'comprehensive'].includes(String(value)) ? value : undefined),
  },
}

const MODELS: Readonly<Record<string, string>> = { fast: 'fast', deep: 'deep', haiku: 'fast', sonnet: 'deep', opus: 'deep' }

const PRIORITIES: Readonly<Record<string, string | number>> = {
  auto: 'auto',
  critical: 1,
  important: 2,
  nice_to_have: 3,
  '1': 1,
  '2': 2,
  '3': 3,
}

function isWhole(value: Json): value is number {
  return Number.isInteger(value)
}
