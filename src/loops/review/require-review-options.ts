import { FLAG, LIST, type OptionKinds, TEXTS, WORDS } from '../../core/option-kinds.ts'
import { isRecorded } from '../../core/recorded-settings.ts'
import { requireOptions } from '../../core/require-options.ts'
import type { ReviewItem, ReviewSettings } from './review-settings.ts'

/** Refuses options that the review loop, or one of its items, does not know. */
export function requireReviewOptions(settings: ReviewSettings): void {
  requireOptions('reviewLoop', settings, LOOP_OPTIONS)
  if (isRecorded(settings)) return
  for (const [index, item] of (settings.items ?? []).entries())
    requireOptions(`reviewLoop: item ${index + 1}`, item, ITEM_OPTIONS)
}

const LOOP_OPTIONS: OptionKinds<ReviewSettings> = {
  items: LIST,
  goal: WORDS,
  coders: LIST,
  alternatesOnRework: FLAG,
  by: true,
  testFailuresMax: true,
  environmentRepairsMax: true,
  testerOverrulesSecurity: FLAG,
  commits: FLAG,
  stopOn: TEXTS,
  feedbackLengthMax: true,
  contractRules: TEXTS,
  reworkCyclesMax: true,
  similarityMin: true,
  convergenceCyclesMin: true,
}

/** What is wrong in an item otherwise is for its contract to say. */
const ITEM_OPTIONS: OptionKinds<ReviewItem> = { id: true, goal: true, type: true, iterationsMax: true }
