/** A cost where one is known; runs of agents that tell none add up to 0, which is no price. */
export function knownCost(costUsd: number): { readonly costUsd?: number } {
  return costUsd === 0 ? {} : { costUsd }
}
