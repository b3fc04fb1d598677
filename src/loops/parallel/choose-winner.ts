import type { ProofLevel } from '../../core/proof.ts'
import type { ChildResult, WonBy } from './events.ts'

/** Someone who is through. */
export interface Candidate {
  readonly id: string
  readonly result: ChildResult
}

/** The strongest first. */
const LEVELS: readonly ProofLevel[] = ['red-to-green', 'self-tested', 'reviewed', 'unproven']

/** What decides between two proven results, in this order; the smaller figure wins. */
const MEASURES: readonly { readonly by: WonBy; readonly of: (result: ChildResult) => number }[] = [
  { by: 'proof', of: ({ level = 'unproven' }) => LEVELS.indexOf(level) },
  { by: 'failing', of: ({ failing }) => failing },
  { by: 'diff', of: ({ lines }) => lines },
  // What nobody knows isn't cheap.
  { by: 'cost', of: ({ costUsd, isCostPartial }) => (isCostPartial ? Infinity : costUsd) },
]

/** The best of several proven results, by what it beat the next best, and who that is. Nothing if there is none. */
export function chooseBest(
  candidates: readonly Candidate[],
): { readonly child: string; readonly by: WonBy; readonly against?: string } | undefined {
  const ranked = candidates
    .filter(({ result }) => result.status === 'proven')
    .toSorted((one, other) => difference(one, other)?.sign ?? 0)
  const [best, next] = ranked
  if (!best) return undefined
  if (!next) return { child: best.id, by: 'only' }
  return { child: best.id, by: difference(best, next)?.by ?? 'order', against: next.id }
}

function difference(one: Candidate, other: Candidate): { readonly by: WonBy; readonly sign: number } | undefined {
  for (const { by, of } of MEASURES) {
    const [first, second] = [of(one.result), of(other.result)]
    if (first !== second) return { by, sign: first < second ? -1 : 1 }
  }
  return undefined
}
