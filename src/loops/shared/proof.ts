import type { Decision } from '../../core/step.ts'
import { type Effect, effectKey } from '../../core/effect.ts'
import type { Seq } from '../../core/event.ts'
import {
  type Proof,
  PROOF_LEVELS,
  PROOF_NAMES_MAX,
  type ProofFinding,
  type ProofLevel,
  type WrittenTests,
} from '../../core/proof.ts'
import { agentName, type PartSpec } from '../../core/run-config.ts'
import { messagesIn } from '../../core/saying.ts'
import type { State } from '../../core/state.ts'
import { refutedQuestion, unprovenQuestion } from './questions.ts'
import { type Proven, SHARED_WORDS } from './words.ts'

const decided = messagesIn(SHARED_WORDS)

/** What a pass still needs before it counts: a proof. Nothing where the checks passed before and the work left the tree that it found. */
export function proofEffects({ config, current, base, baseline, tree }: State, written?: WrittenTests): readonly Effect[] {
  if (config.proof === false) return []
  // What checks wrote before any work is no work. A pass on files that failed before is due to something else.
  const isChanged = base?.tree !== tree?.tree && baseline?.tree !== tree?.tree
  const isOpen = isChanged || baseline?.verdict.passed === false
  if (!isOpen || !tree || !base || current.checks.length === 0) return []
  if (current.checks.some((check) => !check.passed)) return []
  const role = current.checkRound === undefined ? 'proof' : `proof-${current.checkRound}`
  return [
    {
      kind: 'prove',
      key: effectKey(current.number, role),
      iteration: current.number,
      tree: tree.tree,
      ...(written ? { written } : {}),
    },
  ]
}

/** The proof of the tree that is there now. */
export function proofNow({ current, tree }: State): Proof | undefined {
  return current.proof?.tree === tree?.tree ? current.proof : undefined
}

/** What the success is worth: a review makes up for what tests cannot tell. */
export function levelNow(state: State): ProofLevel | undefined {
  const proof = proofNow(state)
  if (proof?.level !== 'unproven') return proof?.level
  return state.current.checks.some(({ isReview, passed }) => isReview && passed) ? 'reviewed' : 'unproven'
}

/** What the proof found that speaks against the pass. */
export function speaksAgainst(state: State): readonly ProofFinding[] {
  return proofNow(state)?.findings.filter(({ code }) => code !== 'fails-in-room') ?? []
}

/** Who approved the tree that is there now: agents by name, or "a person". */
export function reviewersNow({ current, config }: State): readonly string[] {
  const approved = current.checks.filter(({ isReview, passed }) => isReview && passed)
  return [
    ...new Set(
      approved.map(({ name }) => {
        const { review, agent } = config.checks.find(({ settings }) => settings['name'] === name)?.settings ?? {}
        if (review === 'person') return 'a person'
        return agent === undefined ? name : agentName(agent as unknown as PartSpec)
      }),
    ),
  ]
}

/** Why the success is believed, as the values of `decided.passed`; nothing if no proof was made. */
export function provenNow(state: State): Proven | undefined {
  const proof = proofNow(state)
  const level = levelNow(state)
  if (!proof || !level) return undefined
  const { turned, byExitCode = [], changedTests, changedTestsCount } = proof
  const checks = turned.filter((id) => byExitCode.includes(id))
  const diagnostics = new Set(
    (state.baseline?.failures ?? []).filter(({ kind }) => kind === 'lint' || kind === 'compile').map(({ id }) => id),
  )
  const named = turned.filter((id) => !checks.includes(id))
  const problems = named.filter((id) => diagnostics.has(id)).length
  return {
    level,
    tests: named.length - problems,
    problems,
    checks,
    ...(turned.length >= PROOF_NAMES_MAX ? { isMore: true } : {}),
    files: changedTests.slice(0, FILES_NAMED_MAX),
    filesCount: changedTestsCount,
    reviewers: level === 'reviewed' ? reviewersNow(state) : [],
  }
}

const FILES_NAMED_MAX = 3

/** Why a pass is no success: something speaks against it, or nothing speaks for it. */
export function unprovenPass(state: State, basis: readonly Seq[]): Decision | undefined {
  const proof = proofNow(state)
  const level = levelNow(state)
  if (!proof || !level) return undefined
  const on = [...basis, ...(state.current.proof ? [state.current.proof.seq] : [])]
  const against = speaksAgainst(state)
  if (against.length > 0) {
    const question = refutedQuestion(state, against)
    return {
      action: 'escalate',
      ...decided('decided.refuted'),
      guards: [],
      basis: on,
      question,
    }
  }
  const wanted = (state.config.proof || undefined)?.require ?? 'reviewed'
  if (PROOF_LEVELS.indexOf(level) <= PROOF_LEVELS.indexOf(wanted)) return undefined
  return {
    action: 'escalate',
    ...decided('decided.unproven', { level, wanted }),
    guards: [],
    basis: on,
    question: unprovenQuestion(state, level, wanted),
  }
}
