import { dirname } from 'node:path'
import type { State } from '../../core/state.ts'
import type { Store } from '../../ports/store.ts'
import { machineProcesses } from '../../process/machine-processes.ts'
import { bindRun } from '../../runner/bind-session.ts'
import { loadState } from '../../runner/load-state.ts'
import { forgetSession } from '../../runner/session-list.ts'
import { systemClock } from '../../runner/system-clock.ts'
import { type ClaimedRun, type NotOurs, withClaimedRun } from './claimed-run.ts'
import { openStore } from './compose.ts'
import type { HookOptions } from './hook.ts'
import type { HookAnswer } from './hook-answer.ts'
import type { HookCall } from './hook-call.ts'
import type { StopOutcome } from './stop-round.ts'
import { toolRound } from './tool-round.ts'

/** What happened, and the store it concerns. */
export interface HookEvent extends HookOptions {
  readonly path: string
  readonly call: HookCall
}

interface Place extends HookEvent {
  readonly store: Store
}

const PASS: HookAnswer = { kind: 'pass' }

/** The session that starts a run by the MCP server is the one it belongs to. */
export async function bindStarted(event: HookEvent, names: readonly string[]): Promise<HookAnswer> {
  const { path, call, say } = event
  const isBound = await withStore(event, async ({ store }) => {
    const options = { store, folder: dirname(path), clock: systemClock, processes: machineProcesses }
    for (const name of names) if ((await bindRun(options, name, call)) === 'bound') return true
    return false
  })
  if (!isBound) say('iteration_start was called, but none of its names is a run that could be bound to this session')
  return PASS
}

/** Answers for the run that the session is listed for, where it is really bound to it. */
export async function answerBound(event: HookEvent, run: string): Promise<HookAnswer> {
  const { call, say } = event
  // Claude tells of the same calls once more, all of a round together.
  if (call.agent === 'claude' && call.event !== 'PostToolBatch' && call.kind === 'tools') return PASS
  if (call.kind === 'stop' && call.isStillBusy) {
    say(`run ${run} waits for tasks in the background`)
    return PASS
  }
  const waitMsMax = call.kind === 'stop' ? STOP_WAIT_MS_MAX : TOOLS_WAIT_MS_MAX
  return await withStore(event, async (place) => {
    const result = await withClaimedRun<HookAnswer>(place.store, run, { session: call, waitMsMax }, (claimed) =>
      call.kind === 'stop' ? stopped(place, claimed) : acted(place, claimed),
    )
    return 'kind' in result ? result : untouched(place, result)
  })
}

async function withStore<Result>(event: HookEvent, use: (place: Place) => Promise<Result>): Promise<Result> {
  const store = openStore(event.path)
  try {
    return await use({ ...event, store })
  } finally {
    await store.close()
  }
}

const STOP_WAIT_MS_MAX = 2000
const TOOLS_WAIT_MS_MAX = 1000

function untouched({ call, say }: Place, { reason }: NotOurs): HookAnswer {
  if (reason === undefined) return PASS
  say(reason)
  return call.kind === 'stop' ? { kind: 'pass', note: `Pawl: ${reason}; this session is let go.` } : PASS
}

async function acted(place: Place, claimed: ClaimedRun): Promise<HookAnswer> {
  const answer = await toolRound(place.store, claimed, place.call)
  if (answer !== 'tripped') return answer
  const state = (await loadState(place.store, claimed.claim.run)) ?? claimed.state
  const outcome = await ended(place, { ...claimed, state })
  return outcome.status === 'over' ? { kind: 'halt', reason: `Pawl: ${outcome.message}` } : PASS
}

async function stopped(place: Place, claimed: ClaimedRun): Promise<HookAnswer> {
  const outcome = await ended(place, claimed)
  if (outcome.status === 'again') return again(place, outcome)
  place.say(outcome.message)
  return { kind: 'pass', note: `Pawl: ${outcome.message}` }
}

async function ended(place: Place, claimed: ClaimedRun): Promise<StopOutcome> {
  const { store, path: storePath, timeLimit, call } = place
  const { stopRound } = await import('./stop-round.ts')
  const outcome = await stopRound({ store, storePath, signal: timeLimit() }, claimed, call)
  if (outcome.status === 'over' && isOver(outcome.state)) forgetSession(dirname(storePath), call)
  return outcome
}

function isOver({ status }: State): boolean {
  return status === 'completed' || status === 'aborted'
}

function again({ call }: Place, { state, brief }: Extract<StopOutcome, { status: 'again' }>): HookAnswer {
  const max = state.config.guards.find((guard) => guard.name === 'maxIterations')?.settings['iterationsMax']
  const number = `iteration ${state.current.number}${typeof max === 'number' ? ` of at most ${max}` : ''}`
  const head = `Not done yet: run ${state.run} goes on with ${number}. The checks were run by Pawl, not by you.`
  const own = ownCap(call, state)
  return {
    kind: 'block',
    reason: `${head}\n\n${brief}`,
    note: `Pawl: run ${state.run}, ${number}. ${state.recent.at(-1)?.verdict.passed ? 'The checks pass.' : 'The checks fail.'}${own}`,
  }
}

/** Claude and Qwen stop asking their hooks after some blocks in a row; the run is then still open. */
function ownCap({ agent }: HookCall, { current }: State): string {
  if (agent !== 'claude' && agent !== 'qwen') return ''
  if (current.number <= OWN_CAP - 2) return ''
  const raise = agent === 'claude' ? ' (CLAUDE_CODE_STOP_HOOK_BLOCK_CAP raises it)' : ''
  return ` The agent itself ends a turn after about ${OWN_CAP} blocks in a row${raise}: the run stays open, tell it to go on.`
}

const OWN_CAP = 8
