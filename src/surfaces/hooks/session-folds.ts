import type { Folds } from '../../core/definition.ts'

/** The folds of the loops that a session can be bound to: a hook loads no others. */
export const sessionFolds: Folds = () => undefined
