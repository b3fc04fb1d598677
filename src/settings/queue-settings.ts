import { COUNT, type EntriesOf, listOf, matching, NUMBER, optional, settingsSchema } from '../schema/kinds.ts'

/** What queued runs of a project need, and when they are taken. */
export interface QueueSettings {
  readonly labels?: readonly string[]
  readonly priority?: number
  readonly repositoryRunsMax?: number
}

/** The key `queue` of pawl.yaml. */
export const QUEUE = settingsSchema(
  {
    labels: optional(
      listOf('a list of labels such as [linux, gpu]', matching('a label such as linux', /^[\w.-]+$/)),
      'What a worker must have to take a run of this project: `pawl worker --labels linux,gpu`',
    ),
    priority: optional(NUMBER, 'Runs with a higher one are taken first'),
    repositoryRunsMax: optional(
      COUNT,
      'How many runs of this repository may be under way on all workers for another one to start',
    ),
  } satisfies EntriesOf<QueueSettings>,
  'a map such as { labels: [linux], priority: 5, repository_runs_max: 4 }',
)
