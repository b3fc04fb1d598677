import { z } from 'zod'
import { outcomeOf } from '../../../core/outcome.ts'
import { outsideSettings } from '../outside-agent.ts'
import { presentState } from '../tool-session.ts'
import { spentFields, spentView } from '../spent-fields.ts'
import { tool } from '../tool.ts'

const row = z.object({
  run: z.string(),
  taskId: z.string().optional(),
  status: z.string(),
  iterations: z.number(),
  ...spentFields,
  message: z.string(),
  updatedAt: z.string(),
  hasQuestion: z.boolean(),
})

/** The runs of the project, the one that moved last first. */
export const runList = tool({
  name: 'run_list',
  title: 'List runs',
  description: 'Lists the loops of this project, the one that moved last first: where each stands and whether it asks something.',
  isReadOnly: true,
  input: z.object({ limit: z.int().min(1).max(100).default(20) }),
  output: z.object({ runs: z.array(row), total: z.number() }),
  call: async ({ limit }, { project }) => {
    const entries = (await project.store.runs()).toSorted((one, other) => other.updatedAt - one.updatedAt)
    const runs: z.input<typeof row>[] = []
    for (const { run, updatedAt } of entries.slice(0, limit)) {
      const state = await presentState(project, run)
      if (!state) continue
      const { status, iterations, message } = outcomeOf(state)
      const task = outsideSettings(state)?.taskId
      const hasQuestion = state.question !== undefined
      const at = new Date(updatedAt).toISOString()
      const taskId = task === undefined ? {} : { taskId: task }
      runs.push({ run, ...taskId, status, iterations, ...spentView(state), message, updatedAt: at, hasQuestion })
    }
    return { runs, total: entries.length }
  },
})
