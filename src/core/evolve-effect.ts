import { type EffectKey, FILES_KEPT_MAX } from './event-data.ts'
import type { Author, Event, Seq } from './event.ts'
import { agentBehind } from './fallback.ts'
import { repliesAnew, withoutReplies, workPutAside } from './evolve-ask.ts'
import { ledgerUncounted, ledgerWith } from './measures/ledger.ts'
import { isSettingsFile, isTestFile } from './measures/test-file.ts'
import { afterLook, withLeft } from './workspace-look.ts'
import { spent, withServed, workSpent } from './spending.ts'
import {
  type CheckRecord,
  type EffectProgress,
  isOpen,
  type Iteration,
  NOTES_MAX,
  type Problem,
  type State,
  withCurrent,
  type WorkRecord,
} from './state.ts'

/** How often one iteration waits for a provider before a person is asked. */
const LIMIT_WAITS_MAX = 20

/** The same where the provider was never reached in this run and a person could see why: an address that is wrong does not fix itself. */
const UNREACHED_WAITS_MAX = 3

/** The same while the provider is down: one, two, four and eight minutes. */
const OUTAGE_WAITS_MAX = 4

/** The agent is at work. */
export function workStarted(state: State, event: Event<'work.started'>): State {
  return begun(repliesAnew(state, event.data.key), event, 'work')
}

/** The agent is done; whether that is good, the checks say. */
export function workFinished(state: State, event: Event<'work.finished'>): State {
  const { key, summary, spinning, endedBy, denied, output, said, saidNothing } = event.data
  const told = {
    ...playedBy(event.by),
    ...(summary === undefined ? {} : { summary }),
    ...(spinning === undefined ? {} : { spinning }),
    ...(endedBy === undefined ? {} : { endedBy }),
    ...(denied === undefined ? {} : { denied }),
    ...(output === undefined ? {} : { output }),
    ...(said === undefined ? {} : { said }),
    ...(saidNothing ? { saidNothing } : {}),
  }
  const record: WorkRecord = { key, seq: event.seq, ...told }
  return withServed(workSpent(worked(state, record, event.seq), nameOf(event), event.data), nameOf(event))
}

function nameOf({ by }: Event): string {
  return by.name ?? ''
}

/** The driver and its model, in one word or two. */
function playedBy({ name, model }: Author): Pick<WorkRecord, 'player'> {
  return name === undefined ? {} : { player: model === undefined ? name : `${name} ${model}` }
}

/** An agent's own failure still proceeds to the checks; a limit is waited out; anything else is a problem for a person. */
export function workFailed(state: State, event: Event<'work.failed'>): State {
  const { key, fault, reason, message, retryAt, fix, spinning, denied, isCeiling, isShared } = event.data
  const spentSoFar = workSpent(state, nameOf(event), event.data)
  if (fault === 'agent') {
    const more = { ...(spinning === undefined ? {} : { spinning }), ...(denied === undefined ? {} : { denied }) }
    return worked(spentSoFar, { key, seq: event.seq, failed: { reason, message }, ...more }, event.seq)
  }
  // What it left behind is the agent's, and must be on record before a person may edit.
  const paid = withLeft(spentSoFar, event.seq)
  const { limit: stands, limitWaits } = state.current
  // Several agents that meet a limit together wait for it once.
  // What another run met isn't counted against this one.
  const waits = stands || isShared ? limitWaits : limitWaits + 1
  const mending = fix === undefined ? {} : { fix }
  const waitsMax = waitsMaxFor(paid, event)
  if (fault === 'provider-limit' && waits > waitsMax) {
    const why = `${message} (after ${waitsMax} waits)`
    return withProblem(paid, { key, seq: event.seq, code: 'provider', fault: 'environment', message: why, ...mending })
  }
  if (fault === 'provider-limit') {
    const until = retryAt === undefined ? {} : { retryAt }
    const whose = isCeiling ? { isCeiling } : agentBehind(state, event.by)
    const limit = { key, seq: event.seq, message, ...until, ...mending, ...whose }
    return withCurrent(paid, { effects: without(paid.current.effects, key), limit, limitWaits: waits })
  }
  const whose = fault === 'config' ? 'config' : 'environment'
  return withProblem(paid, {
    key,
    seq: event.seq,
    code: event.by.role === 'workspace' ? 'committer' : isCeiling ? 'ceiling' : 'agent',
    fault: whose,
    message,
    ...mending,
    // What the machine lacks, any other agent would lack too.
    ...(fault === 'config' ? agentBehind(state, event.by) : {}),
  })
}

function waitsMaxFor({ config: { fallbacks = [] }, served = [] }: State, event: Event<'work.failed'>): number {
  // What bounds the waiting for other runs is how long their work takes.
  if (event.data.isCeiling) return Infinity
  const isUnreached = event.data.fix !== undefined && !served.includes(nameOf(event))
  return isUnreached && fallbacks.length === 0 ? UNREACHED_WAITS_MAX : event.data.isOutage ? OUTAGE_WAITS_MAX : LIMIT_WAITS_MAX
}

/** The agent asks a person who is not there. */
export function workAsked(state: State, event: Event<'work.asked'>): State {
  return workSpent(workPutAside(state, event), nameOf(event), event.data)
}

/** Half-done work is undone before it is tried again, and what it used is counted all the same. What dies again and again is not tried for ever: a person is asked. */
export function workAbandoned(state: State, event: Event<'work.abandoned'>): State {
  const { key, reason } = event.data
  const open = state.current.effects.find((effect) => effect.key === key && effect.status === 'open')
  const { isUsagePartial: _begun, ...told } = event.data
  // Work that never began used nothing that is not told.
  const paid = workSpent(state, open?.agent ?? nameOf(event), open ? event.data : told, open !== undefined)
  const forgotten = withCurrent(paid, { effects: without(state.current.effects, key) })
  const undone: State = state.tree === undefined ? forgotten : { ...forgotten, workspace: 'restore', workspaceCause: event.seq }
  if (reason === INTERRUPTED) return undone
  // Several agents that were under way together died of one crash.
  const isSameCrash = state.current.crashSeq === event.seq - 1
  const crashes = (state.current.crashes ?? 0) + (isSameCrash ? 0 : 1)
  if (crashes < CRASHES_MAX) return withCurrent(undone, { crashes, crashSeq: event.seq })
  const message = `The process that drove it died ${CRASHES_MAX} times in a row while the agent was at work.`
  const fix = 'Find out what ends it (memory, a supervisor, a time limit), then continue.'
  return withCurrent(withProblem(undone, { key, seq: event.seq, code: 'runner', fault: 'environment', message, fix }), {
    crashes: 0,
  })
}

/** The reason of work that was stopped on purpose. */
export const INTERRUPTED = 'interrupted'

/** How often the runner may die over the work of one iteration before a person is asked. */
const CRASHES_MAX = 5

/** A check is running. */
export function checkStarted(state: State, event: Event<'check.started'>): State {
  return begun(state, event, event.data.cell ? 'prove' : event.data.isReview ? 'review' : 'check')
}

/** A check or a reviewer said pass or fail. */
export function checkEnded(state: State, event: Event<CheckEnding>): State {
  const { key, name, tree, counts, failures, output, flaky } = event.data
  const record: CheckRecord = {
    key,
    seq: event.seq,
    name,
    passed: event.type === 'check.passed' || event.type === 'review.approved',
    tree,
    failures,
    ...(counts === undefined ? {} : { counts }),
    ...(output === undefined ? {} : { output }),
    ...(flaky === undefined ? {} : { flaky }),
    ...(event.type.startsWith('review.') ? { isReview: true } : {}),
  }
  const ledger = ledgerWith(state.measures.ledger, name, state.current.number, event.data)
  const counted = spent(state, event.data)
  const paid = record.isReview ? withServed(counted, nameOf(event)) : counted
  const measured = ledger === state.measures.ledger ? paid : { ...paid, measures: { ...state.measures, ledger } }
  return withCurrent(measured, {
    effects: done(state.current, key, event.seq, 'check'),
    checks: [...state.current.checks, record],
  })
}

/** A review that was cut off is asked for again when the run continues. What it used is counted; one that never began used nothing. */
export function reviewAbandoned(state: State, { data }: Event<'review.abandoned'>): State {
  const { isUsagePartial: _begun, ...told } = data
  const paid = spent(state, isOpen(state, data.key) ? data : told)
  return withCurrent(paid, { effects: without(state.current.effects, data.key) })
}

type CheckEnding = 'check.passed' | 'check.failed' | 'review.approved' | 'review.rejected'

/** A person reviewed the work: what they were asked is settled, and the iteration can end. */
export function reviewed(state: State, event: Event<'review.approved' | 'review.rejected'>): State {
  const ended = checkEnded(state, event)
  if (event.by.role !== 'person') return ended
  const { question: _settled, answer: _given, ...rest } = ended
  const { decision: _waited, ...current } = rest.current
  const notes = event.type === 'review.rejected' && event.data.summary !== undefined ? [event.data.summary] : []
  return {
    ...rest,
    status: 'running',
    current,
    notes: [...rest.notes, ...notes].slice(-NOTES_MAX),
    message: 'A person reviewed the work.',
  }
}

/** An agent put the question into words, or could not. */
export function questionPhrased(state: State, event: Event<'question.phrased'>): State {
  const { key, text } = event.data
  const phrased = { seq: event.seq, ...(text === undefined ? {} : { text }) }
  return spent(withCurrent(state, { effects: done(state.current, key, event.seq, 'phrase'), phrased }), event.data)
}

/** A check could not run, which says nothing about the work. */
export function checkErrored(state: State, event: Event<'check.errored'>): State {
  const { key, name, fault, message, fix, isProgramMissing, isTargetMissing } = event.data
  return withProblem(spent(state, event.data), {
    key,
    seq: event.seq,
    code: 'check',
    check: name,
    fault,
    ...(isProgramMissing ? { isProgramMissing } : {}),
    ...(isTargetMissing ? { missingTargetOf: name } : {}),
    message,
    ...(fix === undefined ? {} : { fix }),
    ...(fault === 'config' ? agentBehind(state, event.by) : {}),
  })
}

/** A box refused something: the next brief and question say so. */
export function boxRefused(state: State, { data }: Event<'box.refused'>): State {
  const { refused = [] } = state.current
  const isKnown = refused.some(({ what, name }) => what === data.what && name === data.name)
  if (isKnown || refused.length >= REFUSALS_REMEMBERED_MAX) return state
  return withCurrent(state, { refused: [...refused, data] })
}

const REFUSALS_REMEMBERED_MAX = 20

/** A folder is being made ready. */
export function prepareStarted(state: State, event: Event<'prepare.started'>): State {
  return begun(state, event, event.data.cell ? 'prove' : 'check')
}

/** One command of it is done: what it was for is still to come. */
export function prepareFinished(state: State, { data: { key } }: Event<'prepare.finished'>): State {
  return withCurrent(state, { effects: without(state.current.effects, key) })
}

/** A folder could not be made ready, which says nothing about the work. */
export function prepareFailed(state: State, event: Event<'prepare.failed'>): State {
  const { key, fault, message, fix } = event.data
  return withProblem(state, { key, seq: event.seq, code: 'prepare', fault, message, fix })
}

/** A check that passes in the workspace and fails in a fresh copy of it has failed. */
export function proofMade(state: State, event: Event<'proof.made'>): State {
  const { key, durationMs: _took, packages, ...proof } = event.data
  const failed = new Map(proof.findings.filter(({ code }) => code === 'fails-in-room').map((each) => [each.check, each]))
  const checks = state.current.checks.map((check) => {
    const finding = failed.get(check.name)
    if (!finding) return check
    const ids = finding.tests ?? [check.name]
    return { ...check, passed: false, failures: ids.map((id) => ({ id, kind: 'unknown' as const, message: FAILS_IN_ROOM })) }
  })
  const effects = done(state.current, key, event.seq, 'prove')
  const { number } = state.current
  const ledger = (proof.flaky ?? []).reduce(
    (known, { check, tests }) => ledgerWith(known, check, number, { flaky: tests }),
    state.measures.ledger,
  )
  const unseen = proof.heldOut === 'failed' ? [heldOutRecord(key, event.seq, proof.tree)] : []
  const measured = ledger === state.measures.ledger ? state : { ...state, measures: { ...state.measures, ledger } }
  return withCurrent(measured, {
    effects,
    checks: [...checks, ...unseen],
    proof: { ...proof, seq: event.seq },
    ...(packages ? { packages } : {}),
  })
}

/** Of a held-out check nobody learns more than that it fails. */
function heldOutRecord(key: EffectKey, seq: Seq, tree: string): CheckRecord {
  const failures = [{ id: 'held-out', kind: 'unknown' as const, message: HELD_OUT_FAILS }]
  return { key, seq, name: 'held-out', passed: false, tree, failures }
}

const HELD_OUT_FAILS = 'The checks that you see pass, but a check that you cannot see fails. Look at the goal again.'

const FAILS_IN_ROOM = 'It passes here and fails in a fresh copy of these files: it needs something that is not part of the work.'

/** What was found after a pause, a person's edits with it, becomes the new known tree; the agent's are what the iteration is judged by. */
export function observed(state: State, event: Event<'workspace.observed'>): State {
  const { key, tree, snapshot, files, filesChanged, diff, lines, packages, suspicions, likeness } = event.data
  const effects = done(state.current, key, event.seq, 'observe')
  const known: State = {
    ...state,
    tree: { tree, snapshot },
    ...(packages ? { packages } : {}),
    ...withPersonEdits(state, event),
    ...afterLook(state, event),
  }
  if (event.by.role !== 'workspace') {
    const { observed: seen, checks, ended } = state.current
    // What tests wrote while they ran is what they leave behind, and no reason to run them again.
    if (event.by.role === 'check') {
      const ran = checks.map((check) => (check.isReview ? check : { ...check, tree }))
      return withCurrent(withBaselineAt(known, state.tree?.tree, tree), {
        effects,
        checks: ran,
        ...(seen ? { observed: { ...seen, tree, snapshot } } : {}),
      })
    }
    // What was checked is no longer what is there: it is checked again. What tests wrote after a review doesn't count as a change.
    const tests = checks.filter(({ isReview }) => !isReview)
    const deciding = tests.length > 0 ? tests : checks
    const isStale = ended === undefined && deciding.some((check) => check.tree !== tree)
    // The tests that a person left are the ones to be counted against.
    const isCountedAnew = event.by.role === 'person' && files.some(({ path }) => isTestFile(path) || isSettingsFile(path))
    const measures = isCountedAnew ? { ...state.measures, ledger: ledgerUncounted(state.measures.ledger) } : state.measures
    const again = isStale ? { checks: [], checkRound: event.seq } : {}
    if (event.by.role === 'agent')
      return withCurrent(heldAgainst(known, event), { effects, ...sessionSeen(state, event), ...again })
    return withCurrent({ ...known, measures }, { effects, ...(seen ? { observed: { ...seen, tree, snapshot } } : {}), ...again })
  }
  const more = {
    ...(state.tree === undefined || state.tree.tree === tree ? { isUntouched: true as const } : {}),
    ...(diff === undefined ? {} : { diff }),
    ...(lines === undefined ? {} : { lines }),
    ...(suspicions === undefined ? {} : { suspicions }),
    ...(likeness === undefined ? {} : { likeness }),
  }
  return withCurrent(heldAgainst(known, event), {
    effects,
    observed: withEarlier(state.current.observed, { seq: event.seq, tree, snapshot, files, filesChanged, ...more }),
  })
}

function withPersonEdits({ base, tree, personEdits = [] }: State, { by, data }: Event<'workspace.observed'>): Partial<State> {
  if (by.role !== 'person' || !base || !tree) return {}
  return { personEdits: [...personEdits, { before: tree.snapshot, after: data.snapshot }] }
}

/** Where nobody has changed anything since the checks first ran, what they write now changes nothing about that. */
function withBaselineAt(state: State, before: string | undefined, tree: string): State {
  const { baseline } = state
  return baseline && baseline.tree === before ? { ...state, baseline: { ...baseline, tree } } : state
}

/** What the agent did to its tests stays open until it is put back or a person accepts it. */
function heldAgainst(state: State, { data: { suspicions } }: Event<'workspace.observed'>): State {
  return suspicions || state.openSuspicions ? { ...state, openSuspicions: suspicions ?? [] } : state
}

/** What an agent's session changed after its work was on record is that work's too, while its iteration is open. */
function sessionSeen({ current }: State, { seq, data }: Event<'workspace.observed'>): Partial<Iteration> {
  const { observed: seen, ended } = current
  if (!seen || ended) return {}
  const { tree, snapshot, files, filesChanged, suspicions = [] } = data
  return { observed: withEarlier(seen, { ...seen, seq, tree, snapshot, files, filesChanged, suspicions }) }
}

type Observed = NonNullable<Iteration['observed']>

/** An agent that was cut short left edits that were looked at before: they are this iteration's too. What it did to the tests is looked for again. */
function withEarlier(earlier: Observed | undefined, seen: Observed): Observed {
  if (!earlier) return seen
  const others = earlier.files.filter(({ path }) => seen.files.every((file) => file.path !== path))
  const { isUntouched, ...last } = seen
  return {
    ...last,
    ...(isUntouched && earlier.isUntouched ? { isUntouched } : {}),
    files: [...others, ...seen.files].slice(0, FILES_KEPT_MAX),
    filesChanged: seen.filesChanged + others.length,
  }
}

/** The workspace is as it was before the half-done work. */
export function restored(state: State, event: Event<'workspace.restored'>): State {
  return withCurrent({ ...state, workspace: 'known' }, { effects: done(state.current, event.data.key, event.seq, 'restore') })
}

function begun(
  state: State,
  event: Event<'work.started' | 'check.started' | 'prepare.started'>,
  kind: EffectProgress['kind'],
): State {
  const { key, process, tellsUsage } = { tellsUsage: undefined, ...event.data }
  const progress: EffectProgress = {
    key,
    status: 'open',
    seq: event.seq,
    kind,
    ...(kind !== 'check' && event.by.name !== undefined ? { agent: event.by.name } : {}),
    ...(process === undefined ? {} : { process }),
    ...(tellsUsage ? { tellsUsage } : {}),
  }
  return withCurrent(state, { effects: [...without(state.current.effects, key), progress] })
}

function worked(state: State, record: WorkRecord, seq: Seq): State {
  const change = {
    effects: done(state.current, record.key, seq, 'work'),
    work: [...state.current.work, record],
    ...withoutReplies(state.current.replies, record.key),
  }
  // What ends while a question is open is the agent's, and must be on record before a person may edit.
  const seen = state.status === 'running' ? state : withLeft(state, seq)
  // The limit of another agent still has to be waited out.
  if (seen.current.limit?.key !== record.key) return withCurrent(seen, change)
  const { limit: _over, ...current } = seen.current
  return withCurrent({ ...seen, current }, change)
}

function withProblem(state: State, problem: Problem): State {
  return withCurrent(state, { effects: without(state.current.effects, problem.key), problem })
}

function done(current: Iteration, key: EffectKey, seq: Seq, kind: EffectProgress['kind']): Iteration['effects'] {
  return [...without(current.effects, key), { key, status: 'done', seq, kind }]
}

function without(effects: Iteration['effects'], key: EffectKey): Iteration['effects'] {
  return effects.filter((effect) => effect.key !== key)
}
