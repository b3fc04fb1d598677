import type { Code } from './code.ts'
import type { Edit, Mutation, Vocabulary } from './edit.ts'
import { mutateBounds } from './mutate-bounds.ts'
import { mutateCalls } from './mutate-calls.ts'
import { mutateConditions } from './mutate-conditions.ts'
import { mutateLiterals } from './mutate-literals.ts'
import { mutateNames } from './mutate-names.ts'
import { mutateOperators } from './mutate-operators.ts'
import { mutateOrder } from './mutate-order.ts'
import { mutateStatements } from './mutate-statements.ts'

/** All edits that tinker knows for a file, each resulting text once, the likeliest reason first. */
export function editsOf(code: Code, vocabulary: Vocabulary): Edit[] {
  const edits = new Map<string, Edit>()
  for (const mutation of MUTATIONS) {
    for (const edit of mutation(code, vocabulary)) {
      const key = `${edit.start} ${edit.end} ${edit.replacement}`
      const isChange = code.text.slice(edit.start, edit.end) !== edit.replacement
      if (isChange && (edits.get(key)?.prior ?? 0) < edit.prior) edits.set(key, edit)
    }
  }
  return [...edits.values()]
}

const MUTATIONS: readonly Mutation[] = [
  mutateOperators,
  mutateLiterals,
  mutateBounds,
  mutateConditions,
  mutateOrder,
  mutateCalls,
  mutateNames,
  mutateStatements,
]
