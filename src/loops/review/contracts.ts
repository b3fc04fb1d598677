import type { PlanItem } from '../shared/plan.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { ReviewRoute } from './progress.ts'
import { shortened } from '../../core/wording.ts'
import { TASK_TYPES, typeIn } from './settings.ts'
import { LIST, optional, settingsSchema } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'
import type { Json } from '../../core/json.ts'

/** What the planner hands to the coder. */
export interface PlanHandoff {
  readonly items: readonly PlanItem[]
  /** The item under way. */
  readonly index: number
  readonly status: string
  /** An error that nobody has dealt with. */
  readonly error?: string
}

/** What the coder hands to the reviewer. */
export interface CoderHandoff {
  readonly items: readonly PlanItem[]
  readonly index: number
  readonly coder: string
  readonly summary: string
  /** How much the coder printed; 0 if no word of it is the coder's, such as an empty line. */
  readonly outputBytes: number
  readonly filesChanged: number
}

/** What the reviewer hands on to what is learned from it. */
export interface ReviewHandoff {
  readonly reviews: readonly { readonly name: string; readonly isApproved: boolean; readonly notes: readonly string[] }[]
}

/** What the tester hands to the decision. */
export interface TestHandoff {
  readonly route?: ReviewRoute
  readonly results: readonly { readonly name: string; readonly passed: boolean }[]
  /** Why the tests could not run. */
  readonly trouble?: string
}

/** The four handoffs of a review loop and what each has to keep. */
export interface Contracts {
  readonly plannerToCoder: Contract<PlanHandoff>
  readonly coderToReview: Contract<CoderHandoff>
  readonly reviewToLearn: Contract<ReviewHandoff>
  readonly testerToDecide: Contract<TestHandoff>
}

/** Rules of a user, after those that are built in. Each is a function of the program that has it. */
export type ExtraRules = {
  readonly [Name in keyof Contracts]?: Contracts[Name]['rules']
}

/** The contracts as they are built in, with a user's rules after them. Throws where a rule's name is taken. */
export function contractsWith(extra: ExtraRules = {}): Contracts {
  readOptions('contractsWith', OPTIONS, extra)
  return {
    plannerToCoder: joined('planner_to_coder', PLANNER_RULES, extra.plannerToCoder),
    coderToReview: joined('coder_to_peer_review', CODER_RULES, extra.coderToReview),
    reviewToLearn: joined('peer_review_to_learn', REVIEW_RULES, extra.reviewToLearn),
    testerToDecide: joined('tester_to_decide', TEST_RULES, extra.testerToDecide),
  }
}

/** The names of a user's rules, as a run records them: `coder_to_peer_review:must_say_why`. */
export function ruleNames(extra: ExtraRules = {}): readonly string[] {
  const built = contractsWith()
  return (Object.keys(built) as (keyof Contracts)[]).flatMap((name) =>
    (extra[name] ?? []).map(({ rule }) => `${built[name].contract}:${rule}`),
  )
}

type Rules<Value> = readonly ContractRule<Value>[]

const PLANNER_RULES: Rules<PlanHandoff> = [
  {
    rule: 'unhandled_error_message',
    holds: ({ error }) => error === undefined,
    message: 'An error was never dealt with: fix it before the coder begins.',
    offending: ({ error }) => error ?? null,
  },
  {
    rule: 'phase_already_stopped',
    holds: ({ status }) => status === 'running',
    message: 'The run has already ended, so nobody may begin.',
    offending: ({ status }) => status,
  },
  {
    rule: 'todo_items_empty',
    holds: ({ items }) => items.length > 0,
    message: 'The plan has no items: give it at least one.',
    offending: ({ items }) => items.length,
  },
  {
    rule: 'invalid_task_type',
    holds: ({ items }) => items.every(hasKnownType),
    message: ({ items }) => {
      const wrong = items.filter((item) => !hasKnownType(item)).slice(0, ITEMS_TOLD_MAX)
      const named = wrong.map((item) => `item ${item.id}: type ${shortened(typeIn(item), 50)}`).join(', ')
      return `An item has a type that nobody works on (${named}): there are ${TASK_TYPES.join(', ')}.`
    },
    offending: ({ items }) =>
      items
        .filter((item) => !hasKnownType(item))
        .slice(0, ITEMS_TOLD_MAX)
        .map((item) => ({ item: item.id, type: typeIn(item) })),
  },
  itemInBounds(),
  {
    rule: 'current_item_empty_description',
    holds: ({ items, index }) => (items[index]?.goal ?? '').trim() !== '',
    message: ({ items, index }) => `The item ${items[index]?.id ?? ''} says nothing about what is to be done: describe it.`,
    offending: ({ items, index }) => ({ item: items[index]?.id ?? null, description: items[index]?.goal ?? null }),
  },
]

const CODER_RULES: Rules<CoderHandoff> = [
  itemInBounds(),
  {
    rule: 'coder_result_empty',
    holds: ({ summary, outputBytes, filesChanged }) => summary.trim() !== '' || outputBytes > 0 || filesChanged > 0,
    message: 'The coder changed nothing and said nothing, so there is nothing to review. Check that its agent works: pawl doctor',
    offending: ({ coder, filesChanged, outputBytes }) => ({ coder, filesChanged, outputBytes }),
  },
]

const REVIEW_RULES: Rules<ReviewHandoff> = [
  {
    rule: 'peer_review_notes_empty',
    holds: ({ reviews }) => reviews.length > 0 && reviews.every(hasNotes),
    message: 'A review loop needs a reviewer, and one that asks for rework has to say what is wrong.',
    offending: ({ reviews }) => reviews.filter((review) => !hasNotes(review)).map(({ name }) => name),
  },
]

const TEST_RULES: Rules<TestHandoff> = [
  {
    rule: 'test_result_empty',
    holds: ({ results, trouble }) => results.length > 0 || trouble !== undefined,
    message: 'Nothing was tested, so nothing can be decided: give at least one check that is no review.',
    offending: ({ results }) => results.length,
  },
]

function itemInBounds(): ContractRule<{ readonly items: readonly PlanItem[]; readonly index: number }> {
  return {
    rule: 'current_item_index_out_of_bounds',
    holds: ({ items, index }) => Number.isInteger(index) && index >= 0 && index < items.length,
    message: 'The item under way is not in the plan.',
    offending: ({ items, index }) => ({ index, items: items.length }),
  }
}

/** An approval is a verdict by itself. */
function hasNotes({ isApproved, notes }: ReviewHandoff['reviews'][number]): boolean {
  return isApproved || notes.some((note) => note.trim() !== '')
}

function hasKnownType(item: PlanItem): boolean {
  return TASK_TYPES.includes(typeIn(item))
}

const ITEMS_TOLD_MAX = 5

function joined<Value>(contract: string, rules: Rules<Value>, extra: Rules<Value> = []): Contract<Value> {
  const names = rules.map(({ rule }) => rule)
  for (const { rule } of extra) {
    if (rule.trim() === '' || names.includes(rule))
      throw new PawlError('loop.review.rule', `The contract ${contract} has a rule "${rule}" already: give yours another name.`, {
        value: rule,
      })
    names.push(rule)
  }
  return { contract, rules: [...rules, ...extra] }
}

const OPTIONS = settingsSchema({
  plannerToCoder: optional(LIST),
  coderToReview: optional(LIST),
  reviewToLearn: optional(LIST),
  testerToDecide: optional(LIST),
})

/** A named set of invariants that must hold before the next role works. */
export interface Contract<Value = unknown> {
  readonly contract: string
  readonly rules: readonly ContractRule<Value>[]
}

export interface ContractRule<Value = unknown> {
  /** Short name, as it is in the journal. */
  readonly rule: string
  /** Pure: looks at the value only. */
  readonly holds: (value: Value) => boolean
  /** What is wrong where it does not hold, and what to fix, in a sentence. */
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

/** A journal is no place for a whole plan: only the beginning of a long text is kept. */
function bounded(value: Json): Json {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= VALUE_LENGTH_MAX ? value : `${text.slice(0, VALUE_LENGTH_MAX).toWellFormed()}…`
}

const VALUE_LENGTH_MAX = 1000
