const STEM_LENGTH_MIN = 4

/** Longest first, so that `handlings` loses all of its ending; `status` and `class` end in no plural. */
const ENDING = /(?:ations?|ings?|ers|ors|ies|ied|er|or|ed|es|(?<![siu])s|e|y)$/

/**
 * What the forms of an English word have in common: `handle`, `handled`, `handler` and `handling` are `handl`. Crude on purpose: it only
 * brings forms together that all stand in the code, and what it found is shown. At least four letters stay.
 */
export function wordStem(word: string): string {
  let stem = word
  for (let shorter = shortened(stem); shorter !== stem; shorter = shortened(stem)) stem = shorter
  return stem
}

function shortened(word: string): string {
  const kept = word.slice(0, STEM_LENGTH_MIN)
  return kept + word.slice(STEM_LENGTH_MIN).replace(ENDING, '')
}
