import { z } from 'zod'
import { checkpointsOf, checkpointView, runNamed, viewOf } from '../checkpoints.ts'
import { taskId } from '../iteration-config.ts'
import { tool } from '../tool.ts'

/** The checkpoints of a task, the newest first. */
export const checkpointList = tool({
  name: 'checkpoint_list',
  title: 'List checkpoints',
  description: 'Lists the checkpoints of a task, the newest first.',
  isReadOnly: true,
  input: z.object({ taskId: taskId.describe('The task or the loop (iterationId).'), limit: z.int().min(1).max(100).default(20) }),
  output: z.object({ iterationId: z.string(), checkpoints: z.array(checkpointView), total: z.number() }),
  call: async (args, { project }) => {
    const { run } = await runNamed(project, args.taskId)
    const kept = await checkpointsOf(project.store, run)
    const now = Date.now()
    const checkpoints = kept
      .toReversed()
      .slice(0, args.limit)
      .map((created) => viewOf(created, now))
    return { iterationId: run, checkpoints, total: kept.length }
  },
})
