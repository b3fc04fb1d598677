import type { Fact, RunId } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { DrivingAppend } from './store.ts'

/** Refuses an append that can only be a programmer's mistake, before anything is written. */
export function checkAppend(run: RunId, facts: readonly Fact[], driving: DrivingAppend | undefined): void {
  if (driving !== undefined && driving.claim.run !== run) {
    throw new PawlError(
      'store.wrong-claim',
      `An append to the run "${run}" came with the claim of the run "${driving.claim.run}": claim the run you write to.`,
      { value: driving.claim },
    )
  }
  const stranger = driving === undefined ? facts.find((fact) => fact.by.role !== 'person') : undefined
  if (stranger === undefined) return
  throw new PawlError(
    'store.not-a-person',
    `"${stranger.type}" by "${stranger.by.role}" needs a claim on the run "${run}": without one only facts by a person are taken.`,
    { value: stranger },
  )
}
