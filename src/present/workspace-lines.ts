import { defined } from '../core/defined.ts'
import { safeText } from '../core/safe-text.ts'
import { oneLine, padded, type Screen, textWidth } from './layout.ts'
import { counted } from '../core/wording.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import type { EventData } from '../core/event-data.ts'

/** One line of a file and where it comes from. */
export interface LineView {
  readonly line: number
  readonly text: string
  /** `before` the first run, `between` two runs, by the `agent`, a `person` or the `checks` during one, or `since` the last. */
  readonly by: 'before' | 'between' | 'agent' | 'person' | 'checks' | 'since'
  readonly run?: string
  readonly iteration?: number
  readonly item?: string
  /** The look at the files that first showed it, and when that was. */
  readonly seq?: number
  readonly at?: number
  readonly role?: string
  readonly agent?: string
  readonly model?: string
  readonly verdict?: string
  readonly verdictSeq?: number
  /** The name that the file had then, if it was another. */
  readonly path?: string
}

/** Who, then the number of the line, then the line. */
export function blameLines(lines: readonly LineView[], { isOneRun }: { readonly isOneRun: boolean }): readonly string[] {
  const who = lines.map((line) => oneLine(whoWords(line, isOneRun)))
  const width = Math.max(0, ...who.map(textWidth))
  const digits = String(lines.length).length
  return lines.map(({ line, text }, index) => {
    const words = padded(who[index] ?? '', width, 'left')
    return `${words}  ${String(line).padStart(digits)}  ${text}`.trimEnd()
  })
}

function whoWords({ by, run = '', iteration = 0, role, agent, model, verdict }: LineView, isOneRun: boolean): string {
  if (by === 'before') return isOneRun ? 'before the run' : 'before the first run'
  if (by === 'between') return `by a person, before ${run}`
  if (by === 'since') return 'by a person, since the last run'
  const place = `${isOneRun ? 'iteration' : run} ${iteration}`
  if (by === 'person') return `${place}, by a person`
  if (by === 'checks') return `${place}, by the checks while they ran`
  const name = [agent, model].filter((word) => word !== undefined).join(' ') || 'the agent'
  const played = role === undefined || role === 'coder' ? '' : ` as ${role.slice(role.indexOf(':') + 1)}`
  return `${place}, ${name}${played === ` as ${name}` ? '' : played}, ${verdict ?? 'not judged yet'}`
}

/**
 * The lines of a patch. Where a person looks they are coloured and cannot do anything to the terminal; where a program reads they
 * are as they are, so that the patch can be applied.
 */
export function* patchLines(
  patch: string,
  { isLive, paint }: Pick<Screen, 'paint'> & { readonly isLive: boolean },
): Generator<string> {
  if (patch === '') return
  const isSeen = isLive || paint('red', 'x') !== 'x'
  const lines = patch.endsWith('\n') ? patch.slice(0, -1).split('\n') : patch.split('\n')
  let isHead = true
  for (const line of lines) {
    if (line.startsWith('diff --git ')) isHead = true
    else if (line.startsWith('@@')) isHead = false
    yield isSeen ? painted(safeText(line), isHead, paint) : line
  }
}

function painted(line: string, isHead: boolean, paint: Screen['paint']): string {
  if (isHead) return paint('bold', line)
  if (line.startsWith('+')) return paint('green', line)
  if (line.startsWith('-')) return paint('red', line)
  return line.startsWith('@@') ? paint('cyan', line) : line
}

/** What a worktree holds that is nowhere else. */
export interface WorktreeLosses {
  readonly ignored: readonly string[]
  readonly leftOut: readonly string[]
  readonly outside: readonly string[]
  readonly commits: readonly string[]
}

/** What would be gone with a worktree, one line for each kind of it. */
export function lossWords({ ignored, leftOut, outside, commits }: WorktreeLosses): readonly string[] {
  const [commit = ''] = commits
  return [
    ...(ignored.length > 0 ? [`${listed(ignored)}, which git ignores`] : []),
    ...leftOut,
    ...(outside.length > 0 ? [`changes outside the folder of the run: ${listed(outside)}`] : []),
    ...(commits.length > 0
      ? [`${counted(commits.length, 'commit')} on no branch; kept by: git branch NAME ${commit.slice(0, 12)}`]
      : []),
  ]
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : ''
  return `${names.slice(0, NAMES_MAX).join(', ')}${more}`
}

const NAMES_MAX = 5

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
  return defined({ role: named, agent: by.name, model: by.model })
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
