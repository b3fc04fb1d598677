import { PROOF_NAMES_MAX } from '../../core/proof.ts'
import type { OwnPerformance } from '../../engine/performance.ts'
import { changedSides } from '../../engine/perform-proof.ts'
import type { SidesEffect } from './fold.ts'

/** Says what whoever writes the tests changed: tests, and other files. */
export async function performSides(effect: SidesEffect, performance: OwnPerformance): Promise<void> {
  const { parts, post } = performance
  const { tests, others } = await changedSides(performance, effect.since)
  const data = {
    key: effect.key,
    iteration: effect.iteration,
    files: tests.slice(0, PROOF_NAMES_MAX),
    filesCount: tests.length,
    others: others.slice(0, PROOF_NAMES_MAX),
    othersCount: others.length,
  }
  await post([{ type: 'tests.written', at: parts.clock.now(), by: { role: 'runner' }, data }])
}
