import { z } from 'zod'
import { effectKey } from '../../../core/effect.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { restoredData } from '../../../engine/perform-workspace.ts'
import { briefNow } from '../continue-run.ts'
import { checkpointsOf, checkpointView, type Created, runNamed, viewOf } from '../checkpoints.ts'
import { taskId } from '../iteration-config.ts'
import { type ToolSession, withToolSession } from '../tool-session.ts'
import { tool } from '../tool.ts'

const input = z.object({
  taskId: taskId.describe('The task or the loop (iterationId).'),
  checkpointId: z.string().trim().min(1).max(200).optional().describe('Default: the newest that has not expired.'),
  restoreFiles: z
    .boolean()
    .default(false)
    .describe('Whether to bring the files back as they were. What is there now is saved first.'),
})

const output = checkpointView.extend({
  draftContent: z.string().optional(),
  iterationNumber: z.number(),
  /** What the agent is asked to do now. */
  instructions: z.string(),
  restored: z.boolean(),
  /** How a person gets the files of the checkpoint, and those that were there before, by hand. */
  restoreWith: z.string().optional(),
  savedAs: z.string().optional(),
})

/** Comes back to a checkpoint: what was remembered and, where asked for, the files. */
export const checkpointResume = tool({
  name: 'checkpoint_resume',
  title: 'Come back to a checkpoint',
  description:
    'Gives back what a checkpoint remembers and where the loop stands, and, with restoreFiles, the files as they were.',
  input,
  output,
  call: async (args, { project, signal }) => {
    const { run } = await runNamed(project, args.taskId)
    return withToolSession(project, { run, signal }, async (session) => {
      const { parts } = session
      const now = parts.clock.now()
      const found = chosen(await checkpointsOf(project.store, run), args, now)
      const { data } = found
      const restored = args.restoreFiles ? await restore(session, data.snapshot) : undefined
      const draftContent = data.draft ? await project.store.getText(data.draft) : undefined
      const state = session.state()
      return {
        ...viewOf(found, now),
        ...(draftContent === undefined ? {} : { draftContent }),
        iterationNumber: state.current.number,
        instructions: briefNow(session, state) ?? state.message,
        restored: restored !== undefined,
        ...(data.snapshot === '' ? {} : { restoreWith: parts.workspace.howToRestore(data.snapshot) }),
        ...(restored?.savedAs === undefined ? {} : { savedAs: parts.workspace.howToRestore(restored.savedAs) }),
      }
    })
  },
})

function chosen(kept: readonly Created[], { checkpointId, taskId: task }: z.output<typeof input>, now: number): Created {
  const found = kept.findLast(({ data }) =>
    checkpointId === undefined ? data.expiresAt > now : data.checkpoint === checkpointId,
  )
  if (found) return found
  const which = checkpointId === undefined ? 'that has not expired' : `"${checkpointId}"`
  throw new PawlError('mcp.no-checkpoint', `Task ${task} has no checkpoint ${which}: see checkpoint_list.`, {
    value: checkpointId,
  })
}

async function restore(session: ToolSession, snapshot: string): Promise<{ readonly savedAs?: string }> {
  const { parts, run } = session
  const { current, seq, tree: known } = session.state()
  await parts.workspace.open(run, known?.snapshot)
  const restored = await parts.workspace.restore(run, snapshot)
  const by = { role: 'workspace', name: parts.workspace.spec.name } as const
  const data = restoredData(effectKey(current.number, 'checkpoint', seq), restored)
  await session.take([{ type: 'workspace.restored', at: parts.clock.now(), by, data }], { hold: true })
  return restored
}
