import { z } from 'zod'
import type { Event } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import type { Store } from '../../stores/store.ts'
import { checkpointFact, type CheckpointWish, runOfCheckpoint } from './checkpoint-fact.ts'
import { keptDraft } from './draft.ts'
import { anyMap } from './iteration-config.ts'
import { presentState, type ToolSession, unknownRun } from './tool-session.ts'
import { runOfTask } from './task-run.ts'
import type { McpProject } from './project.ts'

/** A checkpoint as clients read it. */
export const checkpointView = z.object({
  checkpointId: z.string(),
  iterationId: z.string(),
  trigger: z.enum(['auto', 'manual', 'pause', 'error']),
  createdAt: z.string(),
  expiresAt: z.string(),
  isExpired: z.boolean(),
  /** The place in the run's journal. */
  seq: z.number(),
  tree: z.string(),
  agent_context: z.union([z.string(), anyMap]).optional(),
  draftBytes: z.number(),
})

export type Created = Event<'checkpoint.created'>

/** What clients read of a checkpoint. */
export function viewOf({ run, at, data }: Created, now: number): z.input<typeof checkpointView> {
  return {
    checkpointId: data.checkpoint,
    iterationId: run,
    trigger: data.trigger,
    createdAt: new Date(at).toISOString(),
    expiresAt: new Date(data.expiresAt).toISOString(),
    isExpired: data.expiresAt <= now,
    seq: data.at,
    tree: data.tree,
    ...(data.context === undefined ? {} : { agent_context: contextIn(data.context) }),
    draftBytes: data.draft?.bytes ?? 0,
  }
}

function contextIn(context: string): string | Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(context)
    return typeof value === 'object' && value !== null ? { ...value } : context
  } catch {
    // Words of a person or another program: told as they stand.
    return context
  }
}

/** The checkpoints of a run that were not dropped, the newest last. */
export async function checkpointsOf(store: Store, run: string): Promise<readonly Created[]> {
  const events = await store.read(run)
  const dropped = new Set(events.flatMap((event) => (event.type === 'checkpoint.dropped' ? [event.data.checkpoint] : [])))
  return events.filter(
    (event): event is typeof event & Created => event.type === 'checkpoint.created' && !dropped.has(event.data.checkpoint),
  )
}

/** One checkpoint by its name; throws with what there is. */
export async function checkpointNamed({ store }: McpProject, name: string): Promise<Created> {
  const run = runOfCheckpoint(name)
  const kept = run === '' ? [] : await checkpointsOf(store, run)
  const found = kept.find(({ data }) => data.checkpoint === name)
  if (found) return found
  const names = kept.slice(-5).map(({ data }) => data.checkpoint)
  const there = names.length === 0 ? 'the run has none' : `there is ${names.join(', ')}`
  throw new PawlError('mcp.no-checkpoint', `There is no checkpoint "${name}", or it was dropped: ${there}.`, { value: name })
}

/** The run that a caller means by a task's or a loop's id. */
export async function runNamed(project: McpProject, id: string): Promise<State> {
  const { state } = await runOfTask(project, id)
  const found = state ?? (await presentState(project, id))
  if (found) return found
  throw unknownRun(id)
}

export interface NewCheckpoint extends Omit<CheckpointWish, 'tree' | 'snapshot' | 'draft'> {
  readonly draftContent?: string
}

/** Keeps the files as they are now, and the place in the journal, under a name. The iteration goes on as it was. */
export async function createCheckpoint(session: ToolSession, { draftContent, ...wish }: NewCheckpoint): Promise<Created> {
  const { parts, run } = session
  const { seq, tree: known } = session.state()
  await parts.workspace.open(run, known?.snapshot)
  const { tree, snapshot } = await parts.workspace.observe(run, `${LABEL}${seq}`, known?.snapshot)
  const draft = draftContent === undefined ? {} : { draft: await parts.store.putText(keptDraft(draftContent)) }
  const fact = checkpointFact(session.state(), parts.clock.now(), { ...wish, ...draft, tree, snapshot })
  const { append } = await session.take([fact], { hold: true })
  return append.find((event) => event.type === 'checkpoint.created') as Created
}

const LABEL = 'checkpoint-'

/** The label of the tree that only this checkpoint keeps; nothing where it shares the tree of an iteration. */
export function ownLabel({ data }: Created): string | undefined {
  const label = data.snapshot.split('/').at(-1) ?? ''
  return label.startsWith(LABEL) ? label : undefined
}
