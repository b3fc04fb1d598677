import type { State } from '../../core/state.ts'
import { outsideSettings } from './outside-agent.ts'
import { presentState } from './tool-session.ts'
import type { McpProject } from './project.ts'

/** The newest run of a task, where there is one, and the name that the next one would get. */
export async function runOfTask(project: McpProject, taskId: string): Promise<{ readonly state?: State; readonly free: string }> {
  const base = runName(taskId)
  const names = new Set((await project.store.runs()).map(({ run }) => run))
  let newest: State | undefined
  let number = 1
  for (; names.has(numbered(base, number)); number++) {
    const state = await presentState(project, numbered(base, number))
    if (state && outsideSettings(state)?.taskId === taskId) newest = state
  }
  return { ...(newest ? { state: newest } : {}), free: numbered(base, number) }
}

/** A task's id as the name of a run: what cannot stand in one becomes a hyphen. */
function runName(taskId: string): string {
  const plain = taskId.replaceAll(/[^\w-]+/g, '-').replaceAll(/^[^a-zA-Z0-9]+|-+$/g, '')
  return plain === '' ? 'task' : plain.slice(0, NAME_LENGTH_MAX)
}

const NAME_LENGTH_MAX = 80

function numbered(base: string, number: number): string {
  return number === 1 ? base : `${base}-${number}`
}
