import type { Guard } from '../core/guard.ts'
import { having, listOf } from './kinds.ts'

/** A guard, whoever made it. */
export const GUARD = having<Guard>('a guard, such as maxIterations(8)', 'spec', 'inspect')

/** The guards of a run. */
export const GUARDS = listOf('a list of guards, such as [maxIterations(8)]', GUARD)
