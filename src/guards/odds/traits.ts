/**
 * What a moment is described by, in this order, and which way the chance may go with it, all else equal: 1 where more never lowers it, -1
 * where more never raises it. The fit keeps to it, whatever the recorded loops say: more of the same is never good news, a better score never
 * bad news, and time never helps by running out. Only whether there is an error at all may mean either.
 */
export const TRAITS = {
  iteration: -1,
  iterationsLeft: 1,
  hasError: 0,
  errorStreak: -1,
  errorCount: -1,
  errorsKnown: -1,
  errorsDifferent: 1,
  errorsDifferentShare: 1,
  withoutErrorStreak: -1,
  sinceNewError: -1,
  shapeStreak: -1,
  shapeCount: -1,
  shapesDifferent: 1,
  sinceNewShape: -1,
  workStreak: -1,
  workCount: -1,
  workDifferentShare: 1,
  sinceNewWork: -1,
  workRepeats: -1,
  resultStreak: -1,
  resultCount: -1,
  resultDifferentShare: 1,
  sinceNewResult: -1,
  score: 1,
  scoreBest: 1,
  scoreFirst: 1,
  scoreWorst: 1,
  scoreRise: 1,
  sinceBest: -1,
  failing: -1,
  likeness: -1,
  likenessStreak: -1,
} as const

export type Trait = keyof typeof TRAITS

/** The place of a trait: the shipped estimate refers to traits by their places. */
export function placeOf(trait: Trait): number {
  return NAMES.indexOf(trait)
}

const NAMES = Object.keys(TRAITS)
