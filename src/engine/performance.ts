import type { Effect } from '../core/effect.ts'
import type { Fact } from '../core/event.ts'
import type { BoxRecord, EffectKey, ProcessIdentity, Usage } from '../core/event-data.ts'
import type { LoopPerformance } from '../core/loop.ts'
import type { Question } from '../core/question.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Answer, DriveOptions, Parts } from './parts.ts'
import type { State } from '../core/state.ts'

/** What an effect is performed with. */
export interface Performance {
  readonly parts: Parts
  readonly state: State
  readonly cwd: string
  readonly signal: AbortSignal
  /** Resolves when the facts are durable. */
  readonly post: (facts: readonly Fact[]) => Promise<void>
  readonly onProgress?: DriveOptions['onProgress']
  /** What agents at work have used, by effect: those that work side by side share one budget. Default: this one works alone. */
  readonly inFlight?: Map<EffectKey, Usage>
  /** Asks the person who is here; resolves with `undefined` when they do not want to answer now. Absent if nobody is there. */
  readonly askPerson?: (question: Question, signal: AbortSignal) => Promise<Answer | undefined>
}

/** What a loop's own effect is performed with: a built-in loop may use the run's parts. */
export type OwnPerformance = Performance & LoopPerformance

/** What a driver is given; `begin` turns the start into a fact. */
export function contextOf(
  effect: Effect,
  performance: Performance,
  begin: (process?: ProcessIdentity) => readonly Fact[],
): EffectContext {
  return {
    signal: performance.signal,
    started: async (process, box) => {
      const facts = begin(process)
      if (facts.length > 0) await performance.post(box ? facts.map((fact) => inBox(fact, box)) : facts)
    },
    progress: (line) => performance.onProgress?.({ key: effect.key, line }),
    refused: refusedIn(effect, performance),
  }
}

/** Puts what the box of an effect refuses into the journal. */
export function refusedIn({ key }: Effect, { parts, post }: Performance): NonNullable<EffectContext['refused']> {
  return (refusal) => {
    const at = parts.clock.now()
    // A store that fails shows at the next fact of the effect, which is waited for.
    void post([{ type: 'box.refused', at, by: { role: 'runner' }, data: { key, ...refusal } }]).catch(() => undefined)
  }
}

/** What an agent or a check is started in is part of its start. */
function inBox(fact: Fact, box: BoxRecord): Fact {
  if (fact.type !== 'work.started' && fact.type !== 'check.started') return fact
  return { ...fact, data: { ...fact.data, box } } as Fact
}
