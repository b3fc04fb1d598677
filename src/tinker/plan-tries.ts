import type { Candidate } from './candidate.ts'
import { failuresOf, signature, type CheckOutcome } from './check-outcome.ts'
import { filesOfCheck, isEditable } from './is-editable.ts'
import { readSourceTexts, type SourceTexts } from './list-files.ts'
import { hash } from './memory.ts'
import { rankCandidates } from './rank-candidates.ts'
import { pairsWith, ruledCandidates } from './ruled-candidates.ts'
import { type RuledFailure, ruledFailures } from './ruled-failures.ts'
import type { Settings } from './settings.ts'
import { suspicionFrom } from './suspicion.ts'

export interface PlanOptions {
  readonly cwd: string
  readonly brief: string
  readonly settings: Settings
  /** How the check ends on the tree as it is. */
  readonly outcome: CheckOutcome
}

/** What may be tried on a tree. */
export interface Plan {
  /** The same for the same sources that fail in the same way: what was tried on it need not be tried again. */
  readonly tree: string
  readonly texts: SourceTexts
  readonly candidates: readonly Candidate[]
  /** The failures on which the brief has a person's word. */
  readonly ruled: readonly RuledFailure[]
  /** What to try together with a conversion that mends such a test and breaks others. */
  pairsWith(half: Candidate): readonly Candidate[]
}

/** Reads the tree and ranks what may be tried on it. */
export function planTries({ cwd, brief, settings, outcome }: PlanOptions): Plan {
  const texts = readSourceTexts(cwd)
  const failures = failuresOf(outcome)
  const checkFiles = filesOfCheck(settings.check, cwd)
  const suspicion = suspicionFrom({
    folder: cwd,
    texts,
    failures,
    output: outcome.output,
    brief,
    isEditable: (path) => isEditable(path, checkFiles),
  })
  const ruled = ruledFailures(brief, failures)
  const candidates = [...ruledCandidates(suspicion, ruled), ...rankCandidates(suspicion, failures, settings.seed)]
  const tree = hash(JSON.stringify([settings.check, [...texts], failures.map((failure) => [failure.id, signature(failure)])]))
  return { tree, texts, candidates, ruled, pairsWith: (half) => pairsWith(half, ruled, suspicion.sources) }
}
