import { z } from 'zod'
import type { SealedEvent } from '../../../stores/store.ts'
import { outcomeOf } from '../../../core/outcome.ts'
import { shortened } from '../../../core/wording.ts'
import { runNamed } from '../checkpoints.ts'
import { taskId } from '../iteration-config.ts'
import { spentFields, spentView } from '../spent-fields.ts'
import { tool } from '../tool.ts'

const event = z.object({ seq: z.number(), at: z.string(), type: z.string(), by: z.string(), data: z.string() })

const iteration = z.object({
  iteration: z.number(),
  passed: z.boolean(),
  score: z.number(),
  failing: z.number(),
  files: z.array(z.string()),
  said: z.string().optional(),
})

/** What happened in a run, fact by fact. */
export const runHistory = tool({
  name: 'run_history',
  title: 'History of a run',
  description: 'Shows where a loop stands, how its last iterations went, and its newest facts.',
  isReadOnly: true,
  input: z.object({
    run: taskId.describe('The loop (iterationId) or its task.'),
    limit: z.int().min(1).max(500).default(50).describe('How many of the newest facts.'),
    after: z.int().min(0).default(0).describe('Only facts after this seq.'),
  }),
  output: z.object({
    run: z.string(),
    status: z.string(),
    message: z.string(),
    ...spentFields,
    iterations: z.array(iteration),
    best: z.object({ iteration: z.number(), score: z.number() }).optional(),
    events: z.array(event),
  }),
  call: async ({ run: id, limit, after }, { project }) => {
    const state = await runNamed(project, id)
    const { status, message, best } = outcomeOf(state)
    const events = (await project.store.read(state.run, after)).slice(-limit)
    return {
      run: state.run,
      status,
      message,
      ...spentView(state),
      iterations: state.recent.map(({ iteration: number, verdict, files, said }) => ({
        iteration: number,
        ...verdict,
        files: [...files],
        ...(said === undefined ? {} : { said }),
      })),
      ...(best ? { best: { iteration: best.iteration, score: best.score } } : {}),
      events: events.map(eventView),
    }
  },
})

function eventView({ seq, at, type, by, data }: SealedEvent): z.input<typeof event> {
  const who = by.name === undefined ? by.role : `${by.role} ${by.name}`
  const told = shortened(JSON.stringify(data, withoutUnknownCost), DATA_LENGTH_MAX)
  return { seq, at: new Date(at).toISOString(), type, by: who, data: told }
}

/** A journal has 0 for a cost that nobody told. */
function withoutUnknownCost(name: string, value: unknown): unknown {
  return name === 'costUsd' && value === 0 ? undefined : value
}

const DATA_LENGTH_MAX = 500
