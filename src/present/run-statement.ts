import type { Event, Seq } from '../core/event.ts'
import { evolveAll } from '../loops/evolve.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { PawlError } from '../core/pawl-error.ts'
import { spentOf, totalsSoFar } from '../core/spending.ts'
import type { State } from '../core/state.ts'
import { provenanceRecords } from './provenance.ts'
import { type ReviewVoice, voiceIn } from '../loops/shared/review-voices.ts'

/** An in-toto Statement v1: what is attested, of which artifacts. */
export interface Statement {
  readonly _type: typeof STATEMENT_TYPE
  readonly subject: readonly ResourceDescriptor[]
  readonly predicateType: typeof PREDICATE_TYPE
  readonly predicate: JsonObject
}

export interface ResourceDescriptor {
  readonly name: string
  readonly digest: Readonly<Record<string, string>>
}

/** What in-toto asks for. */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'

/** What our predicate is called; another shape will have another number. */
export const PREDICATE_TYPE = 'urn:pawl:run-provenance:v1'

/** Events as a journal has them, each with the hash that covers it and all before it. */
export type HashedEvent = Event & { readonly hash: string }

/**
 * What a run's journal says about the files it left, as an in-toto Statement: the tree and the commits, and who brought them about with
 * which checks and verdicts, on what they were built. A function of the events alone, so that anybody who has them can make it again.
 */
export function runStatement(events: readonly HashedEvent[]): Statement {
  const state = evolveAll(undefined, events)
  const head = events.at(-1)
  if (!state || !head) throw new PawlError('run.unknown', 'There are no events to attest.')
  return {
    _type: STATEMENT_TYPE,
    subject: subjectsOf(events, state, head),
    predicateType: PREDICATE_TYPE,
    predicate: plain({
      run: runPart(state, head),
      journal: { seq: head.seq, hash: head.hash },
      items: itemsOf(events, state),
      agents: agentsOf(events),
      provenance: provenanceRecords(events).map(({ run: _run, ...record }) => record),
      checks: state.config.checks.map(({ settings: { name, command, review } }) => ({ name, command, review })),
      results: events.flatMap(resultOf),
      proofs: events.flatMap(proofOf),
      people: events.flatMap(personOf),
      materials: materialsOf(events, state),
    }),
  }
}

/** The newest tree and every commit; where a run has no files, its journal. */
function subjectsOf(
  events: readonly HashedEvent[],
  { run, tree, config }: State,
  head: HashedEvent,
): readonly ResourceDescriptor[] {
  const commits = events.flatMap((event) =>
    event.type === 'commit.created' && event.data.commit !== undefined
      ? [
          {
            name: `${event.data.branch}: ${event.data.item || 'the state before the run'}`,
            digest: { gitCommit: event.data.commit },
          },
        ]
      : [],
  )
  const files = tree ? [{ name: `files of ${run}`, digest: digestOf(config.workspace.name, tree.tree) }] : []
  const found = [...files, ...commits]
  return found.length > 0 ? found : [{ name: `journal of ${run}`, digest: { sha256: head.hash } }]
}

/** Only git's trees can be known by others; the hash of a plain folder is Pawl's own, and named so. */
function digestOf(workspace: string, tree: string): Readonly<Record<string, string>> {
  return workspace === 'git' ? { gitTree: tree } : { pawlFolderTree: tree }
}

function runPart(state: State, { at }: HashedEvent): object {
  const { run, config, status, startedAt, current } = state
  const { goal } = config.loop.settings
  const { activeMs: _not, ...spent } = spentOf(totalsSoFar(state))
  return {
    id: run,
    loop: config.loop.name,
    goal,
    status,
    startedAt: time(startedAt),
    at: time(at),
    iterations: current.number,
    ...spent,
  }
}

function itemsOf(events: readonly HashedEvent[], { slices: { plan } = {} }: State): readonly object[] {
  return (plan?.items ?? []).map(({ id, goal, settings }) => {
    const done = events.findLast((event) => event.type === 'item.finished' && event.data.item === id)
    const finished =
      done?.type === 'item.finished' ? { finishedSeq: done.seq, tree: done.data.tree, message: done.data.message } : {}
    return { id, description: goal, type: settings?.['type'], isDone: done !== undefined, ...finished }
  })
}

/** Everybody who worked or reviewed, once, an agent with its model. */
function agentsOf(events: readonly HashedEvent[]): readonly object[] {
  const found = new Map<string, object>()
  const roles = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'work.started') roles.set(event.data.key, event.data.role)
    for (const { name: check, agent, model, isPerson } of voiceIn(event).filter(isNamed))
      found.set(JSON.stringify([check, agent, model, isPerson]), { role: 'reviewer', check, agent, model, isPerson })
    if (event.type !== 'work.finished' && event.type !== 'work.failed') continue
    const { name: agent, model } = event.by
    const role = roles.get(event.data.key)
    found.set(JSON.stringify([role, agent, model]), { role, agent, model })
  }
  return [...found.values()]
}

function isNamed({ agent, isPerson }: ReviewVoice): boolean {
  return agent !== undefined || isPerson === true
}

function resultOf(event: HashedEvent): readonly object[] {
  switch (event.type) {
    case 'check.passed':
    case 'check.failed':
    case 'review.approved':
    case 'review.rejected': {
      const { name, tree, counts } = event.data
      const by = event.by.role === 'person' ? 'person' : undefined
      const { reviewer } = event.data
      return [{ seq: event.seq, name, result: event.type, tree, counts, by, reviewer }]
    }
    case 'check.errored':
      return [{ seq: event.seq, name: event.data.name, result: event.type }]
    default:
      return []
  }
}

/** Why the work is believed to be done: the level, what ran on which trees, and what speaks against it. */
function proofOf(event: HashedEvent): readonly object[] {
  if (event.type !== 'proof.made') return []
  const { key: _key, durationMs: _took, ...proof } = event.data
  return [{ seq: event.seq, ...proof }]
}

/** What people decided: answers, waivers, accepted work. */
function personOf(event: HashedEvent): readonly object[] {
  if (event.by.role !== 'person' || event.type === 'workspace.observed') return []
  const { choice, guard, note } = event.data as { readonly choice?: string; readonly guard?: string; readonly note?: string }
  return [{ seq: event.seq, at: time(event.at), type: event.type, choice, guard, note }]
}

function materialsOf(events: readonly HashedEvent[], { config }: State): readonly object[] {
  const first = events.find((event) => event.type === 'workspace.observed')
  if (first?.type !== 'workspace.observed') return []
  return [{ name: 'files before the run', digest: digestOf(config.workspace.name, first.data.tree) }]
}

function time(at: Seq): string {
  return new Date(at).toISOString()
}

/** What is not known is left out. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as Json as JsonObject
}
