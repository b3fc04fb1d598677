import type { PlanItem } from '../shared/plan.ts'

/** What an item may be about. */
export const TASK_TYPES: readonly string[] = ['coding', 'documentation', 'testing', 'ops']

/** The type that a word means, in whatever case: `docs` is `documentation`. Nothing where it means none. */
export function taskTypeOf(word: string): string | undefined {
  return WORDS.get(word.trim().toLowerCase())
}

/** What an item is about, as the plan has it; `coding` where it says nothing. */
export function typeIn({ settings }: PlanItem): string {
  const { type = 'coding' } = settings ?? {}
  return typeof type === 'string' ? type : JSON.stringify(type)
}

/** The item with its type by its full name; a word that means none stays, for the contract to refuse. */
export function withFullType(item: PlanItem): PlanItem {
  const type = item.settings?.['type']
  const full = typeof type === 'string' ? taskTypeOf(type) : undefined
  return full === undefined ? item : { ...item, settings: { ...item.settings, type: full } }
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ...TASK_TYPES.map((type) => [type, type] as const),
  ['code', 'coding'],
  ['doc', 'documentation'],
  ['docs', 'documentation'],
  ['test', 'testing'],
  ['tests', 'testing'],
  ['operations', 'ops'],
])
