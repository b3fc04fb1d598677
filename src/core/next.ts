import { askQuestion, CORE_WORDS } from './words.ts'
import { configWithAnswer } from './raises.ts'
import { concluded, recordStep } from './conclude.ts'
import type { Definition } from './definition.ts'
import { type Effect, effectKey, type WorkEffect } from './effect.ts'
import { backFacts, switchAtProblem, waitOrGiveUp } from './fallback.ts'
import { decisionFacts, finishFacts, judgeIteration, openSeals, remainingMs, remainingUsd } from './judge.ts'
import { checksNotRun, lateChecks, verdictOf } from './measures/verdict-of.ts'
import { outcomeOf } from './outcome.ts'
import { messagesIn } from './saying.ts'
import { isDone, type PutAside, type State } from './state.ts'
import type { Step } from './step.ts'
import type { Fact } from './event.ts'
import type { Loop } from './loop.ts'

/**
 * What follows from the state, and nothing else: asked again after every append. Reads top to bottom as one iteration does: people
 * first, then waits, the workspace, the iteration's effects, its end, its judgement.
 */
export function next(definition: Definition, state: State, { hold = false }: NextOptions = {}): Step {
  switch (state.status) {
    case 'completed':
    case 'aborted':
    case 'paused':
      return { kind: 'end', outcome: outcomeOf(state) }
    case 'escalated':
    case 'stopped':
      return (
        settleStep(state) ??
        answerStep(definition.loop(state.config.loop), state, workspaceEffect(state) ?? acceptedSeal(definition, state))
      )
    default:
      return goingOn(definition, state, hold)
  }
}

/** How to say what is next. */
export interface NextOptions {
  /** Leaves the iteration open: when it would end, the step is `hold`. Default false. */
  readonly hold?: boolean
}

function goingOn(definition: Definition, state: State, hold: boolean): Step {
  if (state.raises || state.expert || state.added) return recordStep(state, 'run.reconfigured', configWithAnswer(state))
  if (state.timer) return { kind: 'wait', for: 'timer', until: state.timer.until }
  const workspace = workspaceEffect(state)
  if (workspace) return { kind: 'perform', effects: [workspace] }
  const { current } = state
  const [asking] = current.asked ?? []
  if (asking) return askPerson(state, asking)
  const other = current.problem && !current.decision ? switchAtProblem(state, current.problem) : undefined
  if (other) return other
  const facts = definition.loop(state.config.loop).concludes?.(state) ?? []
  if (facts.length > 0) return { kind: 'record', facts }
  if (current.ended || current.problem)
    return current.decision ? startIteration(state, current.number + 1) : judgeIteration(definition, state)
  if (current.limit) return waitOrGiveUp(definition, state, current.limit)
  const back = current.wokenAt === undefined ? [] : backFacts(state, current.wokenAt)
  if (back.length > 0) return { kind: 'record', facts: back }
  const effects = wanted(definition, state)
  if (effects.length > 0) return { kind: 'perform', effects }
  return current.number === 0 ? firstIteration(definition, state) : endOrAwait(definition, state, hold)
}

const says = messagesIn(CORE_WORDS)

/** Work that was put aside for a question of the agent: a person is asked, and nothing else continues until then. */
function askPerson(state: State, { ask, seq }: PutAside): Step {
  const decision = {
    action: 'escalate',
    ...says('ask.asks', { title: ask.title }),
    basis: [seq],
    question: askQuestion(state, ask),
  } as const
  return { kind: 'record', facts: decisionFacts(state, decision, [], []) }
}

/** While a question is open, the agents' edits are settled at once, so that later changes are known to be a person's. */
function settleStep(state: State): Step | undefined {
  const effect = state.workspace === 'left' || state.workspace === 'restore' ? workspaceEffect(state) : undefined
  return effect && state.answer === undefined ? { kind: 'perform', effects: [effect] } : undefined
}

/** What a person accepts is sealed like any success. */
function acceptedSeal(definition: Definition, state: State): Effect | undefined {
  // One that fails is on record, and does not keep the person's word from counting.
  if (state.answer?.kind !== 'accept' || state.current.problem) return undefined
  return openSeals(definition.loop(state.config.loop), state)[0]
}

/** After a crash half-done work is undone; after a pause a person's edits are taken as they are. */
function workspaceEffect(state: State): Effect | undefined {
  const { number: iteration } = state.current
  const key = (role: string): string => effectKey(iteration, role, state.workspaceCause)
  if (state.workspace === 'restore' && state.tree)
    return { kind: 'restore', key: key('restore'), iteration, snapshot: state.tree.snapshot }
  if (state.workspace === 'left') {
    const looks = state.current.effects.filter((effect) => effect.key.startsWith(`${iteration}/left/`)).length
    return { kind: 'observe', key: effectKey(iteration, 'left', looks), iteration, by: 'agent' }
  }
  if (state.workspace === 'observe') return { kind: 'observe', key: key('person'), iteration, by: 'person' }
  return undefined
}

/** The loop's wishes, less what is done, within the time and money that are left. */
function wanted(definition: Definition, state: State): readonly Effect[] {
  const effects = definition.loop(state.config.loop).effects(state)
  const open = effects.filter((effect) => !isDone(state, effect.key))
  if (open.length === 0) return open
  const guards = state.config.guards.map(definition.guard)
  const deadlineMs = remainingMs(guards, state)
  const costUsdMax = remainingUsd(guards, state)
  const money = costUsdMax === undefined ? {} : { costUsdMax }
  const [messagesMax] = guards.flatMap((guard) => guard.messagesMax ?? []).toSorted((one, other) => one - other)
  const messages = messagesMax === undefined ? {} : { messagesMax }
  const within = (own?: number): Pick<WorkEffect, 'deadlineMs'> => {
    const ms = Math.min(own ?? Infinity, deadlineMs ?? Infinity)
    return ms === Infinity ? {} : { deadlineMs: ms }
  }
  return open.map((effect) => {
    if (effect.kind === 'work') return { ...effect, ...within(effect.deadlineMs), ...money, ...messages }
    return effect.kind === 'check' && effect.review ? { ...effect, ...money } : effect
  })
}

function firstIteration(definition: Definition, state: State): Step {
  const loop = definition.loop(state.config.loop)
  const facts = loop.begins?.(state) ?? []
  return facts.length > 0 ? { kind: 'record', facts } : startIteration(state, 1)
}

/** A stand-in stays until the iteration is over, or until the run had to wait for someone. */
function startIteration(state: State, iteration: number): Step {
  const back = backFacts(state)
  if (back.length > 0) return { kind: 'record', facts: back }
  return recordStep(state, 'iteration.started', { iteration })
}

/** An iteration that waits for a person's review has not ended: its verdict is not known. */
function endOrAwait(definition: Definition, state: State, hold: boolean): Step {
  const awaited = definition.loop(state.config.loop).awaits?.(state)
  if (!awaited) return hold ? { kind: 'hold' } : endIteration(definition, state)
  return { kind: 'record', facts: decisionFacts(state, awaited.decision, [], [], { review: awaited.review }) }
}

function endIteration(definition: Definition, state: State): Step {
  const { current, totals } = state
  const notRun = checksNotRun(state)
  return recordStep(state, 'iteration.ended', {
    iteration: current.number,
    verdict:
      definition.loop(state.config.loop).verdict?.(state) ?? verdictOf(current.checks, state.measures.ledger, lateChecks(state)),
    tree: current.observed?.tree ?? state.tree?.tree ?? '',
    filesChanged: current.observed?.filesChanged ?? 0,
    durationMs: totals.activeMs - current.totalsAtStart.activeMs,
    costUsd: totals.costUsd - current.totalsAtStart.costUsd,
    tokens: totals.tokens - current.totalsAtStart.tokens,
    ...(notRun.length === 0 ? {} : { checksNotRun: notRun }),
  })
}

/** What follows while a question is open: what a person's answer says, or more waiting. */
function answerStep(loop: Loop, state: State, workspace: Effect | undefined): Step {
  const { answer } = state
  switch (answer?.kind) {
    case 'approve':
    case 'reject':
      return reviewStep(state, answer)
    case 'accept': {
      if (workspace) return { kind: 'perform', effects: [workspace] }
      return { kind: 'record', facts: finishFacts(loop, state, `Accepted by a person: ${answer.label}`, answer.seq) }
    }
    case 'abort':
      return recordStep(state, 'run.aborted', { reason: `Chosen by a person: ${answer.label}` }, answer.seq)
    default:
      return state.status === 'escalated' ? { kind: 'wait', for: 'person' } : { kind: 'end', outcome: outcomeOf(state) }
  }
}

/** The verdict is about the tree that was shown; what was changed since is looked at next, and checked again. */
function reviewStep(state: State, answer: NonNullable<State['answer']>): Step {
  const { key = '', name = 'review' } = state.question?.review ?? {}
  const note = answer.note ?? 'Rejected without a note.'
  const isApproved = answer.kind === 'approve'
  const data = {
    key,
    name,
    tree: state.tree?.tree ?? '',
    durationMs: 0,
    failures: isApproved ? [] : [{ id: name, kind: 'review', severity: 'major', message: note } as const],
    ...(answer.note === undefined ? {} : { summary: answer.note }),
  }
  const type = isApproved ? 'review.approved' : 'review.rejected'
  const fact: Fact = concluded(state, { role: 'person' }, type, data, answer.seq)
  return { kind: 'record', facts: [fact] }
}
