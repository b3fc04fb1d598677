import type { Json } from '../../core/json.ts'

/** A named set of invariants that must hold before the next role works. */
export interface Contract<Value = unknown> {
  readonly contract: string
  readonly rules: readonly ContractRule<Value>[]
}

export interface ContractRule<Value = unknown> {
  /** Short name, as it stands in the journal. */
  readonly rule: string
  /** Pure: looks at the value only. */
  readonly holds: (value: Value) => boolean
  /** What is wrong where it does not hold, and what to mend, in a sentence. */
  readonly message: string | ((value: Value) => string)
  /** The part of the value that breaks the rule. Default: the whole value. */
  readonly offending?: (value: Value) => Json
}

/** A handoff that may not take place. */
export interface Refusal {
  readonly contract: string
  readonly rule: string
  readonly message: string
  readonly value: Json
}

/** The first rule that the value breaks, in the contract's order; nothing where all hold. */
export function refusalOf<Value extends object>({ contract, rules }: Contract<Value>, value: Value): Refusal | undefined {
  const broken = rules.find((rule) => !rule.holds(value))
  if (!broken) return undefined
  const { rule, message, offending } = broken
  const words = typeof message === 'string' ? message : message(value)
  return { contract, rule, message: words, value: bounded(offending ? offending(value) : asJson(value)) }
}

/** What is not plain data, or was left out, is not told. */
function asJson(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}

/** A journal is no place for a whole plan: what is long is told as the beginning of its text. */
function bounded(value: Json): Json {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= VALUE_LENGTH_MAX ? value : `${text.slice(0, VALUE_LENGTH_MAX).toWellFormed()}…`
}

const VALUE_LENGTH_MAX = 1000
