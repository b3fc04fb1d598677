import { defined } from '../core/defined.ts'
import type { Seq } from '../core/event.ts'
import { type Proof, PROOF_LEVELS, type ProofCell, type ProofFinding, type ProofLevel } from '../core/proof.ts'
import { sentence } from '../core/saying.ts'
import type { State } from '../core/state.ts'
import { levelNow, proofNow, provenNow, reviewersNow } from '../loops/shared/proof.ts'
import { findingSaying } from '../loops/shared/questions.ts'
import { listWords, provenWords, SHARED_WORDS } from '../loops/shared/words.ts'
import { labelled, type Screen } from './layout.ts'

/** Why a success is believed, or what speaks against it: plain data, the same for terminal, JSON, MCP and hooks. */
export interface ProofView extends Omit<Proof, 'level'> {
  /** The event that says so. */
  readonly seq: Seq
  readonly iteration: number
  readonly level: ProofLevel
  /** The same in one sentence. */
  readonly summary: string
  /** Where the checks ran: the least sure place of all. Absent if none ran again. */
  readonly place?: ProofCell['place']
  /** Who approved the work. */
  readonly reviewers?: readonly string[]
  /** Set if a person accepted the work although it was not proven. */
  readonly isAccepted?: true
}

/** The proof of the tree that is there now; nothing for a run that has none, such as one of an earlier version. */
export function proofView(state: State): ProofView | undefined {
  const proof = proofNow(state)
  const level = levelNow(state)
  const proven = provenNow(state)
  if (!proof || !level || !proven) return undefined
  const isAccepted = state.answer?.kind === 'accept'
  const reviewers = reviewersNow(state)
  return {
    ...proof,
    seq: state.current.proof?.seq ?? state.seq,
    iteration: state.current.number,
    level,
    summary: summaryOf(proof, provenWords(proven), isAccepted),
    ...defined({ place: placeOf(proof) }),
    ...(reviewers.length > 0 ? { reviewers } : {}),
    ...(isAccepted ? { isAccepted } : {}),
  }
}

/** How far a run that is complete is proven: with several tasks, the weakest of their proofs. Nothing if one has none. */
export function runProof(state: State): ProofLevel | undefined {
  if (state.status !== 'completed') return undefined
  const { items = [], proofs = [] } = state.slices?.plan ?? {}
  if (items.length <= 1) return levelNow(state)
  return proofs.length === items.length ? PROOF_LEVELS.findLast((level) => proofs.includes(level)) : undefined
}

function summaryOf({ level, findings }: Proof, believed: string, isAccepted: boolean): string {
  if (findings.length > 0)
    return isAccepted
      ? 'A person accepted the work although the proof failed.'
      : "The checks pass, but that doesn't prove the work is done."
  if (!isAccepted) return believed
  return level === 'unproven' ? 'A person accepted the work without proof.' : `${believed} A person accepted that.`
}

/** One check that ran in the workspace is what a reader has to know. */
function placeOf({ cells }: Pick<Proof, 'cells'>): ProofCell['place'] | undefined {
  return (['workspace', 'copy', 'mount'] as const).find((place) => cells.some((cell) => cell.place === place))
}

/** The level, the proof in one sentence, and what a reader should know of how it was made. */
export function proofLines(proof: ProofView, { columns }: Screen): readonly string[] {
  return [
    ...labelled('Level', proof.level, columns),
    ...labelled('Because', proof.summary, columns),
    ...proofDetails(proof).flatMap((line, index) => labelled(index === 0 ? 'Details' : '', line, columns)),
  ]
}

/** What speaks against it, which tests turned and which were changed, which checks have only an exit code, and where they ran. */
export function proofDetails(proof: ProofView, { withPlace = true }: { readonly withPlace?: boolean } = {}): readonly string[] {
  const { turned, turnedCount = turned.length, changedTests, changedTestsCount, byExitCode = [], place, findings, level } = proof
  const named = turned.filter((test) => !byExitCode.includes(test))
  return [
    ...findings.map(findingWords),
    ...(named.length > 0
      ? [
          `${level === 'self-tested' ? 'Fails on the old code' : 'Failed before'}: ${listWords(
            named.map((test) => `"${test}"`),
            turnedCount - (turned.length - named.length),
          )}.`,
        ]
      : []),
    changedTestsCount === 0
      ? 'No test was changed.'
      : level === 'self-tested' && !proof.isAccepted
        ? ''
        : `Changed test files: ${listWords(changedTests, changedTestsCount)}.`,
    ...(byExitCode.length > 0 ? [`Judged by exit code only: ${listWords(byExitCode)}.`] : []),
    ...(place === undefined || !withPlace ? [] : [PLACES[place]]),
  ].filter((line) => line !== '')
}

const PLACES: Readonly<Record<ProofCell['place'], string>> = {
  mount: 'The checks ran in a fresh copy of the files, at the same path.',
  copy: 'The checks ran in a fresh copy of the files, in another folder.',
  workspace: 'Some checks ran only in the workspace itself, not in a fresh copy.',
}

/** What speaks against a success, in a sentence. */
export function findingWords(finding: ProofFinding): string {
  return sentence(SHARED_WORDS, findingSaying(finding)) ?? finding.code
}
