import type { Event, Instant, Seq } from '../../core/event.ts'
import type { EventData } from '../../core/event-data.ts'

/** A state of the files that a run came by, and who brought it about. */
export interface TreeStep {
  readonly run: string
  readonly seq: Seq
  readonly at: Instant
  readonly tree: string
  readonly snapshot: string
  /** `before`: as the run found it; `checks`: written by them while they ran. */
  readonly by: 'before' | 'agent' | 'person' | 'checks'
  readonly iteration: number
  /** The item of the plan that was under way. */
  readonly item?: string
  /** Of an agent: the role it played, its name and its model, as far as they are known. */
  readonly role?: string
  readonly agent?: string
  readonly model?: string
  /** What became of the iteration; absent while that is not known. */
  readonly verdict?: StepVerdict
}

/** The last word on an iteration: of the reviewers and tests of a review, else of the checks together. */
export interface StepVerdict {
  readonly word: string
  /** The fact that says so. */
  readonly seq: Seq
}

/** Reads the states of the files out of a run's journal, in order, whatever its loop. A look that found nothing new is no step. */
export function treeSteps(events: readonly Event[]): readonly TreeStep[] {
  const steps: TreeStep[] = []
  const verdicts = verdictsIn(events)
  const roles = new Map<string, string>()
  let worker: Pick<TreeStep, 'role' | 'agent' | 'model'> = {}
  let item: string | undefined
  for (const event of events) {
    if (event.type === 'item.started') ({ item } = event.data)
    else if (event.type === 'work.started') roles.set(event.data.key, event.data.role)
    else if (isWorkEnd(event)) worker = workerOf(event, roles.get(event.data.key))
    else if (event.type === 'workspace.observed') {
      const step = stepOf(event, steps.at(-1), item)
      if (!step) continue
      const verdict = verdicts.get(step.iteration)
      const isAgents = step.by === 'agent'
      steps.push({ ...step, ...(isAgents ? worker : {}), ...(isAgents && verdict ? { verdict } : {}) })
    }
  }
  return steps
}

type WorkEnd = Event<'work.finished' | 'work.failed'>

function isWorkEnd(event: Event): event is WorkEnd {
  return event.type === 'work.finished' || event.type === 'work.failed'
}

function workerOf({ by, data }: WorkEnd, role: string | undefined): Pick<TreeStep, 'role' | 'agent' | 'model'> {
  const named = role ?? data.key.split('/')[1]
  return {
    ...(named === undefined ? {} : { role: named }),
    ...(by.name === undefined ? {} : { agent: by.name }),
    ...(by.model === undefined ? {} : { model: by.model }),
  }
}

function stepOf(
  { run, seq, at, by, data }: Event<'workspace.observed'>,
  before: TreeStep | undefined,
  item: string | undefined,
): TreeStep | undefined {
  const { tree, snapshot, key } = data
  if (before?.tree === tree) return undefined
  const iteration = Number(key.split('/')[0])
  const who = before === undefined ? 'before' : (WHO[by.role] ?? 'agent')
  return { run, seq, at, tree, snapshot, by: who, iteration, ...(item === undefined || iteration === 0 ? {} : { item }) }
}

const WHO: Readonly<Record<string, 'person' | 'checks'>> = { person: 'person', check: 'checks' }

function verdictsIn(events: readonly Event[]): ReadonlyMap<number, StepVerdict> {
  const found = new Map<
    number,
    { readonly review?: string; readonly tests?: string; readonly checks?: string; readonly seq: Seq }
  >()
  const learn = (iteration: number, more: object, seq: Seq) => found.set(iteration, { ...found.get(iteration), ...more, seq })
  for (const { type, data, seq } of events) {
    if (type === 'pass.judged') learn(data.iteration, { review: data.verdict }, seq)
    else if (type === 'tests.judged') learn(data.iteration, { tests: `tests ${TESTS[data.outcome]}` }, seq)
    else if (type === 'iteration.ended') learn(data.iteration, { checks: checkWords(data) }, seq)
  }
  return new Map(
    [...found].map(([iteration, { review, tests, checks, seq }]) => {
      const words = [review, tests].filter((word) => word !== undefined)
      return [iteration, { word: words.length > 0 ? words.join(', ') : (checks ?? ''), seq }]
    }),
  )
}

const TESTS: Readonly<Record<EventData['tests.judged']['outcome'], string>> = {
  passed: 'passed',
  failed: 'failed',
  environment: 'could not run',
}

function checkWords({ verdict }: EventData['iteration.ended']): string {
  return verdict.passed ? 'passed' : `${verdict.failing} failing`
}
