import { isRecorded } from '../../core/recorded-settings.ts'
import type { ReviewItem, ReviewSettings } from './review-settings.ts'
import { ANYTHING, type EntriesOf, FLAG, LIST, optional, settingsSchema, TEXTS, WORDS } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'

/** Refuses options that the review loop, or one of its items, does not know. */
export function requireReviewOptions(settings: ReviewSettings): void {
  readOptions('reviewLoop', LOOP_OPTIONS, settings)
  if (isRecorded(settings)) return
  for (const [index, item] of (settings.items ?? []).entries()) readOptions(`reviewLoop: item ${index + 1}`, ITEM_OPTIONS, item)
}

const LOOP_OPTIONS = settingsSchema({
  items: optional(LIST),
  goal: optional(WORDS),
  coders: optional(LIST),
  alternatesOnRework: optional(FLAG),
  by: ANYTHING,
  testFailuresMax: ANYTHING,
  environmentRepairsMax: ANYTHING,
  testerOverrulesSecurity: optional(FLAG),
  commits: optional(FLAG),
  stopOn: optional(TEXTS),
  feedbackLengthMax: ANYTHING,
  contractRules: optional(TEXTS),
  reworkCyclesMax: ANYTHING,
  similarityMin: ANYTHING,
  convergenceCyclesMin: ANYTHING,
} satisfies EntriesOf<ReviewSettings>)

/** What is wrong in an item otherwise is for its contract to say. */
const ITEM_OPTIONS = settingsSchema({
  id: ANYTHING,
  goal: ANYTHING,
  type: ANYTHING,
  iterationsMax: ANYTHING,
} satisfies EntriesOf<ReviewItem>)
