import type { Folds } from '../../core/definition.ts'
import type { LoopFold } from '../../core/loop.ts'
import { planFold } from '../../loops/shared/plan.ts'
import { promiseFold } from '../../loops/shared/promises.ts'

const FOLDS: Readonly<Record<string, LoopFold | undefined>> = { task: planFold, ralph: promiseFold }

/** The folds of the loops that a session can be bound to: a hook loads no others. */
export const sessionFolds: Folds = ({ name }) => FOLDS[name]
