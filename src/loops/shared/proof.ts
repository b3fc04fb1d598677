import { type Effect, effectKey } from '../../core/effect.ts'
import { type Proof, PROOF_NAMES_MAX, type ProofFinding, type ProofLevel, type WrittenTests } from '../../core/proof.ts'
import { agentName, type PartSpec } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { BLOCKED, claimOf } from './promises.ts'
import type { Proven } from './words.ts'

/** The choice to have a test written that tells whether the goal is reached. */
export const WRITE_TEST = 'write-test'

/**
 * What a pass still needs before it counts: a proof. Nothing where the checks passed before and the work left the tree that it found. `left`
 * are failing tests that are for later.
 */
export function proofEffects(state: State, written?: WrittenTests, left: readonly string[] = []): readonly Effect[] {
  const { config, current, base, baseline, tree } = state
  if (config.proof === false) return []
  // A promise that no check can confirm is on record as unproven.
  const isPromiseOnly = config.checks.length === 0 && isClaimed(state)
  // What checks wrote before any work is no work. A pass on files that failed before is due to something else.
  const isChanged = base?.tree !== tree?.tree && baseline?.tree !== tree?.tree
  const isOpen = isChanged || baseline?.verdict.passed === false
  const tests = current.checks.filter(({ isReview }) => !isReview)
  const deciding = tests.length > 0 ? tests : current.checks
  const hasFailed = left.length === 0 && deciding.some((check) => !check.passed)
  if (!tree || !base || !(isPromiseOnly || (isOpen && deciding.length > 0)) || hasFailed) return []
  const role = current.checkRound === undefined ? 'proof' : `proof-${current.checkRound}`
  return [
    {
      kind: 'prove',
      key: effectKey(current.number, role),
      iteration: current.number,
      tree: tree.tree,
      ...(written ? { written } : {}),
      ...(left.length > 0 ? { left } : {}),
    },
  ]
}

function isClaimed(state: State): boolean {
  const claim = claimOf(state)
  return claim !== undefined && claim.promise !== BLOCKED
}

/** The proof of the tree that is there now. */
export function proofNow({ current, tree }: State): Proof | undefined {
  return current.proof?.tree === tree?.tree ? current.proof : undefined
}

/** What the success is worth: a review makes up for what tests cannot tell. */
export function levelNow(state: State): ProofLevel | undefined {
  const proof = proofNow(state)
  if (proof?.level !== 'unproven') return proof?.level
  return approvalsNow(state).length > 0 ? 'reviewed' : 'unproven'
}

/** The reviews that approved the tree that is there now, by the names of their checks; none if one of them asks for rework. */
function approvalsNow({ current, tree, slices }: State): readonly string[] {
  const reviews = current.checks.filter(({ isReview }) => isReview)
  if (reviews.some(({ passed }) => !passed)) return []
  const approved = reviews.filter((review) => review.tree === tree?.tree).map(({ name }) => name)
  // A repair that changed nothing leaves a review loop's approval as it was.
  const before = slices?.review?.approved
  return before?.tree === tree?.tree ? [...new Set([...approved, ...(before?.names ?? [])])] : approved
}

/** Whether a person approved the tree that is there now. */
export function isApprovedByPerson(state: State): boolean {
  const names = approvalsNow(state)
  return state.config.checks.some(({ settings }) => settings['review'] === 'person' && names.includes(String(settings['name'])))
}

/** What the proof found that speaks against the pass. */
export function speaksAgainst(state: State): readonly ProofFinding[] {
  return proofNow(state)?.findings.filter(({ code }) => code !== 'fails-in-room' && code !== 'held-out-fails') ?? []
}

/** Who approved the tree that is there now: agents by name, or "a person". */
export function reviewersNow(state: State): readonly string[] {
  return [
    ...new Set(
      approvalsNow(state).map((name) => {
        const { review, agent } = state.config.checks.find(({ settings }) => settings['name'] === name)?.settings ?? {}
        if (review === 'person') return 'a person'
        return agent === undefined ? name : agentName(agent as unknown as PartSpec)
      }),
    ),
  ]
}

/** Tests that passed and failed on the files that are there now, in the workspace or in a fresh copy. */
export function flakyNow({ current }: State): readonly string[] {
  const inRoom = current.proof?.flaky?.flatMap(({ tests }) => tests) ?? []
  return [...new Set([...current.checks.flatMap(({ flaky = [] }) => flaky), ...inRoom])]
}

/** Why the success is believed, as the values of `decided.passed`; nothing if no proof was made. */
export function provenNow(state: State): Proven | undefined {
  const proof = proofNow(state)
  const level = levelNow(state)
  if (!proof || !level) return undefined
  const { turned, turnedCount, byExitCode = [], changedTests, changedTestsCount } = proof
  const checks = turned.filter((id) => byExitCode.includes(id))
  const diagnostics = new Set(
    (state.baseline?.failures ?? []).filter(({ kind }) => kind === 'lint' || kind === 'compile').map(({ id }) => id),
  )
  const named = turned.filter((id) => !checks.includes(id))
  const problems = named.filter((id) => diagnostics.has(id)).length
  const tests = named.length - problems
  // Of what is counted and not named nobody knows the kind: it is taken for more of the same.
  const unnamed = turnedCount === undefined ? 0 : turnedCount - turned.length
  return {
    level,
    tests: tests > 0 || problems === 0 ? tests + unnamed : tests,
    problems: tests > 0 || problems === 0 ? problems : problems + unnamed,
    checks,
    ...(turnedCount === undefined && turned.length >= PROOF_NAMES_MAX ? { isMore: true } : {}),
    files: changedTests.slice(0, FILES_NAMED_MAX),
    filesCount: changedTestsCount,
    reviewers: level === 'reviewed' ? reviewersNow(state) : [],
    ...secondRun(state),
  }
}

const FILES_NAMED_MAX = 3

/** The flaky tests behind a pass that needed a second run. */
export function secondRun(state: State): Pick<Proven, 'flaky' | 'flakyCount'> {
  const flaky = flakyNow(state)
  return flaky.length === 0 ? {} : { flaky: flaky.slice(0, FILES_NAMED_MAX), flakyCount: flaky.length }
}

/** The weakest proof that counts as done. */
export function wantedLevel({ config }: State): ProofLevel {
  return (config.proof || undefined)?.require ?? 'reviewed'
}
