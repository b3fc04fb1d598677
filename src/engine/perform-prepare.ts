import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Effect } from '../core/effect.ts'
import type { Fact } from '../core/event.ts'
import type { CellName } from '../core/proof.ts'
import type { PrepareStep, RunConfig } from '../core/run-config.ts'
import { type MadeFolder, runStep, stepWords } from './prepare-step.ts'
import { contextOf, type Performance, refusedIn } from './performance.ts'
import { textOf } from './perform-work.ts'

/** What became of making a folder ready; with a fact that is not on record yet if it failed. */
export type Preparation = 'ready' | 'interrupted' | 'unmounted' | Fact<'prepare.failed'>

/** Makes the run's own worktree ready before anything is looked at or checked in it, once for as long as it is there. */
export async function isWorkspaceReady(effect: Effect, performance: Performance): Promise<boolean> {
  const { parts, state, cwd, post } = performance
  const { readiness } = parts.workspace
  const steps = stepsOf(state.config)
  if (!readiness || steps.length === 0) return true
  const wanted = JSON.stringify(steps)
  if ((await readiness.read(state.run)) === wanted) return true
  const made = { cwd, has: async (path: string) => existsSync(join(cwd, path)) }
  const end = await makeReady(effect, performance, made)
  if (end === 'ready') await readiness.write(state.run, wanted)
  else await post(typeof end === 'string' ? [] : [end])
  return end === 'ready'
}

/** Runs the commands of `prepare` in a folder, one after another; the first that fails ends it. */
export async function makeReady(
  effect: Effect,
  performance: Performance,
  made: MadeFolder,
  cell?: CellName,
): Promise<Preparation> {
  const { parts, state } = performance
  const steps = stepsOf(state.config)
  // They install and build what the agent may have written.
  const box =
    steps.length === 0
      ? undefined
      : await parts.boxFor?.({ ...made, workspace: performance.cwd }, 'work', refusedIn(effect, performance))
  const folder = box ? { ...made, box } : made
  try {
    return await runSteps(steps, effect, performance, folder, cell)
  } finally {
    await box?.close()
  }
}

async function runSteps(
  steps: readonly PrepareStep[],
  effect: Effect,
  performance: Performance,
  made: MadeFolder,
  cell: CellName | undefined,
): Promise<Preparation> {
  const { parts, post, onProgress } = performance
  const { key } = effect
  const by = { role: 'runner' } as const
  for (const step of steps) {
    const which = { key, command: stepWords(step), ...(cell === undefined ? {} : { cell }) }
    onProgress?.({ key, line: `preparing: ${which.command}` })
    const context = contextOf(effect, performance, (process) => [
      { type: 'prepare.started', at: parts.clock.now(), by, data: { ...which, ...(process ? { process } : {}) } },
    ])
    const startedAt = parts.clock.now()
    const result = await runStep(step, made, context)
    if (result.status === 'skipped') continue
    if (result.status === 'aborted') return 'interrupted'
    if (result.status === 'unmounted') return 'unmounted'
    const at = parts.clock.now()
    const data = { ...which, durationMs: Math.max(0, at - startedAt) }
    if (result.status === 'failed') {
      const { fault, message, fix, output } = result
      const kept = output ? await textOf(parts.store, output) : {}
      return { type: 'prepare.failed', at, by, data: { ...data, fault, message, fix, ...kept } }
    }
    await post([{ type: 'prepare.finished', at, by, data }])
  }
  return 'ready'
}

function stepsOf({ proof }: RunConfig): readonly PrepareStep[] {
  return (proof || undefined)?.prepare ?? []
}
