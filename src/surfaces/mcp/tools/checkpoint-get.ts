import { z } from 'zod'
import { checkpointNamed, checkpointView, viewOf } from '../checkpoints.ts'
import { tool } from '../tool.ts'

/** One checkpoint with all that is known of it. */
export const checkpointGet = tool({
  name: 'checkpoint_get',
  title: 'Look at a checkpoint',
  description: 'Shows a checkpoint with its context and its draft.',
  isReadOnly: true,
  input: z.object({
    checkpointId: z.string().trim().min(1).max(200).describe('As checkpoint_create or checkpoint_list gave it.'),
  }),
  output: checkpointView.extend({ draftContent: z.string().optional() }),
  call: async ({ checkpointId }, { project }) => {
    const found = await checkpointNamed(project, checkpointId)
    const draftContent = found.data.draft ? await project.store.getText(found.data.draft) : undefined
    return { ...viewOf(found, Date.now()), ...(draftContent === undefined ? {} : { draftContent }) }
  },
})
