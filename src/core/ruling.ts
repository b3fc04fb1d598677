import { shortened } from './wording.ts'

/** Which side a person says is right where code and test disagree: the test, the code, or both. */
export type RightSide = 'test' | 'code' | 'both'

/** A person's word on one test. */
export interface Ruling {
  /** The test's name, as far as the words have it: see `ruledName`. */
  readonly test: string
  readonly right: RightSide
}

/** A ruling as the agent is told it: always these words, since programs read them too. */
export function rulingWords({ test, right }: Ruling, wanted: string, given: string): string {
  return `In "${ruledName(test)}" ${SAYINGS[right]} ${ENDINGS[right](wanted, given)}`
}

/** What a ruling calls a test of this name. */
export function ruledName(test: string): string {
  return shortened(test, NAME_LENGTH_MAX)
}

/** The ruling that a text is; `undefined` for any other text. */
export function rulingIn(text: string): Ruling | undefined {
  for (const [right, saying] of Object.entries(SAYINGS) as [RightSide, string][]) {
    const end = text.startsWith('In "') ? text.indexOf(`" ${saying} `) : -1
    if (end > 0) return { test: text.slice('In "'.length, end), right }
  }
  return undefined
}

/** What people ruled, of what a brief says that they said: for each test the last word. */
export function rulingsIn(brief: string): readonly Ruling[] {
  const lines = brief.split('\n')
  const start = lines.indexOf(`# ${PERSON_SAID}`)
  if (start < 0) return []
  const after = lines.slice(start + 1)
  const end = after.findIndex((line) => line.startsWith('# '))
  const said = after.slice(0, end < 0 ? after.length : end).flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []))
  const rulings = said.flatMap((line) => rulingIn(line) ?? [])
  return [...new Map(rulings.map((ruling) => [ruling.test, ruling])).values()]
}

/** The section of a brief that tells what people said. */
export const PERSON_SAID = 'A person said'

const NAME_LENGTH_MAX = 100

const SAYINGS: Readonly<Record<RightSide, string>> = {
  test: 'the test is right: change the code so that it gives',
  code: 'the code is right: change the test so that it expects',
  both: 'both are right: let the code take either form, and the test accept',
}

const ENDINGS: Readonly<Record<RightSide, (wanted: string, given: string) => string>> = {
  test: (wanted) => `${wanted}.`,
  code: (_wanted, given) => `${given}, and nothing else in it.`,
  both: (wanted, given) => `${wanted} as well as ${given}.`,
}
