import {
  ANY_MAP,
  byDefault,
  eitherOf,
  FLAG,
  listOf,
  nameUpTo,
  needed,
  NUMBER,
  oneOf,
  optional,
  type OutputOf,
  settingsSchema,
  TEXTS,
  textUpTo,
  wholeNumberBetween,
  WORDS,
} from '../../schema/kinds.ts'
import {
  checkpointNamed,
  checkpointsOf,
  CHECKPOINT,
  CHECKPOINT_FIELDS,
  createCheckpoint,
  type Created,
  DRAFT_BYTES_MAX,
  ownLabel,
  runNamed,
  viewOf,
} from './checkpoints.ts'
import { type Call, type ResultOf, TASK_ID, TASK_OR_LOOP, tool } from './tool.ts'
import { presentState, type ToolSession, withToolSession } from './tool-session.ts'
import { effectKey } from '../../core/effect.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { restoredData } from '../../engine/perform-workspace.ts'
import { briefNow } from './continue-run.ts'
import type { Fact } from '../../core/event.ts'
import { dropLabels } from '../../registry/workspace-tools.ts'
import { AGENT } from './outside-agent.ts'
import type { McpProject } from './project.ts'

const CREATE_INPUT = settingsSchema({
  taskId: TASK_OR_LOOP,
  trigger: byDefault(oneOf(['manual', 'auto', 'pause']), 'manual', 'auto lasts 24 hours, manual and pause 7 days.'),
  executionPhase: optional(textUpTo(500)),
  executionStep: optional(eitherOf('a number, or a text of at most 500 characters', NUMBER, textUpTo(500))),
  agentContext: optional(ANY_MAP, 'What you want to know when you come back.'),
  draftContent: optional(textUpTo(10_000_000), `Unfinished text; more than ${DRAFT_BYTES_MAX / 1024} KB is cut.`),
  draftType: optional(textUpTo(100)),
  expiresIn: optional(wholeNumberBetween(1, 525_600), 'Minutes until it may be cleaned up.'),
})

/** Keeps the files and the place in the loop to come back to. */
export const checkpointCreate = tool({
  name: 'checkpoint_create',
  title: 'Keep a place to come back to',
  description: 'Keeps the files as they are now, what you want to remember and an unfinished text. The iteration continues.',
  input: CREATE_INPUT,
  output: settingsSchema({ ...CHECKPOINT_FIELDS, draftTruncated: FLAG }),
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
  input: settingsSchema({
    checkpointId: needed(nameUpTo(200), 'As checkpoint_create or checkpoint_list gave it.'),
  }),
  output: settingsSchema({ ...CHECKPOINT_FIELDS, draftContent: optional(WORDS) }),
  call: async ({ checkpointId }, { project }) => {
    const found = await checkpointNamed(project, checkpointId)
    const draftContent = found.data.draft ? await project.store.getText(found.data.draft) : undefined
    return { ...viewOf(found, Date.now()), draftContent }
  },
})

/** The checkpoints of a task, the newest first. */
export const checkpointList = tool({
  name: 'checkpoint_list',
  title: 'List checkpoints',
  description: 'Lists the checkpoints of a task, the newest first.',
  isReadOnly: true,
  input: settingsSchema({
    taskId: TASK_OR_LOOP,
    limit: byDefault(wholeNumberBetween(1, 100), 20),
  }),
  output: settingsSchema({ iterationId: WORDS, checkpoints: listOf('a list of checkpoints', CHECKPOINT), total: NUMBER }),
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

const RESUME_INPUT = settingsSchema({
  taskId: TASK_OR_LOOP,
  checkpointId: optional(nameUpTo(200), 'Default: the newest that has not expired.'),
  restoreFiles: byDefault(FLAG, false, 'Whether to bring the files back as they were. What is there now is saved first.'),
})

const RESUME_OUTPUT = settingsSchema({
  ...CHECKPOINT_FIELDS,
  draftContent: optional(WORDS),
  iterationNumber: NUMBER,
  /** What the agent is asked to do now. */
  instructions: WORDS,
  restored: FLAG,
  /** How a person gets the files of the checkpoint, and those that were there before, by hand. */
  restoreWith: optional(WORDS),
  savedAs: optional(WORDS),
})

/** Comes back to a checkpoint: what was remembered and, where asked for, the files. */
export const checkpointResume = tool({
  name: 'checkpoint_resume',
  title: 'Come back to a checkpoint',
  description:
    'Gives back what a checkpoint remembers and where the loop stands, and, with restoreFiles, the files as they were.',
  input: RESUME_INPUT,
  output: RESUME_OUTPUT,
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
        draftContent,
        iterationNumber: state.current.number,
        instructions: briefNow(session, state) ?? state.message,
        restored: restored !== undefined,
        restoreWith: data.snapshot === '' ? undefined : parts.workspace.howToRestore(data.snapshot),
        savedAs: restored?.savedAs && parts.workspace.howToRestore(restored.savedAs),
      }
    })
  },
})

function chosen(kept: readonly Created[], { checkpointId, taskId: task }: OutputOf<typeof RESUME_INPUT>, now: number): Created {
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

const CLEANUP_INPUT = settingsSchema({
  taskId: optional(TASK_ID, 'The task or the loop (iterationId). Default: all of this project.'),
  olderThan: optional(
    wholeNumberBetween(0, 525_600),
    'Minutes: drop what is older as well, although it has not expired; 0 drops all. Default: only what has expired is dropped.',
  ),
  keepLatest: byDefault(wholeNumberBetween(0, 1000), 0, 'How many of the newest of each loop to keep in any case. Default 0.'),
})

const CLEANUP_OUTPUT = settingsSchema({
  dropped: TEXTS,
  /** Names under which trees were kept for these checkpoints alone, and no longer are. */
  refsDropped: TEXTS,
  kept: NUMBER,
})

/** Drops checkpoints that have expired. The journal stays whole and says what was dropped. */
export const checkpointCleanup = tool({
  name: 'checkpoint_cleanup',
  title: 'Drop old checkpoints',
  description:
    "Deletes checkpoints that have expired, or are older than you say, with the trees and drafts kept for them. This can't be undone. The history stays whole and says that they were deleted.",
  isDestructive: true,
  input: CLEANUP_INPUT,
  output: CLEANUP_OUTPUT,
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
  { olderThan, keepLatest }: OutputOf<typeof CLEANUP_INPUT>,
  { project, signal }: Call,
): Promise<ResultOf<typeof CLEANUP_OUTPUT>> {
  const now = Date.now()
  const isOld = ({ at, data }: Created): boolean =>
    data.expiresAt <= now || (olderThan !== undefined && now - at >= olderThan * 60_000)
  const all = await checkpointsOf(project.store, run)
  const old = all.slice(0, Math.max(0, all.length - keepLatest)).filter(isOld)
  if (old.length === 0) return { dropped: [], refsDropped: [], kept: all.length }
  const labels = old.flatMap((created) => ownLabel(created) ?? [])
  const refsDropped = await withToolSession(project, { run, signal }, async (session) => {
    const refs = await dropLabels(session.parts.config.workspace, run, labels)
    await session.take(
      old.map((created) => droppedFact(created, now)),
      { hold: true },
    )
    return refs
  })
  await dropDrafts(project, old)
  return { dropped: old.map(({ data }) => data.checkpoint), refsDropped: refsDropped, kept: all.length - old.length }
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
