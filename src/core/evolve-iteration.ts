import { deniedByBox } from './refusal.ts'
import type { TextRef } from './event-data.ts'
import type { Event, Seq } from './event.ts'
import type { Failure } from './failure.ts'
import {
  churnWith,
  forgiveFailures,
  measureBetterScore,
  type Measures,
  measureSameFailure,
  measuresAnew,
  trendWith,
} from './measures/measures.ts'
import { ledgerAfter } from './measures/ledger.ts'
import { lateChecks, testsNotRun, verdictOf } from './measures/verdict-of.ts'
import {
  FILES_REMEMBERED_MAX,
  type Iteration,
  type IterationSummary,
  NOTES_MAX,
  openIteration,
  RECENT_MAX,
  type State,
} from './state.ts'
import { tripTopic } from './trip.ts'
import type { Verdict } from './verdict.ts'
import { type Allowance, type Option, optionChosen, type Question } from './question.ts'
import { withGivenAnswer } from './earlier-answer.ts'
import { withReply } from './evolve-ask.ts'
import { withPersonLook } from './workspace-look.ts'
import { guidanceNow, withoutOverruled } from './ruling.ts'
import type { PartSpec } from './run-config.ts'

/** The first iteration's start also closes the look before any work. */
export function iterationStarted(state: State, event: Event<'iteration.started'>): State {
  const { iteration } = event.data
  const isFirst = state.current.number === 0
  const known = isFirst ? { ...withBaseline(state), ...(state.tree ? { base: state.tree } : {}) } : state
  // Only a run that was imported begins another after its end: its transcript has grown.
  const status = state.status === 'completed' ? 'running' : state.status
  const current = openIteration(iteration, event.seq, state.totals)
  return { ...known, status, current, message: `Iteration ${iteration} has begun.` }
}

/** An iteration is measured when it ends, before it is judged. Warnings given for it have been read by now. */
export function iterationEnded(state: State, event: Event<'iteration.ended'>): State {
  const { verdict } = event.data
  const { current } = state
  const measures = measured(state, event)
  return withBest(
    {
      ...state,
      current: { ...current, ended: { seq: event.seq, verdict } },
      measures,
      recent: [...earlier(state.recent), summaryOf(state, measures, event)],
      nudges: [],
    },
    verdict,
    event.seq,
  )
}

function measured({ current, measures }: State, { seq, data: { verdict } }: Event<'iteration.ended'>): Measures {
  const { betterScore, sameFailure, ledger, trend, churn } = measures
  const files = (current.observed?.files ?? []).map((file) => file.path)
  // Failures of flaky tests alone are held against nobody.
  const isForgiven = !verdict.passed && isOnlyFlaky(current) && verdict.score <= betterScore.best
  return {
    ...measures,
    betterScore: isForgiven ? betterScore : measureBetterScore(betterScore, verdict, seq),
    sameFailure: measureSameFailure(sameFailure, failuresOf(current), seq),
    ledger: ledgerAfter(ledger, current.number),
    trend: trendWith(trend, verdict.score, seq),
    churn: isForgiven ? churn : churnWith(churn, files, current.number, verdict.passed || verdict.score > betterScore.best, seq),
  }
}

function isOnlyFlaky({ checks }: Iteration): boolean {
  const failed = checks.filter((check) => !check.passed)
  return failed.length > 0 && failed.every(({ failures }) => failures.length > 0 && failures.every(({ isFlaky }) => isFlaky))
}

/** A waiver is used up by the trip it lets pass. */
export function tripRecorded(state: State, event: Event<'guard.tripped'>): State {
  if (!state.waivers.includes(event.data.guard)) return event.data.disputesPass ? withoutDisputed(state) : state
  const { guard } = event.data
  return withAccepted({ ...state, waivers: state.waivers.filter((name) => name !== guard) }, [guard])
}

/** A pass that cannot be believed is nothing to go back to. */
function withoutDisputed(state: State): State {
  const { best, bestBefore, ...rest } = state
  if (best === undefined || best.seq !== state.current.ended?.seq) return state
  return bestBefore ? { ...rest, best: bestBefore } : rest
}

/** A warning reaches the agent once, with the next brief. */
export function nudgeGiven(state: State, event: Event<'guard.nudged' | 'budget.warned'>): State {
  const nudged = [...state.nudged, { topic: tripTopic(event.data), iteration: state.current.number }]
  return { ...state, nudges: [...state.nudges, event.data], nudged }
}

/** A warning that no longer holds may be given again later. */
export function decided(state: State, event: Event<'decision.made'>): State {
  const { action, message, trips } = event.data
  const isAside = state.current.problem !== undefined || state.current.asked !== undefined
  const nudged = isAside ? state.nudged : state.nudged.filter(({ topic }) => trips.includes(topic))
  return { ...state, nudged, message, current: { ...state.current, decision: { seq: event.seq, action } } }
}

/** All failures the checks of an iteration reported. */
function failuresOf({ checks }: Iteration): readonly Failure[] {
  const [only] = checks
  return only && checks.length === 1 ? only.failures : checks.flatMap((check) => check.failures)
}

function withBaseline(state: State): State {
  const { checks } = state.current
  if (checks.length === 0 || state.tree === undefined) return state
  const ledger = ledgerAfter(state.measures.ledger, 0)
  const verdict = verdictOf(checks, ledger, lateChecks(state))
  // Where everything passed beforehand, new tests may fail at first: any score is then better than none.
  const best = verdict.passed ? 0 : verdict.score
  const measures = { ...state.measures, ledger, betterScore: { ...state.measures.betterScore, best } }
  return withBest(
    { ...state, baseline: { verdict, tree: state.tree.tree, failures: failuresOf(state.current) }, measures },
    verdict,
    state.seq,
  )
}

/** The latest pass, or else the highest score; of equal scores the earlier iteration. */
function withBest(state: State, verdict: Verdict, seq: number): State {
  const isBetter = state.best === undefined || verdict.passed || verdict.score > state.best.score
  if (!isBetter || state.tree === undefined) return state
  const { tree, snapshot } = state.tree
  return {
    ...state,
    ...(state.best ? { bestBefore: state.best } : {}),
    best: { iteration: state.current.number, score: verdict.score, passed: verdict.passed, tree, snapshot, seq },
  }
}

function summaryOf(state: State, measures: Measures, event: Event<'iteration.ended'>): IterationSummary {
  const { current } = state
  const notRun = testsNotRun(state)
  const { iteration, verdict, tree, filesChanged, costUsd, durationMs, checksNotRun } = event.data
  const last = current.work.at(-1)
  const said = last?.failed?.message ?? last?.summary
  const denied = deniedByBox(current.refused ?? []) ?? last?.denied
  return {
    iteration,
    seq: event.seq,
    verdict,
    tree,
    filesChanged,
    ...(isUntouched(state, event) ? { isUntouched: true as const } : {}),
    costUsd,
    durationMs,
    failures: failuresOf(current),
    files: (current.observed?.files ?? []).slice(0, FILES_REMEMBERED_MAX).map((file) => file.path),
    ledger: measures.ledger.movement,
    outputs: outputsOf(current),
    ...(current.observed?.diff ? { diff: current.observed.diff } : {}),
    ...(current.observed?.lines ? { lines: current.observed.lines } : {}),
    fingerprint: measures.sameFailure.fingerprint,
    ...(current.observed?.likeness ? { likeness: current.observed.likeness } : {}),
    ...(last?.spinning ? { spinning: last.spinning } : {}),
    ...(denied ? { denied } : {}),
    ...(said === undefined ? {} : { said }),
    ...(last?.failed ? { agentFailed: true as const } : {}),
    ...(notRun > 0 ? { notRun } : {}),
    ...(checksNotRun === undefined ? {} : { checksNotRun }),
  }
}

/** If nobody looked at the files themselves, the trees of the iterations decide. */
function isUntouched({ current, recent, base }: State, { data: { tree, filesChanged } }: Event<'iteration.ended'>): boolean {
  if (filesChanged > 0) return false
  return current.observed ? current.observed.isUntouched === true : tree === (recent.at(-1)?.tree ?? base?.tree ?? tree)
}

/** What the checks that failed printed. */
function outputsOf({ checks }: Iteration): IterationSummary['outputs'] {
  const outputs: { name: string; text: TextRef }[] = []
  for (const { name, passed, output } of checks) if (!passed && output) outputs.push({ name, text: output })
  return outputs
}

/** All but the newest were shortened when they were no longer the newest. */
function earlier(recent: State['recent']): State['recent'] {
  const kept = recent.slice(1 - RECENT_MAX)
  const last = kept.pop()
  if (last) kept.push(shorter(last))
  return kept
}

/** Only the newest iteration is shown in full; a few names do for those before it. */
function shorter(summary: IterationSummary): IterationSummary {
  const { failures, ledger } = summary
  const isShort = failures.length <= FAILURES_REMEMBERED_MAX && Object.values(ledger.counts).every(isFew)
  if (isShort) return summary
  const { counts, ...names } = ledger
  const few = Object.entries(names).map(([kind, ids]) => [kind, ids.slice(0, FAILURES_REMEMBERED_MAX)])
  const movement = { ...(Object.fromEntries(few) as typeof names), counts }
  return { ...summary, failures: failures.slice(0, FAILURES_REMEMBERED_MAX), ledger: movement }
}

function isFew(count: number): boolean {
  return count <= FAILURES_REMEMBERED_MAX
}

const FAILURES_REMEMBERED_MAX = 10

/** A person chose an option. One that the question does not have leaves it open. */
export function answered(state: State, event: Event<'escalation.answered'>): State {
  const { question } = state
  // An answer says which question it is for; one that came too late for it is not taken for the next.
  if (!question || (event.because !== undefined && event.because !== question.seq)) return state
  const option = optionChosen(question.question, event.data.choice)
  if (!option) return state
  const { consequence } = option
  if (consequence.kind !== 'continue') {
    // What is accepted is what is there now, which a person may have restored or edited.
    const { note } = event.data
    const answer = { seq: event.seq, kind: consequence.kind, label: option.label, ...(note === undefined ? {} : { note }) }
    return withPersonLook({ ...state, answer }, event.seq)
  }
  const { ruling, guidance: note, settles, takesCommand } = consequence
  const added = addedBy(consequence, event.data.note)
  if (takesCommand && added.length === 0) return state
  const told = [note, takesCommand ? undefined : event.data.note].filter((each) => each !== undefined)
  const before = ruling ? withoutOverruled(state, ruling) : state
  const notes = [...before.notes, ...told].slice(-NOTES_MAX)
  const given = { ...(settles === undefined ? {} : { settles }), ...(ruling ? { ruling } : {}) }
  const guidance = note === undefined ? {} : { guidance: [...guidanceNow(before), { note, ...given }] }
  const raises = consequence.raises && consequence.raises.length > 0 ? { raises: consequence.raises } : {}
  const waivers = [...new Set([...state.waivers, ...(consequence.waives ?? [])])]
  const expert = consequence.agent ? { expert: consequence.agent } : {}
  const allowances = allowedNow(state, question.question, option)
  const makes = consequence.makes === undefined ? {} : { toBeMade: [...(state.toBeMade ?? []), consequence.makes] }
  const went = wentOn(state, event.seq, withAnswer(state, consequence.reply, event.data.note))
  const accepted = [...(consequence.disputes ?? []), ...(consequence.waives ?? [])]
  const answers = withGivenAnswer(state, question.question, option, event.data.note)
  return {
    ...withAccepted(went, accepted),
    notes,
    ...guidance,
    waivers,
    ...raises,
    ...expert,
    ...(added.length === 0 ? {} : { added }),
    ...allowances,
    ...makes,
    ...answers,
  }
}

/** The checks that an answer adds; one whose command is the note is named after it. */
function addedBy(
  { checks = [], takesCommand }: Extract<Option['consequence'], { kind: 'continue' }>,
  note: string | undefined,
): readonly PartSpec[] {
  const command = takesCommand ? note?.trim() : undefined
  if (command === undefined || command === '') return checks
  return [...checks, { name: 'command', v: 1, settings: { name: command, command, shell: true } }]
}

/** What was allowed, and what this answer allows. What another answer to the same question would allow is not allowed any more. */
function allowedNow({ allowances }: State, { options }: Question, chosen: Option): Pick<State, 'allowances'> {
  const allows = allowsOf(chosen)
  const isRuling = chosen.consequence.kind === 'continue' && chosen.consequence.guidance !== undefined
  const others = isRuling ? options.filter((option) => option !== chosen).flatMap(allowsOf) : []
  if (allows.length === 0 && (others.length === 0 || allowances === undefined)) return {}
  const gone = new Set(others.map((each) => JSON.stringify(each)))
  return { allowances: [...(allowances ?? []).filter((each) => !gone.has(JSON.stringify(each))), ...allows] }
}

function allowsOf({ consequence }: Option): readonly Allowance[] {
  return consequence.kind === 'continue' ? (consequence.allows ?? []) : []
}

/** What the agent gets for an answer when it continues. What others asked meanwhile, and what went wrong, is asked about next. */
function withAnswer(state: State, reply: Reply, note?: string): State | undefined {
  // They are asked about in the order in which they came: of two with the same wish, the first is meant.
  const asking = reply && state.current.asked?.find(({ ask }) => ask.id === reply.ask)
  if (!asking) return undefined
  const { key, session } = asking
  const said = note === undefined ? {} : { note }
  const goesOn = session === undefined ? {} : { session }
  const told = withReply(state, { ...reply, ...said, key, isAfterBreak: true, ...goesOn })
  const { asked: _before, ...current } = told.current
  const others = state.current.asked?.filter((each) => each !== asking) ?? []
  return { ...told, current: { ...current, ...(others.length === 0 ? {} : { asked: others }) } }
}

type Reply = Extract<Option['consequence'], { kind: 'continue' }>['reply']

/** A person lets a guard be passed once: now, if the run is stopped because of it alone, else at its next trip. */
export function waived(state: State, event: Event<'guard.waived' | 'guard.disputed'>): State {
  const { guard, note } = event.data
  // A dispute says which question it is about; if that is answered, it only counts against the guard.
  if (event.because !== undefined && (event.because !== state.question?.seq || state.answer !== undefined)) return state
  const notes = note === undefined ? state.notes : [...state.notes, note].slice(-NOTES_MAX)
  const waivers = [...state.waivers.filter((name) => name !== guard), guard]
  const asked = (state.question?.trips ?? []).map((trip) => trip.guard)
  const isLetGo = asked.length > 0 && asked.every((name) => waivers.includes(name))
  if (!isLetGo) return { ...state, notes, waivers }
  return { ...withAccepted(wentOn(state, event.seq), asked), notes, waivers: waivers.filter((name) => !asked.includes(name)) }
}

/** What a person lets a guard pass need not be put back. */
function withAccepted(state: State, guards: readonly string[]): State {
  return guards.includes('tampering') && state.openSuspicions ? { ...state, openSuspicions: [] } : state
}

/** What failed before a person stepped in is no evidence against what they asked for, so the streaks start again. */
function wentOn(state: State, seq: Seq, replied = withoutProblem(state)): State {
  const { question: _answered, answer: _before, ...rest } = withPersonLook(replied, seq)
  const { problem, asked } = state.current
  const { current } = replied
  const isSame = problem !== undefined || asked !== undefined
  return {
    ...rest,
    status: 'running',
    message: 'A person let it go on.',
    measures: isSame
      ? state.measures
      : {
          ...measuresAnew(state.measures, state.recent.at(-1)?.iteration ?? 0),
          betterScore: forgiveFailures(state.measures.betterScore),
        },
    current: isSame ? withoutDecision(current) : { ...current, decision: { seq, action: 'retry' } },
  }
}

function withoutProblem(state: State): State {
  const { problem: _settled, ...current } = state.current
  return { ...state, current }
}

/** A problem that was not the agent's is tried again, and work that was put aside continues, within the same iteration. */
function withoutDecision(current: State['current']): State['current'] {
  const { decision: _void, ...rest } = current
  return rest
}
