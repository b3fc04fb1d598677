import { describe, expect, it } from 'vitest'
import { provenanceOf, reviewLoop } from '../loops/review/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import { checkFact, play } from '../../test/support/play.ts'
import type { Effect } from '../core/effect.ts'
import type { Event, Fact } from '../core/event.ts'
import { maxIterations } from '../guards/index.ts'
import type { Loop } from '../core/loop.ts'
import type { State } from '../core/state.ts'
import { provenanceRecords } from './provenance.ts'
import { runStatement } from './run-statement.ts'
import { treeSteps } from './workspace-lines.ts'

const CHECKS = [
  { name: 'given', v: 1, settings: { name: 'tests' } },
  { name: 'given', v: 1, settings: { name: 'review', review: 'agent' } },
]

/** The first attempt is rejected, or fails; the second is right. */
function respond(effect: Effect, state: State): readonly Fact[] | undefined {
  const { key } = effect
  const at = state.at + 1
  if (effect.kind === 'work') {
    const by = { role: 'agent', name: 'claude', model: 'opus' } as const
    const brief = { sha256: '0', bytes: 1 }
    return [
      { type: 'work.started', at, by, data: { key, iteration: effect.iteration, role: effect.role, brief } },
      { type: 'work.finished', at, by, data: { key, durationMs: 1, summary: 'Done.' } },
    ]
  }
  if (effect.kind !== 'check' || effect.iteration !== 1) return undefined
  return [checkFact(effect, state, [{ id: 'x', message: 'Say why.', kind: 'review' }])]
}

function events(loop: Loop, checks = CHECKS): readonly (Event & { readonly hash: string })[] {
  const played = play({ loop, guards: [maxIterations(9)], checks, respond })
  expect(played.state.status).toBe('completed')
  return played.events.map((event) => ({ ...event, hash: `hash-${event.seq}` }))
}

const review = () => events(reviewLoop({ items: [{ id: 'login', goal: 'Log in.', type: 'coding' }], commits: true }))
const task = () => events(taskLoop({ goal: 'Log in.' }), CHECKS.slice(0, 1))

function seen(key: string, tree: string, role: 'person' | 'runner'): Event {
  const data = { key, tree, snapshot: tree, files: [], filesChanged: 0, insertions: 0, deletions: 0 }
  return { seq: 99, run: 'played', v: 1, at: 9, type: 'workspace.observed', by: { role }, data }
}

describe('steps', () => {
  it('BLAME-8 every state of the files has who brought it about, in which role, and the verdict on it', () => {
    expect(
      treeSteps(review()).map(({ tree, by, role, agent, model, item, verdict }) => [
        tree,
        by,
        role,
        agent,
        model,
        item,
        verdict?.word,
      ]),
    ).toEqual([
      ['tree-0', 'before', undefined, undefined, undefined, undefined, undefined],
      ['tree-1', 'agent', 'coder:coder_a', 'claude', 'opus', 'login', 'REWORK'],
      ['tree-2', 'agent', 'coder:coder_a', 'claude', 'opus', 'login', 'APPROVE, tests passed'],
    ])
    expect(treeSteps(task()).map(({ by, verdict }) => [by, verdict?.word])).toEqual([
      ['before', undefined],
      ['agent', '1 failing'],
      ['agent', 'passed'],
    ])
  })

  it('BLAME-9 what a person changed in the middle of a run is theirs, and a look that finds nothing is no step', () => {
    const steps = treeSteps([...task(), seen('2/person/98', 'tree-2', 'runner'), seen('2/person/99', 'mine', 'person')])
    expect(steps.slice(2).map(({ by, tree, agent, verdict }) => [by, tree, agent, verdict?.word])).toEqual([
      ['agent', 'tree-2', 'claude', 'passed'],
      ['person', 'mine', undefined, undefined],
    ])
  })
})

describe('records', () => {
  it('PROV-1 of a review are its assignments, its passes and the verdicts on them, each pass with its verdicts by reference', () => {
    const records = provenanceRecords(review())
    const places = new Map(records.map((record) => [record.seq, record]))
    expect(records.map(({ kind, iteration }) => `${kind} ${iteration}`)).toEqual([
      'assignment 1',
      'output 1',
      'verdict 1',
      'assignment 2',
      'output 2',
      'verdict 2',
      'verdict 2',
    ])
    const outputs = records.flatMap((record) => (record.kind === 'output' ? [record] : []))
    expect(outputs[0]).toMatchObject({ item: 'login', coder: 'coder_a', agent: 'claude', model: 'opus', summary: 'Done.' })
    expect(outputs.map(({ verdicts }) => verdicts.map((seq) => places.get(seq)))).toMatchObject([
      [{ from: 'review', verdict: 'REWORK', route: 'CODING', of: outputs[0]?.seq }],
      [
        { from: 'review', verdict: 'APPROVE' },
        { from: 'tests', verdict: 'passed' },
      ],
    ])
  })

  it('PROV-1 the verdict on a plan is that of the contract it has to keep', () => {
    const by = { role: 'agent' } as const
    const planned = play({
      loop: reviewLoop({ goal: 'Log in.' }),
      guards: [],
      checks: CHECKS,
      respond: ({ kind, key, iteration }, { at, slices: { review: progress } = {} }) =>
        kind === 'work' && iteration === 0
          ? [
              {
                type: 'plan.proposed',
                at,
                by,
                data: { key, items: progress?.plannings?.inAll === 2 ? [{ id: 'a', goal: 'a' }] : [] },
              },
              { type: 'work.finished', at, by, data: { key, durationMs: 1 } },
            ]
          : undefined,
    })
    expect(provenanceRecords(planned.events).slice(0, 6)).toMatchObject([
      { kind: 'assignment', role: 'planner' },
      { kind: 'output', role: 'planner', verdicts: [expect.any(Number)] },
      { kind: 'verdict', from: 'contract', verdict: 'refused: todo_items_empty' },
      { kind: 'assignment', trigger: 'replan' },
      { kind: 'output', role: 'planner', verdicts: [expect.any(Number)] },
      { kind: 'verdict', from: 'contract', verdict: 'accepted' },
    ])
  })

  it('PROV-2 of other loops are what the agent did, with the verdict of the checks', () => {
    expect(provenanceRecords(task())).toMatchObject([
      { kind: 'output', iteration: 1, role: 'coder', agent: 'claude' },
      { kind: 'verdict', from: 'checks', verdict: 'failed' },
      { kind: 'output', iteration: 2, verdicts: [expect.any(Number)] },
      { kind: 'verdict', verdict: 'passed' },
    ])
  })
})

describe('a statement', () => {
  it('PROV-3 has the shape of an in-toto Statement v1: subjects with digests, a type, a predicate', () => {
    const { _type, subject, predicateType, predicate } = runStatement(review())
    expect(_type).toBe('https://in-toto.io/Statement/v1')
    expect(() => new URL(predicateType)).not.toThrow()
    expect(subject).toEqual([
      { name: 'files of played', digest: { pawlFolderTree: 'tree-2' } },
      { name: 'pawl/played: login', digest: { gitCommit: 'commit-2' } },
    ])
    expect(new Set(subject.map(({ name }) => name)).size).toBe(subject.length)
    expect(predicate).toMatchObject({
      run: { id: 'played', loop: 'review', status: 'completed' },
      journal: { hash: expect.stringMatching(/^hash-/) },
      items: [{ id: 'login', description: 'Log in.', type: 'coding', isDone: true, tree: 'tree-2' }],
      agents: [{ role: 'coder:coder_a', agent: 'claude', model: 'opus' }],
      checks: [{ name: 'tests' }, { name: 'review', review: 'agent' }],
      materials: [{ digest: { pawlFolderTree: 'tree-0' } }],
    })
    expect((predicate['results'] as { result: string }[]).map(({ result }) => result)).toEqual([
      'review.rejected',
      'review.approved',
      'check.passed',
    ])
  })

  it('PROV-10 says what the run used as far as reported, and that it was more', () => {
    const silent = task()
    expect(runStatement(silent).predicate['run']).not.toHaveProperty('costUsd')
    const withUse = (use: object) =>
      runStatement(
        silent.map((event) =>
          event.type === 'work.finished' ? ({ ...event, data: { ...event.data, ...use } } as typeof event) : event,
        ),
      ).predicate['run']
    expect(withUse({ costUsd: 0.5, tokens: 7 })).toMatchObject({ costUsd: 1, tokens: 14 })
    expect(withUse({ costUsd: 0.5, tokens: 7 })).not.toHaveProperty('isCostPartial')
    const partly = { costUsd: 1, isCostPartial: true, tokens: 14, areTokensPartial: true }
    expect(withUse({ costUsd: 0.5, tokens: 7, isUsagePartial: true })).toMatchObject(partly)
  })

  it('PROV-4 is a function of the events: made again it is the same', () => {
    expect(runStatement(task())).toEqual(runStatement(task()))
    expect(JSON.parse(JSON.stringify(runStatement(task())))).toEqual(runStatement(task()))
  })

  it('REVIEW-109 names the reviewer with agent and model, and a person who accepted despite a finding', () => {
    const asked = play({
      loop: reviewLoop({ items: [{ id: 'login', goal: 'Log in.' }] }),
      guards: [],
      checks: CHECKS,
      respond: (effect, state) => {
        if (effect.kind !== 'check' || !effect.review) return undefined
        const finding = { id: 'x', message: 'The key is logged.', kind: 'review', severity: 'security' } as const
        const fact = checkFact(effect, state, [finding]) as Fact<'review.rejected'>
        return [{ ...fact, data: { ...fact.data, reviewer: { agent: 'critic', model: 'm1' } } }]
      },
    })
    const by = { role: 'person' } as const
    const done = asked.on({ type: 'escalation.answered', at: 0, by, data: { choice: 'accept', note: 'A test key.' } })
    const records = provenanceRecords(done.events)
    const reviewers = [{ name: 'review', agent: 'critic', model: 'm1', verdict: 'rejected' }]
    const output = records.findLast(({ kind }) => kind === 'output')
    expect(records.findLast((record) => record.kind === 'verdict' && record.from === 'review')).toMatchObject({ reviewers })
    const despite = expect.stringContaining('The key is logged.')
    expect(records.at(-1)).toMatchObject({ from: 'person', verdict: 'accepted', note: 'A test key.', despite, of: output?.seq })
    expect(provenanceOf(done.events).outputs.at(-1)).toMatchObject({ reviewers, accepted: { note: 'A test key.', despite } })
    const { predicate } = runStatement(done.events.map((event) => ({ ...event, hash: 'h' })))
    expect(predicate['agents']).toContainEqual({ role: 'reviewer', check: 'review', agent: 'critic', model: 'm1' })
    expect(predicate['people']).toMatchObject([{ choice: 'accept', note: 'A test key.' }])
  })
})
