export {
  isStalledPatch,
  normalisedPatch,
  patchSimilarity,
  type NormalisedPatch,
  type PatchSimilarity,
  type StalledPatchOptions,
} from './patch-similarity.ts'
export type { Sequence } from './matching.ts'
export {
  isSequenceRatioAtLeast,
  sequenceRatio,
  type SequenceRatioDecisionOptions,
  type SequenceRatioOptions,
} from './sequence-ratio.ts'
