import { dirname, join } from 'node:path'
import { listedRun } from '../../engine/bound-sessions.ts'
import { findStore } from './find-store.ts'
import type { HookAnswer } from './hook-answer.ts'
import type { HookCall } from './hook-call.ts'
import { isIterationStart, startedRuns } from './started-runs.ts'

export interface HookOptions {
  /** Gives a signal that is aborted when the hook has to answer now. */
  readonly timeLimit: () => AbortSignal
  /** One line for whoever looks into the agent's log. */
  readonly say: (line: string) => void
  /**
   * Whether the process exits right after the answer. The store is then left as it is: closing it would take its log into the file
   * and delete it, which waits for the disk four times, and the next hook would make it anew.
   */
  readonly isLeaving?: boolean
}

/** Answers one event of an agent. A session without a run of its own is let be, whatever happens in the folder. */
export async function hook(call: HookCall, options: HookOptions): Promise<HookAnswer> {
  if (call.kind === 'other') return PASS
  const path = findStore(call.cwd)
  if (path === undefined) {
    options.say(`no .pawl/pawl.db in ${call.cwd} or above`)
    return call.kind === 'stop' ? withoutStore(call.cwd, call) : PASS
  }
  const started = call.tools.filter(isIterationStart)
  const run = listedRun(dirname(path), call)
  if (started.length === 0 && run === undefined) return PASS
  // Only here: most hooks have nothing to do with any run, and must cost nothing.
  const { answerBound, bindStarted } = await import('./bound-hook.ts')
  if (started.length > 0) return await bindStarted({ ...options, path, call }, started.flatMap(startedRuns))
  return run === undefined ? PASS : await answerBound({ ...options, path, call }, run)
}

const PASS: HookAnswer = { kind: 'pass' }

/** Most folders never had a store, and nothing is said there. One in which this session has a run has lost it. */
function withoutStore(folder: string, call: HookCall): HookAnswer {
  const run = listedRun(join(folder, '.pawl'), call)
  const note = `Pawl: run ${run} of this session was kept in ${join(folder, '.pawl', 'pawl.db')}, which is gone. This session is let go.`
  if (run !== undefined) return { kind: 'pass', note }
  return dirname(folder) === folder ? PASS : withoutStore(dirname(folder), call)
}
