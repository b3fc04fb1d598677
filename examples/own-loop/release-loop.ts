/**
 * A loop of your own, with events, state and an effect that Pawl doesn't have: `release` does a task as the built-in task loop does, deploys
 * what passes the checks, and is done only if the deployment is healthy. docs/loops/own.md explains it step by step.
 */
import { effectKey, foldsInOrder, foldWith, isDone, type Loop, type State, withEffectDone, withSlice } from 'pawl'
import { taskLoop } from 'pawl/loops/task'

/** What your own code says about a deployment. */
export interface Deployment {
  readonly url: string
  readonly isHealthy: boolean
  readonly message: string
}

/** What the loop remembers: the last deployment, and how many there were. Plain JSON that stays small however long the run is. */
interface Deployments {
  readonly count: number
  readonly last: Deployment & { readonly seq: number; readonly iteration: number }
}

/** Asks the engine to deploy. The data of an effect says everything that is needed to perform it. */
interface DeployEffect {
  readonly kind: 'deploy'
  readonly key: string
  readonly iteration: number
}

declare global {
  namespace Pawl {
    interface LoopEvents {
      'deployment.finished': Deployment & { readonly key: string; readonly iteration: number }
    }
    interface LoopSlices {
      readonly deployments: Deployments
    }
    interface LoopEffects {
      readonly deploy: DeployEffect
    }
  }
}

/** `deploy` gets the folder that the agent worked in. After a crash it may be called twice for the same files. */
export function releaseLoop(goal: string, deploy: (folder: string) => Promise<Deployment>): Loop {
  const task = taskLoop({ goal })
  return {
    ...task,
    spec: { ...task.spec, name: 'release' },

    // What the events say, as state. Called for every event, also while a journal is read again: pure.
    fold: task.fold ? foldsInOrder(task.fold, deploymentFold) : deploymentFold,

    // What the iteration still needs: what a task needs, then the deployment of what passed.
    effects: (state) => {
      const effects = task.effects(state).map((effect) => (effect.kind === 'work' ? withLast(effect, state) : effect))
      if (effects.length > 0 || !hasPassedChecks(state)) return effects
      const { number: iteration, checkRound } = state.current
      const key = effectKey(iteration, 'deploy', checkRound)
      return isDone(state, key) ? [] : [{ kind: 'deploy', key, iteration }]
    },

    // How the effect is performed: the only part that touches the world. Its last event carries the effect's key.
    performers: async () => ({
      deploy: async ({ key, iteration }: DeployEffect, { cwd, now, post, progress }) => {
        progress('deploying')
        const deployment = await deploy(cwd)
        const by = { role: 'runner', name: 'deploy' } as const
        await post([{ type: 'deployment.finished', at: now(), by, data: { key, iteration, ...deployment } }])
      },
    }),

    // What the iteration comes to: every check, and the deployment, has to pass.
    verdict: (state) => {
      const results = [...state.current.checks.map((check) => check.passed), isHealthy(state)]
      const failing = results.filter((passed) => !passed).length
      return { passed: failing === 0, score: 1 - failing / results.length, failing }
    },

    // What to do now. The task loop's decision is right; only its words don't know of the deployment.
    decide: (state, trips) => {
      const decision = task.decide(state, trips)
      const last = lastOf(state)
      if (decision.action !== 'retry' || !last || last.isHealthy) return decision
      return { ...decision, message: `${last.url} is not healthy: ${last.message}`, basis: [...decision.basis, last.seq] }
    },
  }
}

const deploymentFold = foldWith({
  'deployment.finished': (state, { seq, data: { key, ...deployment } }) => {
    const count = (state.slices?.deployments?.count ?? 0) + 1
    return withSlice(withEffectDone(state, { key, kind: 'deploy' }, seq), 'deployments', { count, last: { ...deployment, seq } })
  },
})

/** The deployment of the iteration under way. */
function lastOf({ slices, current }: State): Deployments['last'] | undefined {
  const last = slices?.deployments?.last
  return last?.iteration === current.number ? last : undefined
}

function isHealthy(state: State): boolean {
  return lastOf(state)?.isHealthy === true
}

function hasPassedChecks({ current, config }: State): boolean {
  return current.number > 0 && current.checks.length === config.checks.length && current.checks.every((check) => check.passed)
}

/** The agent learns in its next brief why the deployment was not enough. */
function withLast<Work extends { readonly brief: string }>(work: Work, { slices }: State): Work {
  const last = slices?.deployments?.last
  return last && !last.isHealthy ? { ...work, brief: `${work.brief}\n# The last deployment\n${last.message}\n` } : work
}
