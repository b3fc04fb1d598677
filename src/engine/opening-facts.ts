import { endOpenEffects } from './end-orphans.ts'
import { isDeepStrictEqual } from 'node:util'
import { withFacts } from '../core/advance.ts'
import type { Fact } from '../core/event.ts'
import { isEnding, isOver } from '../core/outcome.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { State } from '../core/state.ts'
import { keepVisible } from '../secrets/known-values.ts'
import { redactJson } from '../secrets/filter.ts'
import { requireKeptWhole } from '../journal/redact-facts.ts'
import type { Answer, Parts } from './parts.ts'
import { answersTo } from './person-facts.ts'

/** The first facts of taking a run up, with the answer given with it; the others follow from the run as answered. */
export async function openingFacts(
  parts: Parts,
  run: string,
  state: State | undefined,
  { answer, lastSeenAt }: { readonly answer?: Answer | undefined; readonly lastSeenAt?: number | undefined } = {},
): Promise<readonly Fact[]> {
  if (answer && !state) throw new PawlError('run.unknown', `There is no run "${run}" that could be answered.`)
  const answers = answer && state ? answersTo(state, answer, parts.clock.now()) : []
  const answered = state && withFacts(state, answers)
  return [...answers, ...(await takenUp(parts, run, answered, lastSeenAt))]
}

/** That the run began, or that it was reconfigured; nothing if it is known as it is. */
export async function configFacts({ clock, config }: Parts, run: string, state: State | undefined): Promise<readonly Fact[]> {
  if (!state) keepVisible(run)
  if (!state || !isEnding(state)) await requireKeptWhole(config, state?.run)
  const told = { at: clock.now(), by: { role: 'runner' } } as const
  if (!state) return [{ type: 'run.started', ...told, data: { config } }]
  const message = differenceOf(state.given, await redactJson(config))
  return message === undefined ? [] : [{ type: 'run.reconfigured', ...told, data: { config, message } }]
}

/**
 * That the run began; or that it was reconfigured, that another process continues it, and what became of work that was under way, also
 * where a question is open. `lastSeenAt`: when a driver that is gone was last there. A run that is stopped with nothing under way, or is
 * over, gets no new fact.
 */
async function takenUp(
  parts: Parts,
  run: string,
  state: State | undefined,
  lastSeenAt: number | undefined,
): Promise<readonly Fact[]> {
  const { clock, config } = parts
  const by = { role: 'runner' } as const
  if (state && isOver(state)) return []
  if (!state) return configFacts(parts, run, state)
  // The journal has the configuration without secrets, so it is compared without them.
  // One that only ends may have been written down before a value in it became a secret.
  const isAsWritten = isEnding(state) && differenceOf(state.given, config) === undefined
  const facts: Fact[] = isAsWritten ? [] : [...(await configFacts(parts, run, state))]
  const isGoingOn = state.status === 'running' || state.status === 'paused' || facts.length > 0
  // Others may have been at work when a person was asked; nobody else would end them, or say that they are gone.
  if (!isGoingOn && !state.current.effects.some(({ status }) => status === 'open')) return facts
  facts.push({
    type: 'run.resumed',
    at: clock.now(),
    by,
    data: {
      holder: parts.processes.self(),
      reason: `Run ${run} goes on.`,
      ...(lastSeenAt === undefined ? {} : { drivenUntil: lastSeenAt }),
    },
  })
  return [...facts, ...(await abandoned(parts, state))]
}

/** What became of the work and the reviews that were under way; what outlived its runner is ended first. */
async function abandoned({ processes, clock }: Parts, state: State): Promise<readonly Fact[]> {
  const ends = await endOpenEffects(processes, state)
  return ends.flatMap(({ effect: { key, kind, agent: name = '', tellsUsage }, message }): readonly Fact[] => {
    const lost = {
      key,
      reason: `its runner was gone${message}`,
      // Nobody was there to hear what it used.
      ...(tellsUsage ? { isUsagePartial: true as const } : {}),
    }
    const told = { at: clock.now(), by: { role: 'runner' } } as const
    if (kind === 'work') return [{ type: 'work.abandoned', ...told, data: lost }]
    return kind === 'review' ? [{ type: 'review.abandoned', ...told, data: { ...lost, name } }] : []
  })
}

/** Which parts of a configuration changed, in words; nothing when it is the same. */
export function differenceOf(before: RunConfig, after: RunConfig): string | undefined {
  const names = Object.keys(PARTS) as (keyof RunConfig)[]
  const changed = names.filter((name) => !isDeepStrictEqual(plain(before[name]), plain(after[name])))
  const words = changed.map((name) => (name === 'reloaded' ? 'pawl.yaml' : name))
  return changed.length === 0 ? undefined : `Changed: ${words.join(', ')}.`
}

/** All of them, in their recorded order. A forgotten one doesn't compile. */
const PARTS: Readonly<Record<keyof RunConfig, true>> = {
  loop: true,
  guards: true,
  agent: true,
  roles: true,
  checks: true,
  workspace: true,
  isolation: true,
  isolations: true,
  probe: true,
  sessions: true,
  codebase: true,
  protect: true,
  reloaded: true,
  proof: true,
  ownChecks: true,
  fallbacks: true,
  onLimit: true,
  experts: true,
  questioner: true,
  parent: true,
  program: true,
}

/** As the journal would give it back: without `undefined` fields. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
