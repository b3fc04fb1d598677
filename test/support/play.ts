import { advance } from '../../src/core/advance.ts'
import { memoizedDefinition } from '../../src/core/definition.ts'
import type { Effect } from '../../src/core/effect.ts'
import type { Event, Fact } from '../../src/core/event.ts'
import type { Guard } from '../../src/core/guard.ts'
import { guardFrom } from '../../src/guards/index.ts'
import type { Loop } from '../../src/core/loop.ts'
import type { PartSpec, RunConfig } from '../../src/core/run-config.ts'
import type { State } from '../../src/core/state.ts'
import type { Step } from '../../src/core/step.ts'

export interface Play {
  readonly loop: Loop
  readonly guards: readonly Guard[]
  /** The checks of the run; default one called `tests`. */
  readonly checks?: readonly PartSpec[]
  readonly config?: Partial<RunConfig>
  /** What becomes of an effect: its facts. Without an answer for one, the usual is done: work finishes, checks pass. */
  readonly respond?: (effect: Effect, state: State) => readonly Fact[] | undefined
}

export interface Played {
  readonly events: readonly Event[]
  readonly state: State
  readonly step: Step
  /** The run continues with these facts: an answer, a waiver. */
  on(...facts: readonly Fact[]): Played
}

/** Plays a loop on paper: no process, no file, no clock but a counter. Ends when it waits or is over, or after 500 steps. */
export function play(game: Play): Played {
  const config: RunConfig = {
    loop: game.loop.spec,
    guards: game.guards.map((guard) => guard.spec),
    agent: { name: 'given', v: 1, settings: {} },
    checks: game.checks ?? [{ name: 'given', v: 1, settings: { name: 'tests' } }],
    workspace: { name: 'given', v: 1, settings: {} },
    ...game.config,
  }
  return goOn(game, [], undefined, [{ type: 'run.started', at: 1, by: { role: 'runner' }, data: { config } }])
}

const STEPS_MAX = 500

function goOn(game: Play, before: readonly Event[], known: State | undefined, given: readonly Fact[]): Played {
  const definition = memoizedDefinition({ loop: () => game.loop, guard: (spec) => guardFrom(spec, game.guards) })
  const events = [...before]
  let state = known
  let facts = given
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const result = advance(definition, 'played', state, facts)
    events.push(...result.append)
    const now = result.state
    state = now
    const { step } = result
    if (step.kind !== 'perform')
      return {
        events,
        state: now,
        step,
        on: (...more) =>
          goOn(
            game,
            events,
            now,
            more.map((fact) => ({ ...fact, at: now.at + 1 })),
          ),
      }
    facts = step.effects.flatMap((effect) => game.respond?.(effect, now) ?? usual(effect, now))
  }
  throw new Error(`The play did not end within ${STEPS_MAX} steps.`)
}

/** The agent works and changes something, and all is well. */
export function usual(effect: Effect, state: State): readonly Fact[] {
  const { key, iteration } = effect
  const at = state.at + 1
  switch (effect.kind) {
    case 'work':
      return [{ type: 'work.finished', at, by: { role: 'agent' }, data: { key, durationMs: 1 } }]
    case 'observe': {
      const tree = effect.by === 'agent' ? `tree-${iteration}` : (state.tree?.tree ?? 'tree-0')
      const files = iteration === 0 ? [] : [{ path: 'a.ts', change: 'modified' } as const]
      const data = { key, tree, snapshot: tree, files, filesChanged: files.length, insertions: 1, deletions: 1 }
      return [{ type: 'workspace.observed', at, by: { role: effect.by === 'agent' ? 'workspace' : 'runner' }, data }]
    }
    case 'restore':
      return [{ type: 'workspace.restored', at, by: { role: 'workspace' }, data: { key, tree: effect.snapshot } }]
    case 'commit': {
      const { item, branch } = effect
      const made = iteration === 0 ? {} : { commit: `commit-${iteration}` }
      return [{ type: 'commit.created', at, by: { role: 'workspace' }, data: { key, item, branch, ...made } }]
    }
    case 'phrase':
      return [{ type: 'question.phrased', at, by: { role: 'agent' }, data: { key, text: 'In better words?' } }]
    case 'answer': {
      const { work, form, index } = effect
      const data = { key, work, form, ...(index === undefined ? {} : { index }), findings: NOTHING_FOUND }
      return [{ type: 'answer.read', at, by: { role: 'runner' }, data }]
    }
    case 'examine': {
      const data = { key, iteration, terms: effect.terms, files: [], filesTotal: 0 }
      return [{ type: 'coverage.estimated', at, by: { role: 'runner' }, data }]
    }
    case 'sides': {
      const data = { key, iteration, files: [], filesCount: 0, others: [], othersCount: 0 }
      return [{ type: 'tests.written', at, by: { role: 'runner' }, data }]
    }
    case 'prove':
      return [proofFact(effect, state)]
    case 'check':
      return [checkFact(effect, state, [])]
    default:
      return []
  }
}

/** A proof that nothing speaks against; `change` says what is different. */
export function proofFact(
  { key, tree }: Effect & { kind: 'prove' },
  state: State,
  change: Partial<Event<'proof.made'>['data']> = {},
): Fact {
  const proof = { level: 'red-to-green', start: state.base?.tree ?? '', tree, cells: [], turned: [] } as const
  const data = { key, ...proof, changedTests: [], changedTestsCount: 0, findings: [], durationMs: 1, ...change }
  return { type: 'proof.made', at: state.at + 1, by: { role: 'runner' }, data }
}

const NOTHING_FOUND = { findings: [], files: [], questions: [], unknowns: [], resolutions: [], uncertainties: [] }

/** A check or review that ends with these failures; none is a pass. */
export function checkFact(
  { key, name, tree, review }: Effect & { kind: 'check' },
  state: State,
  failures: Event<'check.failed'>['data']['failures'],
): Fact {
  const data = { key, name, tree, durationMs: 1, failures }
  const at = state.at + 1
  if (review)
    return { type: failures.length === 0 ? 'review.approved' : 'review.rejected', at, by: { role: 'check', name }, data }
  return { type: failures.length === 0 ? 'check.passed' : 'check.failed', at, by: { role: 'check', name }, data }
}
