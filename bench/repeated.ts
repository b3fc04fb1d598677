import { median } from './median.ts'

/** The median of how long each of `rounds` calls takes, in milliseconds; one more before them warms up. */
export function repeated(rounds: number, call: () => unknown): number {
  call()
  const durationsMs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    call()
    durationsMs.push(performance.now() - startedAt)
  }
  return median(durationsMs)
}
