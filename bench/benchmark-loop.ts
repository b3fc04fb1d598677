import { maxIterations } from '../src/guards/index.ts'
import { taskLoop } from '../src/loops/task/index.ts'
import type { Agent, WorkRequest } from '../src/agents/agent.ts'
import type { Check } from '../src/checks/check.ts'
import type { Store } from '../src/stores/store.ts'
import type { Workspace } from '../src/workspaces/workspace.ts'
import { createLoop, type PawlLoop } from '../src/surfaces/library/create-loop.ts'
import { kilobyteText } from './kilobyte-text.ts'

/** The one run in every file of the bench. */
export const RUN = 'bench'

/** For runs that end in another way than by using up their iterations. */
export const ITERATIONS_MAX_FAR_AWAY = 1_000_000

export interface BenchmarkLoopOptions {
  readonly store: Store
  readonly iterationsMax: number
  /** Called within the agent's work, once its start is in the journal. */
  readonly onWork?: (request: WorkRequest) => void
  /** Called when the workspace is first looked at or restored: the first step of a run that is taken up again. */
  readonly onWorkspace?: () => void
}

/**
 * A loop whose parts cost next to nothing, so that what is measured is the engine: each iteration the agent changes the tree and
 * says 1 KB, and the one check fails with one failure. It ends when the iterations are used up.
 */
export function benchmarkLoop({ store, iterationsMax, onWork, onWorkspace }: BenchmarkLoopOptions): PawlLoop {
  let tree = 0
  const agent: Agent = {
    spec: { name: 'bench', v: 1, settings: {} },
    isInProcess: true,
    work: async (request, context) => {
      await context.started()
      onWork?.(request)
      tree++
      const text = kilobyteText(request.iteration)
      return { status: 'finished', exitCode: 0, summary: text.slice(0, SUMMARY_LENGTH), output: { text, bytesCut: 0 } }
    },
  }
  const check: Check = {
    name: 'tests',
    spec: { name: 'bench', v: 1, settings: { name: 'tests' } },
    run: async (_request, context) => {
      await context.started()
      const failure = { id: 'login > returns a numeric user id', kind: 'assertion', message: 'expected "7" to be 7' } as const
      return { status: 'failed', exitCode: 1, counts: { passed: 9, failed: 1, skipped: 0 }, failures: [failure] }
    },
  }
  const workspace = countingWorkspace(() => tree, onWorkspace)
  return createLoop({
    loop: taskLoop({ goal: 'Login returns a numeric user id' }),
    guards: [maxIterations(iterationsMax)],
    agent,
    checks: [check],
    workspace,
    store,
  })
}

/** A sentence, as agents end with one. */
const SUMMARY_LENGTH = 120

function countingWorkspace(tree: () => number, onWorkspace?: () => void): Workspace {
  const named = (): string => tree().toString(16).padStart(40, '0')
  const nothing = { text: '', bytesCut: 0 }
  return {
    spec: { name: 'bench', v: 1, settings: {} },
    open: async () => ({ cwd: '/' }),
    observe: async (run, label) => {
      onWorkspace?.()
      const files = [{ path: 'src/login.ts', change: 'modified' }] as const
      return { tree: named(), snapshot: `${run}/${label}`, files, insertions: 3, deletions: 1, diff: nothing }
    },
    isAsKept: async () => true,
    restore: async () => {
      onWorkspace?.()
      return { tree: named() }
    },
    diff: async () => nothing,
    howToRestore: (snapshot) => `restore ${snapshot}`,
  }
}
