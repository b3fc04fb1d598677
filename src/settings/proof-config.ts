import type { ProofConfig, RunConfig } from '../core/run-config.ts'
import type { PawlConfig } from './pawl-config.ts'

/** How a success is proved, for a run's record: what pawl.yaml says, overridden by `given`. What neither says is absent. */
export function proofConfig(config: PawlConfig | undefined, given: ProofConfig = {}): Pick<RunConfig, 'proof'> {
  const { tests, mayChange, requireProof, flaky, prepare, heldOut } = config ?? {}
  const proof: ProofConfig = {
    ...(tests === undefined ? {} : { tests }),
    ...(mayChange === undefined ? {} : { mayChange }),
    ...(requireProof === undefined ? {} : { require: requireProof }),
    ...(flaky === undefined ? {} : { flaky }),
    ...(prepare === undefined ? {} : { prepare }),
    ...(heldOut === undefined ? {} : { heldOut }),
    ...given,
  }
  return Object.keys(proof).length === 0 ? {} : { proof }
}
