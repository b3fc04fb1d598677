import { z } from 'zod'
import {
  checkpointNamed,
  checkpointsOf,
  checkpointView,
  createCheckpoint,
  type Created,
  DRAFT_BYTES_MAX,
  ownLabel,
  runNamed,
  viewOf,
} from './checkpoints.ts'
import { anyMap, type Call, TASK_ID, tool } from './tool.ts'
import { presentState, type ToolSession, withToolSession } from './tool-session.ts'
import { effectKey } from '../../core/effect.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { restoredData } from '../../engine/perform-workspace.ts'
import { briefNow } from './continue-run.ts'
import type { Fact } from '../../core/event.ts'
import { dropLabels } from '../../registry/workspace-tools.ts'
import { AGENT } from './outside-agent.ts'
import type { McpProject } from './project.ts'

const createInput = z.object({
  taskId: TASK_ID.describe('The task or the loop (iterationId).'),
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
  input: createInput,
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

/** The checkpoints of a task, the newest first. */
export const checkpointList = tool({
  name: 'checkpoint_list',
  title: 'List checkpoints',
  description: 'Lists the checkpoints of a task, the newest first.',
  isReadOnly: true,
  input: z.object({
    taskId: TASK_ID.describe('The task or the loop (iterationId).'),
    limit: z.int().min(1).max(100).default(20),
  }),
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

const resumeInput = z.object({
  taskId: TASK_ID.describe('The task or the loop (iterationId).'),
  checkpointId: z.string().trim().min(1).max(200).optional().describe('Default: the newest that has not expired.'),
  restoreFiles: z
    .boolean()
    .default(false)
    .describe('Whether to bring the files back as they were. What is there now is saved first.'),
})

const resumeOutput = checkpointView.extend({
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
  input: resumeInput,
  output: resumeOutput,
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

function chosen(kept: readonly Created[], { checkpointId, taskId: task }: z.output<typeof resumeInput>, now: number): Created {
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

const cleanupInput = z.object({
  taskId: TASK_ID.optional().describe('The task or the loop (iterationId). Default: all of this project.'),
  olderThan: z
    .int()
    .min(0)
    .max(525_600)
    .optional()
    .describe(
      'Minutes: drop what is older as well, although it has not expired; 0 drops all. Default: only what has expired is dropped.',
    ),
  keepLatest: z.int().min(0).max(1000).default(0).describe('How many of the newest of each loop to keep in any case. Default 0.'),
})

const cleanupOutput = z.object({
  dropped: z.array(z.string()),
  /** Names under which trees were kept for these checkpoints alone, and no longer are. */
  refsDropped: z.array(z.string()),
  kept: z.number(),
})

/** Drops checkpoints that have expired. The journal stays whole and says what was dropped. */
export const checkpointCleanup = tool({
  name: 'checkpoint_cleanup',
  title: 'Drop old checkpoints',
  description:
    'Drops checkpoints that have expired, with the trees and drafts kept for them. The history stays whole and says that they were dropped.',
  input: cleanupInput,
  output: cleanupOutput,
  call: async (args, call) => {
    const runs = args.taskId === undefined ? await ownRuns(call.project) : [(await runNamed(call.project, args.taskId)).run]
    const results = []
    for (const run of runs) results.push(await cleaned(run, args, call))
    return {
      dropped: results.flatMap(({ dropped }) => dropped),
      refsDropped: results.flatMap(({ refsDropped }) => refsDropped),
      kept: results.reduce((sum, { kept }) => sum + kept, 0),
    }
  },
})

async function cleaned(
  run: string,
  { olderThan, keepLatest }: z.output<typeof cleanupInput>,
  { project, signal }: Call,
): Promise<z.input<typeof cleanupOutput>> {
  const now = Date.now()
  const isOld = ({ at, data }: Created): boolean =>
    data.expiresAt <= now || (olderThan !== undefined && now - at >= olderThan * 60_000)
  const all = await checkpointsOf(project.store, run)
  const old = all.slice(0, Math.max(0, all.length - keepLatest)).filter(isOld)
  if (old.length === 0) return { dropped: [], refsDropped: [], kept: all.length }
  const labels = old.flatMap((created) => ownLabel(created) ?? [])
  const refsDropped = await withToolSession(project, { run, signal }, async (session) => {
    const refs = await dropLabels(session.state().config.workspace, run, labels)
    await session.take(
      old.map((created) => droppedFact(created, now)),
      { hold: true },
    )
    return refs
  })
  await dropDrafts(project, old)
  return { dropped: old.map(({ data }) => data.checkpoint), refsDropped: [...refsDropped], kept: all.length - old.length }
}

/** Texts are kept by their content: a draft that another fact, of whatever run, still refers to stays. */
async function dropDrafts({ store }: McpProject, dropped: readonly Created[]): Promise<void> {
  const drafts = new Map(dropped.flatMap(({ data: { draft } }) => (draft ? [[draft.sha256, draft] as const] : [])))
  if (drafts.size === 0) return
  for (const { run } of await store.runs()) {
    const kept = new Set((await checkpointsOf(store, run)).map(({ seq }) => seq))
    for (const { type, seq, data } of await store.read(run)) {
      if (type === 'checkpoint.created' && !kept.has(seq)) continue
      const told = JSON.stringify(data)
      for (const sha256 of drafts.keys()) if (told.includes(sha256)) drafts.delete(sha256)
    }
  }
  for (const draft of drafts.values()) await store.dropText(draft)
}

function droppedFact({ data: { checkpoint, expiresAt } }: Created, now: number): Fact {
  const reason = expiresAt <= now ? 'It had expired.' : 'It was cleaned up as asked.'
  return { type: 'checkpoint.dropped', at: now, by: { role: 'runner' }, data: { checkpoint, reason } }
}

async function ownRuns(project: McpProject): Promise<readonly string[]> {
  const runs: string[] = []
  for (const { run } of await project.store.runs())
    if ((await presentState(project, run))?.config.agent.name === AGENT) runs.push(run)
  return runs
}
