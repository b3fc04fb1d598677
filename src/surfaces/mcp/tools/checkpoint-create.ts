import { z } from 'zod'
import { DRAFT_BYTES_MAX } from '../draft.ts'
import { checkpointView, createCheckpoint, runNamed, viewOf } from '../checkpoints.ts'
import { anyMap, taskId } from '../iteration-config.ts'
import { withToolSession } from '../tool-session.ts'
import { tool } from '../tool.ts'

const input = z.object({
  taskId: taskId.describe('The task or the loop (iterationId).'),
  trigger: z.enum(['manual', 'auto', 'pause']).default('manual').describe('auto lasts 24 hours, manual and pause 7 days.'),
  executionPhase: z.string().max(500).optional(),
  executionStep: z.union([z.number(), z.string().max(500)]).optional(),
  agentContext: anyMap.optional().describe('What you want to know when you come back.'),
  draftContent: z
    .string()
    .max(10_000_000)
    .optional()
    .describe(`Unfinished text; more than ${DRAFT_BYTES_MAX / 1024} KB is cut.`),
  draftType: z.string().max(100).optional(),
  expiresIn: z.int().min(1).max(525_600).optional().describe('Minutes until it may be cleaned up.'),
})

/** Keeps the files and the place in the loop to come back to. */
export const checkpointCreate = tool({
  name: 'checkpoint_create',
  title: 'Keep a place to come back to',
  description: 'Keeps the files as they are now, what you want to remember and an unfinished text. The iteration goes on.',
  input,
  output: checkpointView.extend({ draftTruncated: z.boolean() }),
  call: async (args, { project, signal, by }) => {
    const { run } = await runNamed(project, args.taskId)
    return withToolSession(project, { run, signal }, async (session) => {
      const { trigger, draftContent, expiresIn, executionPhase, executionStep, agentContext, draftType } = args
      const context = JSON.stringify({ ...agentContext, executionPhase, executionStep, draftType })
      const created = await createCheckpoint(session, {
        trigger,
        by,
        ...(context === '{}' ? {} : { context: context.slice(0, CONTEXT_LENGTH_MAX) }),
        ...(draftContent === undefined ? {} : { draftContent }),
        ...(expiresIn === undefined ? {} : { expiresInMinutes: expiresIn }),
      })
      return { ...viewOf(created, session.parts.clock.now()), draftTruncated: (created.data.draft?.bytesCut ?? 0) > 0 }
    })
  },
})

const CONTEXT_LENGTH_MAX = 20_000
