import { jsonAnswer } from '../../core/json-answer.ts'
import type { PlanItem } from '../shared/plan.ts'
import { nameFrom } from '../../core/name-from.ts'

/** A plan that an agent answered with, or why its answer is none. */
export type PlanAnswer = { readonly items: readonly PlanItem[] } | { readonly trouble: string }

/**
 * The items in an agent's answer, `{"items": [{"description": "…", "type": "coding"}]}`, each with a name made from its description.
 * Only the form is looked at: whether the items will do is for the contract to say, so an empty description and an unknown type pass.
 */
export function planAnswer(text: string): PlanAnswer {
  const answer = jsonAnswer(text)
  if (!answer) return { trouble: 'The answer does not end with one JSON object: answer with {"items": [...]} and nothing else.' }
  const { items } = answer
  if (!Array.isArray(items)) return { trouble: 'The JSON object has no list "items".' }
  if (items.length > ITEMS_MAX)
    return { trouble: `The plan has ${items.length} items, and ${ITEMS_MAX} are the most: join some.` }
  const problems = items.flatMap((item: unknown, index) => wrongWith(item, index))
  if (problems.length > 0) return { trouble: problems.slice(0, PROBLEMS_MAX).join(' ') }
  const taken = new Set<string>()
  return { items: (items as readonly RawItem[]).map((item) => planItem(item, taken)) }
}

/** How many items a plan may have; who needs more plans too finely. */
const ITEMS_MAX = 50
const PROBLEMS_MAX = 5
const DESCRIPTION_LENGTH_MAX = 4000

interface RawItem {
  readonly description: string
  readonly type?: string
}

function wrongWith(item: unknown, index: number): readonly string[] {
  const place = `items[${index}]`
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return [`${place} is no object.`]
  const { description, type } = item as Readonly<Record<string, unknown>>
  if (typeof description !== 'string') return [`${place} has no "description" that is a text.`]
  if (description.length > DESCRIPTION_LENGTH_MAX)
    return [`${place}.description has ${description.length} characters, and ${DESCRIPTION_LENGTH_MAX} are the most.`]
  return type === undefined || typeof type === 'string' ? [] : [`${place}.type is no text.`]
}

function planItem({ description, type }: RawItem, taken: Set<string>): PlanItem {
  const goal = description.trim()
  const id = nameFrom(goal.split('\n')[0] ?? '', taken, 'item')
  taken.add(id)
  return { id, goal, ...(type === undefined ? {} : { settings: { type: type.trim() } }) }
}
