import { hash } from 'node:crypto'
import { advance } from '../../src/core/advance.ts'
import { memoizedDefinition } from '../../src/core/definition.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { Event, Fact } from '../../src/core/event.ts'
import type { Guard } from '../../src/core/guard.ts'
import { guardFrom, maxIterations } from '../../src/guards/index.ts'
import type { Proof } from '../../src/core/proof.ts'
import type { PartSpec, RunConfig } from '../../src/core/run-config.ts'
import type { State } from '../../src/core/state.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import type { Screen } from '../../src/present/layout.ts'

/** How a run for a test goes: what is not said goes well. */
export interface Script {
  readonly run?: string
  readonly goal?: string
  /** Several goals, one after the other. */
  readonly tasks?: readonly string[]
  /** Whether a person reviews. */
  readonly isReviewed?: boolean
  readonly guards?: readonly Guard[]
  /** Failing tests of ten before any work, and after each iteration. */
  readonly failing: readonly number[]
  /** How many tests ran each time; default ten. */
  readonly ran?: readonly number[]
  readonly said?: string
  /** Whether the agent leaves every file as it is. */
  readonly isIdle?: boolean
  /** The agent's session, if it tells of one. */
  readonly session?: string
  readonly answers?: readonly { readonly choice: string; readonly note?: string }[]
  /** What proofs say, if it is not that a test turned from red to green. */
  readonly proof?: Partial<Proof>
  /** How many facts the outside gives before it falls silent: to stop in the middle. */
  readonly factsMax?: number
}

/** Real events of a run of the task loop, made by the core itself from scripted facts. */
export function playedRun(script: Script): readonly Event[] {
  const { run = 'fix-login', guards = [maxIterations(3)], goal = 'Login returns a numeric userId', factsMax = Infinity } = script
  const tasks = script.tasks?.map((task) => ({ id: task.toLowerCase(), goal: task }))
  const loop = taskLoop({ goal, ...(tasks ? { tasks } : {}) })
  const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec, guards) })
  const config: RunConfig = {
    ...CONFIG,
    checks: script.isReviewed ? [...CONFIG.checks, REVIEW] : CONFIG.checks,
    loop: loop.spec,
    guards: guards.map((guard) => guard.spec),
  }
  const events: Event[] = []
  const answers = [...(script.answers ?? [])]
  let state: State | undefined
  let at = STARTED_AT
  let facts: readonly Fact[] = [{ type: 'run.started', at, by: { role: 'runner' }, data: { config } }]
  for (let given = 0; given < factsMax; given += facts.length) {
    const { append, state: after, step } = advance(definition, run, state, facts)
    events.push(...append)
    state = after
    at += 1000
    if (step.kind === 'perform') facts = step.effects.flatMap((effect) => factsOf(effect, script, at))
    else {
      const answer = after.question && answers.shift()
      if (!answer) break
      facts = [
        { type: 'escalation.answered', at, by: { role: 'person', name: 'ada' }, because: after.question?.seq ?? 0, data: answer },
      ]
    }
  }
  return events
}

/** A screen without colours. */
export function plainScreen(columns = 80): Screen {
  return { columns, paint: (_style, text) => text }
}

/** The brief of every scripted iteration: the one text a scripted run refers to. */
export const BRIEF = 'Make it so.'

/** When scripted runs begin. */
export const STARTED_AT = Date.UTC(2026, 10, 3, 12)

const CONFIG: Omit<RunConfig, 'loop' | 'guards'> = {
  agent: { name: 'command', v: 1, settings: { name: 'claude', command: ['claude', '-p'] } },
  checks: [{ name: 'command', v: 1, settings: { name: 'tests', command: 'npm test', shell: true } }],
  workspace: { name: 'git', v: 1, settings: { path: '/project', worktree: false } },
}

const REVIEW: PartSpec = { name: 'person-review', v: 1, settings: { name: 'review', review: 'person' } }

function factsOf(
  effect: Effect,
  { failing, ran, said, isIdle, session, proof: made, run = 'fix-login' }: Script,
  at: number,
): readonly Fact[] {
  const { key, iteration } = effect
  const tree = `tree-${isIdle ? 0 : iteration}`
  switch (effect.kind) {
    case 'work':
      return [
        {
          type: 'work.started',
          at,
          by: AGENT,
          data: { key, iteration, role: effect.role, brief: BRIEF_REF },
        },
        {
          type: 'work.finished',
          at: at + 900,
          by: AGENT,
          data: {
            key,
            durationMs: 900,
            costUsd: 0.05,
            tokens: 500,
            summary: said ?? `Change ${iteration}.`,
            ...(session === undefined ? {} : { session }),
          },
        },
      ]
    case 'observe': {
      const isPerson = effect.by === 'person'
      const snapshot = `refs/pawl/${run}/${isPerson ? `${iteration}-person` : iteration}`
      const data = {
        key,
        tree,
        snapshot,
        files: [],
        filesChanged: isIdle || iteration === 0 ? 0 : 2,
        insertions: 3,
        deletions: 1,
      }
      return [{ type: 'workspace.observed', at, by: { role: isPerson ? 'runner' : 'workspace' }, data }]
    }
    case 'commit':
      return [{ type: 'commit.created', at, by: { role: 'workspace' }, data: { key, item: effect.item, branch: effect.branch } }]
    case 'answer':
      return [
        { type: 'answer.refused', at, by: { role: 'runner' }, data: { key, work: effect.work, form: effect.form, errors: [] } },
      ]
    case 'examine':
      return [
        { type: 'coverage.estimated', at, by: { role: 'runner' }, data: { key, iteration, terms: [], files: [], filesTotal: 0 } },
      ]
    case 'phrase':
      return [{ type: 'question.phrased', at, by: AGENT, data: { key, text: 'Better words?' } }]
    case 'restore':
      return [
        { type: 'workspace.restored', at, by: { role: 'workspace' }, data: { key, tree, savedAs: `refs/pawl/${run}/saved-1` } },
      ]
    case 'prove': {
      const proof = { level: 'red-to-green', start: '0', tree: effect.tree, cells: [], turned: ['login > id'] } as const
      const data = { key, ...proof, changedTests: [], changedTestsCount: 0, findings: [], ...made, durationMs: 200 }
      return [{ type: 'proof.made', at, by: { role: 'runner' }, data }]
    }
    case 'check': {
      const failed = failing[iteration] ?? 0
      const ended = {
        key,
        name: effect.name,
        tree: effect.tree,
        durationMs: 300,
        counts: { passed: (ran?.[iteration] ?? 10) - failed, failed, skipped: 0 },
      }
      const failure = { id: 'login > id', message: 'expected 42 to be "42"', kind: 'assertion' as const }
      if (failed === 0) return [{ type: 'check.passed', at, by: CHECK, data: { ...ended, failures: [] } }]
      return [{ type: 'check.failed', at, by: CHECK, data: { ...ended, failures: [failure] } }]
    }
    default:
      return []
  }
}

const BRIEF_REF = { sha256: hash('sha256', BRIEF), bytes: BRIEF.length }
const AGENT = { role: 'agent', name: 'claude' } as const
const CHECK = { role: 'check', name: 'tests' } as const
