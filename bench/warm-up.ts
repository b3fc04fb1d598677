/** Long enough for the compiler to have seen all it will see. */
export const WARM_UP_MS = 5000

/** Iterations of one short loop of the warm-up. */
export const WARM_UP_ITERATIONS = 250

/** Runs short loops for a while before anything is measured: for the same time for each side. */
export async function warmUp(loop: (round: number) => Promise<unknown>): Promise<void> {
  const until = performance.now() + WARM_UP_MS
  for (let round = 0; performance.now() < until; round++) await loop(round)
}
