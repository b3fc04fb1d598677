import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { maxIterations } from '../src/guards/index.ts'
import { codexAgent } from '../src/agents/codex.ts'
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { gitWorkspace } from '../src/workspaces/git-workspace.ts'
import { taskLoop } from '../src/loops/task/index.ts'
import type { Check } from '../src/checks/check.ts'
import { createLoop } from '../src/surfaces/library/create-loop.ts'
import type { DrivenAgent } from './driven-agent.ts'

/** Fails at once, so that what the checks of a project cost is not counted. */
const CHECK: Check = {
  name: 'tests',
  spec: { name: 'bench', v: 1, settings: { name: 'tests' } },
  run: async (_request, context) => {
    await context.started()
    return { status: 'failed', exitCode: 1, failures: [{ id: 'adds', kind: 'assertion', message: 'expected 3' }] }
  },
}

/**
 * Drives a run with the agent's driver, a durable journal and a real git repository, and says how many milliseconds its iterations took,
 * one by one: from the first thing Pawl does for an iteration to the last.
 */
export async function drivenIterations(
  { program, env }: Pick<DrivenAgent, 'program' | 'env'>,
  folder: string,
  iterations: number,
): Promise<readonly number[]> {
  const project = exampleProject(join(folder, 'project'), env)
  const store = sqliteStore({ path: join(folder, 'pawl.db') })
  try {
    const loop = createLoop({
      loop: taskLoop({ goal: 'Make add add.' }),
      guards: [maxIterations(iterations)],
      agent: codexAgent({ program, permissionMode: 'full', variables: env }),
      checks: [CHECK],
      workspace: gitWorkspace({ path: project }),
      store,
    })
    const times: number[] = []
    let startedAt = performance.now()
    const outcome = await loop.run('bench', {
      onEvent: ({ type }) => {
        if (type === 'iteration.started') startedAt = performance.now()
        if (type === 'iteration.ended') times.push(performance.now() - startedAt)
      },
    })
    // The look before any work is no iteration of the agent.
    const worked = times.slice(-iterations)
    const finished = (await store.read('bench')).filter(({ type }) => type === 'work.finished').length
    if (finished !== iterations)
      throw new Error(`Of ${iterations} iterations ${finished} were finished by the agent: ${outcome.status}.`)
    return worked
  } finally {
    await store.close()
  }
}

/** A repository with one file: agents look at the repository, too. */
export function exampleProject(path: string, env: DrivenAgent['env']): string {
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'add.js'), 'export const add = (a, b) => a - b\n')
  const cleanGit = { ...env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('git', ['init', '--quiet'], { cwd: path, env: cleanGit })
  return path
}
