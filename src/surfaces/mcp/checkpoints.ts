import { ANY_MAP, eitherOf, FLAG, NUMBER, oneOf, optional, settingsSchema, WORDS } from '../../schema/kinds.ts'
import type { Author, Event, Fact, Instant } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import type { Store } from '../../stores/store.ts'
import type { ResultOf } from './tool.ts'
import { presentState, runOfTask, type ToolSession, unknownRun } from './tool-session.ts'
import type { McpProject } from './project.ts'
import type { EventData, TextRef } from '../../core/event-data.ts'

/** A checkpoint as clients read it. */
export const CHECKPOINT_FIELDS = {
  checkpointId: WORDS,
  iterationId: WORDS,
  trigger: oneOf(['auto', 'manual', 'pause', 'error']),
  createdAt: WORDS,
  expiresAt: WORDS,
  isExpired: FLAG,
  /** The place in the run's journal. */
  seq: NUMBER,
  tree: WORDS,
  agent_context: optional(eitherOf('a text or a map', WORDS, ANY_MAP)),
  draftBytes: NUMBER,
}

/** The same as a schema. */
export const CHECKPOINT = settingsSchema(CHECKPOINT_FIELDS)

export type Created = Event<'checkpoint.created'>

/** What clients read of a checkpoint. */
export function viewOf({ run, at, data }: Created, now: number): ResultOf<typeof CHECKPOINT> {
  return {
    checkpointId: data.checkpoint,
    iterationId: run,
    trigger: data.trigger,
    createdAt: new Date(at).toISOString(),
    expiresAt: new Date(data.expiresAt).toISOString(),
    isExpired: data.expiresAt <= now,
    seq: data.at,
    tree: data.tree,
    agent_context: data.context === undefined ? undefined : contextIn(data.context),
    draftBytes: data.draft?.bytes ?? 0,
  }
}

function contextIn(context: string): string | Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(context)
    return typeof value === 'object' && value !== null ? { ...value } : context
  } catch {
    // Words of a person or another program: shown unchanged.
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

export interface NewCheckpoint extends Omit<CheckpointRequest, 'tree' | 'snapshot' | 'draft'> {
  readonly draftContent?: string
}

/** Keeps the files as they are now, and the place in the journal, under a name. The iteration continues as it was. */
export async function createCheckpoint(session: ToolSession, { draftContent, ...request }: NewCheckpoint): Promise<Created> {
  const { parts, run } = session
  const { seq, tree: known } = session.state()
  await parts.workspace.open(run, known?.snapshot)
  const { tree, snapshot } = await parts.workspace.observe(run, `${LABEL}${seq}`, known?.snapshot)
  const draft = draftContent === undefined ? {} : { draft: await parts.store.putText(keptDraft(draftContent)) }
  const fact = checkpointFact(session.state(), parts.clock.now(), { ...request, ...draft, tree, snapshot })
  const { append } = await session.take([fact], { hold: true })
  return append.find((event) => event.type === 'checkpoint.created') as Created
}

const LABEL = 'checkpoint-'

/** The label of the tree that only this checkpoint keeps; nothing where it shares the tree of an iteration. */
export function ownLabel({ data }: Created): string | undefined {
  const label = data.snapshot.split('/').at(-1) ?? ''
  return label.startsWith(LABEL) ? label : undefined
}

type CreatedData = EventData['checkpoint.created']

export interface CheckpointRequest {
  readonly tree: string
  readonly snapshot: string
  readonly trigger: CreatedData['trigger']
  readonly context?: string
  readonly draft?: TextRef
  /** Default: 24 hours for what is made by itself, 7 days for what is asked for, and for a pause 10,080 minutes. */
  readonly expiresInMinutes?: number
  readonly by?: Author
}

/** How long each kind of checkpoint lasts, in minutes. */
const EXPIRY_MINUTES: Readonly<Record<CreatedData['trigger'], number>> = {
  auto: 24 * 60,
  error: 24 * 60,
  manual: 7 * 24 * 60,
  pause: 10_080,
}

/** A place in the journal and a tree to come back to. Its name says run and place: `fix-login@12`. */
export function checkpointFact(state: State, at: Instant, request: CheckpointRequest): Fact<'checkpoint.created'> {
  const { tree, snapshot, trigger, context, draft, expiresInMinutes = EXPIRY_MINUTES[trigger], by = { role: 'runner' } } = request
  const data = {
    checkpoint: `${state.run}@${state.seq}`,
    at: state.seq,
    tree,
    snapshot,
    trigger,
    ...(context === undefined ? {} : { context }),
    ...(draft === undefined ? {} : { draft }),
    expiresAt: at + expiresInMinutes * 60_000,
  }
  return { type: 'checkpoint.created', at, by, data }
}

/** The run that a checkpoint belongs to, by its name. */
function runOfCheckpoint(checkpoint: string): string {
  return checkpoint.slice(0, Math.max(0, checkpoint.lastIndexOf('@')))
}

/** How many bytes of a draft are kept. */
export const DRAFT_BYTES_MAX = 50 * 1024

/** A draft as it is kept: whole, or cut between two characters and marked. */
function keptDraft(draft: string): { readonly text: string; readonly bytesCut: number } {
  const bytes = Buffer.from(draft.toWellFormed(), 'utf8')
  if (bytes.byteLength <= DRAFT_BYTES_MAX) return { text: bytes.toString('utf8'), bytesCut: 0 }
  const mark = '\n[TRUNCATED]'
  let end = DRAFT_BYTES_MAX - Buffer.byteLength(mark)
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return { text: `${bytes.subarray(0, end).toString('utf8')}${mark}`, bytesCut: bytes.byteLength - end }
}
