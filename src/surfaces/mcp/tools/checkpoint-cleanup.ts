import { z } from 'zod'
import type { Fact } from '../../../core/event.ts'
import { checkpointsOf, type Created, ownLabel, runNamed } from '../checkpoints.ts'
import { dropLabels } from '../../../registry/workspace-tools.ts'
import { taskId } from '../iteration-config.ts'
import { AGENT } from '../outside-agent.ts'
import { presentState, withToolSession } from '../tool-session.ts'
import { type Call, tool } from '../tool.ts'
import type { McpProject } from '../project.ts'

const input = z.object({
  taskId: taskId.optional().describe('The task or the loop (iterationId). Default: all of this project.'),
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

const output = z.object({
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
  input,
  output,
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
  { olderThan, keepLatest }: z.output<typeof input>,
  { project, signal }: Call,
): Promise<z.input<typeof output>> {
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
