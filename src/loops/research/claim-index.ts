import type { ComparableClaim } from './claim-key.ts'

/** A finding that claims otherwise, and what each says. */
export interface Contradiction {
  readonly finding: string
  readonly value: string
  readonly claim: ComparableClaim
}

/** Who claimed what first, for each subject, attribute and scope. */
export interface ClaimIndex {
  /**
   * The first finding that claims another value under the same key, or the opposite of the same value. Only the first: a hundred values of
   * one thing are ninety-nine conflicts, and not five thousand.
   */
  against(finding: string, claim: ComparableClaim): Contradiction | undefined
  add(finding: string, claim: ComparableClaim): void
}

interface Said {
  readonly finding: string
  readonly value: string
  readonly said: string
}

/** An empty index. */
export function claimIndex(): ClaimIndex {
  const positive = new Map<string, Said>()
  const positiveValues = new Map<string, Said>()
  const negativeValues = new Map<string, Said>()
  return {
    against(finding, claim) {
      const { key, value, isNegative } = claim
      const opposite = (isNegative ? positiveValues : negativeValues).get(`${key}=${value}`)
      const first = isNegative ? undefined : positive.get(key)
      const other = [opposite, first && first.value !== value ? first : undefined].find(
        (each) => each && each.finding !== finding,
      )
      if (!other) return undefined
      return { finding: other.finding, value: other === opposite && !isNegative ? `not ${other.said}` : other.said, claim }
    },
    add(finding, { key, value, said: words, isNegative }) {
      const said = { finding, value, said: words }
      const values = isNegative ? negativeValues : positiveValues
      if (!values.has(`${key}=${value}`)) values.set(`${key}=${value}`, said)
      if (!isNegative && !positive.has(key)) positive.set(key, said)
    },
  }
}
