import { comparableClaim } from './claim-key.ts'
import { type Finding, isLive } from './finding.ts'

/** Citations of findings that belong together, over the iterations. */
export interface CrossReference {
  /** What they share: a file, or a subject. */
  readonly about: string
  readonly findings: readonly string[]
  /** Numbers of the citations, as in `citationNumbers`. */
  readonly citations: readonly number[]
}

/** Every citation of the findings with the number it has in a report, counted from 1 in the order of the findings. */
function citationNumbers(findings: readonly Finding[]): ReadonlyMap<string, readonly number[]> {
  let last = 0
  return new Map(findings.map(({ id, citations }) => [id, citations.map(() => ++last)]))
}

/** Findings of different iterations that cite the same file or speak of the same subject, with the numbers of their citations. */
export function crossReferences(findings: readonly Finding[]): readonly CrossReference[] {
  const numbers = citationNumbers(findings)
  const groups = new Map<
    string,
    { readonly findings: Set<string>; readonly citations: Set<number>; readonly iterations: Set<number> }
  >()
  const add = (about: string, finding: Finding, citations: readonly number[]): void => {
    const group = groups.get(about) ?? { findings: new Set(), citations: new Set(), iterations: new Set() }
    group.findings.add(finding.id)
    group.iterations.add(finding.iterationDiscovered)
    for (const citation of citations) group.citations.add(citation)
    groups.set(about, group)
  }
  for (const finding of findings.filter(isLive)) {
    const own = numbers.get(finding.id) ?? []
    finding.citations.forEach(({ file, status }, index) => {
      if (status !== 'refuted') add(file, finding, own.slice(index, index + 1))
    })
    for (const claim of finding.claims ?? []) add(comparableClaim(claim).topic.split(' / ')[0] ?? '', finding, own)
  }
  return [...groups]
    .filter(([, group]) => group.iterations.size > 1 && group.findings.size > 1 && group.citations.size > 1)
    .map(([about, group]) => ({
      about,
      findings: [...group.findings],
      citations: [...group.citations].toSorted((one, other) => one - other),
    }))
}
