import { describe, expect, it } from 'vitest'
import { advance } from '../../core/advance.ts'
import { memoizedDefinition } from '../../core/definition.ts'
import type { Effect } from '../../core/effect.ts'
import type { Event, EventType, Fact } from '../../core/event.ts'
import { evolveAll } from '../evolve.ts'
import type { Failure, ReviewSeverity } from '../../core/failure.ts'
import type { Guard } from '../../core/guard.ts'
import { budget, guardFrom, maxIterations, tampering } from '../../guards/index.ts'
import { LESSONS_MAX } from './progress.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { checkFact, play, proofFact, usual } from '../../../test/support/play.ts'
import { type ExtraRules, provenanceOf, reviewLoop, type ReviewSettings } from './index.ts'

/** One iteration: what the coder does, what the reviewer asks for, and what the tests say. */
interface Pass {
  readonly says?: string
  /** What the reviewer wants fixed; nothing is an approval. */
  readonly asks?: readonly string[]
  /** How much that weighs; default major. */
  readonly severity?: ReviewSeverity
  readonly tests?: readonly string[] | 'environment' | 'environment-failure' | 'config' | 'missing'
  readonly like?: number
  readonly isUnchanged?: true
  /** A repair changes files of the project too; otherwise it changes none. */
  readonly edits?: true
  readonly fails?: 'agent' | 'config'
  readonly reviewer?: 'environment'
  readonly costUsd?: number
  readonly suspicious?: true
  /** What the proof comes to; default red-to-green. */
  readonly proof?: Partial<Event<'proof.made'>['data']>
  /** What the tests leave behind: the same each time they run, something else in the same file, or another file. */
  readonly writes?: 'once' | 'always' | 'elsewhere'
}

const fine: Pass = {}
const wish: Pass = { asks: ['Handle the empty list.'] }

const ITEMS = [
  { id: 'login', goal: 'Users can log in.' },
  { id: 'docs', goal: 'The docs say how.', type: 'documentation' },
]
const CHECKS: readonly PartSpec[] = [
  { name: 'given', v: 1, settings: { name: 'tests' } },
  { name: 'given', v: 1, settings: { name: 'review', review: 'agent' } },
]

interface Given {
  readonly config?: Partial<RunConfig>
  readonly settings?: Partial<ReviewSettings>
  readonly guards?: readonly Guard[]
  readonly checks?: readonly PartSpec[]
  readonly rules?: ExtraRules
}

/** Given these passes, the last of them again and again, when the loop runs, then … */
function when(
  passes: readonly Pass[],
  { settings = {}, guards = [maxIterations(20)], checks = CHECKS, rules = {}, config = {} }: Given = {},
) {
  const briefs: string[] = []
  const reviewBriefs: string[] = []
  const roles: string[] = []
  const respond = (effect: Effect, state: State): readonly Fact[] | undefined => {
    const pass = passes[Math.min(effect.iteration, passes.length) - 1] ?? fine
    if (effect.kind === 'work') {
      briefs.push(effect.brief)
      roles.push(effect.role)
    }
    if (effect.kind === 'check' && effect.review) reviewBriefs.push(effect.review.brief)
    return answerTo(effect, state, pass)
  }
  const items = settings.items ?? ITEMS.slice(0, 1)
  const loop = reviewLoop({ ...settings, items }, { rules })
  const played = play({ loop, guards, checks, config, respond })
  return { ...played, ...seen(played.events), briefs, reviewBriefs, roles }
}

function seen(events: readonly Event[]) {
  return {
    decisions: eventsOf(events, 'decision.made').map(({ data }) => data.action),
    messages: eventsOf(events, 'decision.made').map(({ data }) => data.message),
    routes: eventsOf(events, 'pass.judged').map(({ data }) => data.route),
    outcomes: eventsOf(events, 'tests.judged').map(({ data }) => data.outcome),
  }
}

function answerTo(effect: Effect, state: State, pass: Pass): readonly Fact[] | undefined {
  const at = state.at + 1
  const { key } = effect
  if (effect.kind === 'work') {
    const { says, fails, costUsd = 0 } = pass
    if (fails) {
      const data = { key, reason: 'failed', fault: fails, message: 'No such model.', durationMs: 1 } as const
      return [{ type: 'work.failed', at, by: { role: 'agent' }, data }]
    }
    const data = { key, durationMs: 1, costUsd, ...(says === undefined ? {} : { summary: says }) }
    return [{ type: 'work.finished', at, by: { role: 'agent', name: 'claude', model: 'm1' }, data }]
  }
  if (effect.kind === 'observe') return observation(effect, state, pass)
  if (effect.kind === 'prove') return [proofFact(effect, state, pass.proof)]
  if (effect.kind !== 'check') return undefined
  if (effect.review) return [reviewFact(effect, state, pass)]
  return [testFact(effect, state, pass)]
}

function observation(
  effect: Effect & { kind: 'observe' },
  state: State,
  { like, isUnchanged, suspicious, edits, writes }: Pass,
): readonly Fact[] {
  if (effect.by === 'checks' && writes) {
    const tree = writes === 'once' ? `${effect.iteration}-formatted` : `after-${effect.key}`
    const isSame = tree === state.tree?.tree
    const path = writes === 'elsewhere' ? tree : 'report.txt'
    const files = isSame ? [] : [{ path, change: 'modified' as const }]
    const data = { key: effect.key, tree, snapshot: tree, files, filesChanged: files.length, insertions: 0, deletions: 0 }
    return [{ type: 'workspace.observed', at: state.at + 1, by: { role: isSame ? 'runner' : 'check' }, data }]
  }
  const isKept = isUnchanged || (state.slices?.review?.assigned?.role === 'repairer' && !edits)
  return usual(effect, state).map((fact) => {
    if (fact.type !== 'workspace.observed' || effect.iteration === 0) return fact
    const same = { tree: state.tree?.tree ?? '', snapshot: state.tree?.snapshot ?? '', files: [], filesChanged: 0 }
    const likeness = like === undefined ? {} : { likeness: { lines: 0, linesDiffering: 99, characters: like } }
    const suspicions = suspicious ? { suspicions: [{ kind: 'skipped', file: 'a.test.ts', line: 1, text: 'it.skip()' }] } : {}
    return { ...fact, data: { ...fact.data, ...(isKept ? same : {}), ...likeness, ...suspicions } } as Fact
  })
}

function reviewFact(effect: Effect & { kind: 'check' }, state: State, { asks = [], severity = 'major', reviewer }: Pass): Fact {
  if (reviewer) return erroredFact(effect, state, 'environment')
  const notes = asks.map((message): Failure => ({ id: `review: ${message}`, kind: 'review', severity, message }))
  return checkFact(effect, state, notes)
}

function testFact(effect: Effect & { kind: 'check' }, state: State, { tests = [] }: Pass): Fact {
  if (tests === 'missing') {
    const fact = erroredFact(effect, state, 'config') as Fact<'check.errored'>
    return { ...fact, data: { ...fact.data, isProgramMissing: true } }
  }
  if (tests === 'environment' || tests === 'config') return erroredFact(effect, state, tests)
  const failing = tests === 'environment-failure' ? ['database'] : tests
  const kind = tests === 'environment-failure' ? 'environment' : 'assertion'
  return checkFact(
    effect,
    state,
    failing.map((id): Failure => ({ id, message: `${id} is wrong`, kind })),
  )
}

function erroredFact({ key, name }: Effect & { kind: 'check' }, state: State, fault: 'environment' | 'config'): Fact {
  const data = { key, name, fault, message: 'No database.', fix: 'Start it.', durationMs: 1 }
  return { type: 'check.errored', at: state.at + 1, by: { role: 'check', name }, data }
}

/** A word of its own for each number. */
function word(index: number): string {
  return String.fromCodePoint(97 + index).repeat(5)
}

function eventsOf<Type extends EventType>(events: readonly Event[], type: Type): readonly Event<Type>[] {
  return events.filter((event) => event.type === type) as unknown as readonly Event<Type>[]
}

function answer(choice: string, note?: string): Fact {
  return { type: 'escalation.answered', at: 0, by: { role: 'person' }, data: { choice, ...(note === undefined ? {} : { note }) } }
}

describe('the review loop decides', () => {
  type Row = [rule: string, passes: readonly Pass[], routes: string, outcomes: string, decisions: string, status: string]
  const redTests: Pass = { asks: ['No.'], tests: ['sum'] }

  it.each<Row>([
    ['REVIEW-20 approved work whose tests pass is done', [fine], 'APPROVE', 'passed', 'proceed', 'completed'],
    [
      'REVIEW-21 approved work whose tests fail goes back to the coder',
      [{ tests: ['sum'] }, fine],
      'APPROVE APPROVE',
      'failed passed',
      'retry proceed',
      'completed',
    ],
    [
      'REVIEW-22 the first rework goes to the coder without tests',
      [wish, fine],
      'CODING APPROVE',
      'passed',
      'retry proceed',
      'completed',
    ],
    [
      'REVIEW-23 from the second rework on passing tests end the item',
      [wish, wish],
      'CODING REWORK_VIA_TESTER',
      'passed',
      'retry proceed',
      'completed',
    ],
    [
      'REVIEW-24 work that no longer moves goes to the tester, who ends it',
      [wish, { ...wish, like: 0.98 }],
      'CODING ESCALATE_CONVERGENCE',
      'passed',
      'retry proceed',
      'completed',
    ],
    [
      'REVIEW-24 a pass that changes nothing of what is there is the same work',
      [wish, { ...wish, isUnchanged: true, says: 'It is right as it is.' }],
      'CODING ESCALATE_CONVERGENCE',
      'passed',
      'retry proceed',
      'completed',
    ],
    [
      'REVIEW-25 an empty diff never converges',
      [
        { ...wish, isUnchanged: true, says: 'a' },
        { ...wish, isUnchanged: true, says: 'b' },
      ],
      'CODING REWORK_VIA_TESTER',
      'passed',
      'retry escalate',
      'escalated',
    ],
    [
      'REVIEW-26 at the ceiling of rework the tester decides',
      [wish, redTests, { ...wish, like: 1 }],
      'CODING REWORK_VIA_TESTER ESCALATE_TESTING',
      'failed passed',
      'retry retry proceed',
      'completed',
    ],
    [
      'REVIEW-27 the third failure of the tests asks a person',
      [redTests],
      'CODING REWORK_VIA_TESTER ESCALATE_TESTING ESCALATE_TESTING',
      'failed failed failed',
      'retry retry retry escalate',
      'escalated',
    ],
    [
      'REVIEW-28 an environment in which tests cannot run is repaired and tested again, without another review',
      [{ tests: 'environment' }, fine],
      'APPROVE',
      'environment passed',
      'retry proceed',
      'completed',
    ],
    [
      'REVIEW-28 a failure of the environment counts as one, not as a failed test',
      [{ tests: 'environment-failure' }, fine],
      'APPROVE',
      'environment passed',
      'retry proceed',
      'completed',
    ],
    [
      'REVIEW-114 a check whose own program is missing is repaired like any environment',
      [{ tests: 'missing' }, fine],
      'APPROVE',
      'environment passed',
      'retry proceed',
      'completed',
    ],
    [
      'REVIEW-114 and asked about after two repairs',
      [{ tests: 'missing' }],
      'APPROVE',
      'environment environment environment',
      'retry retry escalate',
      'escalated',
    ],
    [
      'REVIEW-29 after two repairs a person is asked',
      [{ tests: 'environment' }],
      'APPROVE',
      'environment environment environment',
      'retry retry escalate',
      'escalated',
    ],
    [
      'REVIEW-29 after two repairs of what failed a person is asked',
      [{ tests: 'environment-failure' }],
      'APPROVE',
      'environment environment environment',
      'retry retry escalate',
      'escalated',
    ],
    [
      'REVIEW-30 tests that are set up wrongly are asked about at once',
      [{ tests: 'config' }],
      'APPROVE',
      '',
      'escalate',
      'escalated',
    ],
    ['REVIEW-31 a coder that fails ends the run', [{ fails: 'agent' }], '', '', 'stop', 'stopped'],
    ['REVIEW-31 a model that is not there ends the run', [{ fails: 'config' }], '', '', 'stop', 'stopped'],
    ['REVIEW-31 a reviewer that cannot work ends the run', [{ reviewer: 'environment' }], '', '', 'stop', 'stopped'],
    ['REVIEW-32 a coder that neither says nor changes anything ends the run', [{ isUnchanged: true }], '', '', 'stop', 'stopped'],
    ['REVIEW-32 rework without a word ends the run', [{ asks: [' '] }], '', '', 'stop', 'stopped'],
  ])('%s', (_rule, passes, routes, outcomes, decisions, status) => {
    const played = when(passes)
    expect([played.routes.join(' '), played.outcomes.join(' '), played.decisions.join(' '), played.state.status]).toEqual([
      routes,
      outcomes,
      decisions,
      status,
    ])
  })

  it('REVIEW-33 limits come after success, the budget stops and other guards ask', () => {
    const costly = { ...wish, costUsd: 2 }
    expect(when([costly], { guards: [budget({ costUsdMax: 1 })] })).toMatchObject({ decisions: ['stop'] })
    expect(when([costly], { guards: [maxIterations(1)] })).toMatchObject({ decisions: ['escalate'] })
    expect(when([{ costUsd: 2 }], { guards: [budget({ costUsdMax: 1 })] })).toMatchObject({ decisions: ['proceed'] })
    expect(when([costly, fine], { guards: [budget({ costUsdMax: 0 })] })).toMatchObject({ decisions: ['retry', 'proceed'] })
  })

  it('REVIEW-33 a soft limit only warns', () => {
    const { events, decisions } = when([{ ...wish, costUsd: 0.9 }, fine], { guards: [budget({ costUsdMax: 1 })] })
    expect(decisions).toEqual(['retry', 'proceed'])
    expect(eventsOf(events, 'budget.warned')).toHaveLength(1)
  })

  it('REVIEW-33 a limit that tripped in a pass that failed is lifted by the answer that lets it go on', () => {
    const stopped = when([{ fails: 'agent' }, fine], { guards: [maxIterations(1)] })
    expect(stopped.decisions).toEqual(['stop'])
    const { state, events } = stopped.on(answer('continue'))
    expect(state.status).toBe('completed')
    expect(eventsOf(events, 'run.reconfigured')).toHaveLength(1)
  })

  it('REVIEW-34 a pass that the coder brought about by editing its tests is asked about', () => {
    const { decisions, messages } = when([{ suspicious: true }], { guards: [tampering()] })
    expect(decisions).toEqual(['escalate'])
    expect(messages[0]).toContain("isn't believable")
  })
})

describe('a proof', () => {
  const unproven = { level: 'unproven' } as const
  const quiet: Pass = { isUnchanged: true, says: 'It is right as it is.' }
  const found = { code: 'old-tests-fail', check: 'tests', tests: ['sum'], count: 1 } as const

  type Row = [rule: string, passes: readonly Pass[], decisions: string, question: string | undefined]
  it.each<Row>([
    [
      'REVIEW-116 tests that prove nothing about the item overrule nobody at the second rework',
      [wish, { ...wish, proof: unproven }],
      'retry escalate',
      'review.rejected',
    ],
    [
      'REVIEW-116 nor do tests of the coder’s own',
      [wish, { ...wish, proof: { level: 'self-tested' } }],
      'retry escalate',
      'review.rejected',
    ],
    [
      'REVIEW-116 nor when the coder no longer moves',
      [wish, { ...wish, like: 1, proof: unproven }],
      'retry escalate',
      'review.rejected',
    ],
    [
      'REVIEW-116 nor at the ceiling',
      [wish, { ...wish, tests: ['sum'] }, { ...wish, proof: unproven }],
      'retry retry escalate',
      'review.rejected',
    ],
    [
      'REVIEW-116 nor after a repair of the environment',
      [wish, { ...wish, tests: 'environment' }, { proof: unproven }],
      'retry retry escalate',
      'review.rejected',
    ],
    ['REVIEW-117 an approval counts where the tests tell nothing', [{ proof: unproven }], 'proceed', undefined],
    [
      'REVIEW-117 also after a repair that changed nothing',
      [{ tests: 'environment' }, { proof: unproven }],
      'retry proceed',
      undefined,
    ],
    [
      'REVIEW-117 what speaks against a pass is asked about, approved or not',
      [{ proof: { findings: [found] } }],
      'escalate',
      'refuted',
    ],
    [
      'REVIEW-117 tests that fail in a fresh copy have failed',
      [{ proof: { findings: [{ ...found, code: 'fails-in-room' }] } }, fine],
      'retry proceed',
      undefined,
    ],
    ['REVIEW-118 an item for which nothing was changed is asked about', [quiet], 'escalate', 'nothing-changed'],
    [
      'REVIEW-118 also where the tests wrote files',
      [{ ...quiet, writes: 'once', proof: unproven }],
      'escalate',
      'nothing-changed',
    ],
    [
      'REVIEW-119 what tests wrote after the approval is reviewed once more',
      [{ proof: unproven, writes: 'once' }],
      'proceed',
      undefined,
    ],
    [
      'REVIEW-119 what they write into the same files again is theirs',
      [{ proof: unproven, writes: 'always' }],
      'proceed',
      undefined,
    ],
    ['REVIEW-119 other files are asked about', [{ proof: unproven, writes: 'elsewhere' }], 'escalate', 'unproven'],
    ['REVIEW-119 but a proof by tests needs no other review', [{ writes: 'always' }], 'proceed', undefined],
  ])('%s', (_rule, passes, decisions, question) => {
    const { decisions: made, state } = when(passes)
    expect([made.join(' '), state.question?.question.code]).toEqual([decisions, question])
  })

  it('REVIEW-116 a person may accept what the reviewer would send back, or have it fixed', () => {
    const asked = when([wish, { ...wish, proof: unproven }, fine])
    expect(asked.state.question?.question.text).toContain('- major: Handle the empty list.')
    expect(asked.on(answer('accept')).state.status).toBe('completed')
    expect(asked.on(answer('continue')).state.status).toBe('completed')
    expect(asked.briefs[2]).toContain('Handle the empty list.')
  })

  it.each<[level: string, pass: Pass, words: string]>([
    ['red-to-green', { proof: { turned: ['sum'] } }, '1 test failed before and passes now.'],
    ['self-tested', { proof: { level: 'self-tested', changedTests: ['a.test.ts'], changedTestsCount: 1 } }, 'a.test.ts'],
    ['reviewed', { proof: unproven }, 'Reviewed and approved by review.'],
  ])('REVIEW-117 the decision says its level: %s', (level, pass, words) => {
    const decision = eventsOf(when([pass]).events, 'decision.made').at(-1)
    expect(decision?.data).toMatchObject({ message: expect.stringContaining(words), says: { values: { level } } })
  })

  it('REVIEW-117 every item is proven from its own start', () => {
    const { events } = when([fine, fine], { settings: { items: ITEMS } })
    const proofs = eventsOf(events, 'proof.made').map(({ data }) => [data.start, data.tree])
    expect(proofs).toEqual([
      ['tree-0', 'tree-1'],
      ['tree-1', 'tree-2'],
    ])
  })

  it('REVIEW-117 `require_proof` asks about a weaker one, and `unproven` takes all', () => {
    const strict = when([{ proof: { level: 'self-tested' } }], { config: { proof: { require: 'red-to-green' } } })
    expect(strict.state.question?.question.code).toBe('unproven')
    expect(when([quiet], { config: { proof: { require: 'unproven' } } }).decisions).toEqual(['proceed'])
  })

  it('REVIEW-118 a person who approved it saw that nothing was changed, and is not asked again', () => {
    const checks = [...CHECKS, { name: 'given', v: 1, settings: { name: 'boss', review: 'person' } }]
    expect(when([quiet], { checks }).on(answer('approve')).state.status).toBe('completed')
  })

  it('REVIEW-119 both reviews of the pass are on record, and it counts once', () => {
    const { events } = when([{ proof: unproven, writes: 'once' }])
    expect(eventsOf(events, 'review.approved').map(({ data }) => data.tree)).toEqual(['tree-1', '1-formatted'])
    expect(eventsOf(events, 'pass.recorded')).toHaveLength(1)
  })

  it('REVIEW-76 a person who rejected is not overruled after a repair either', () => {
    const checks = [...CHECKS, { name: 'given', v: 1, settings: { name: 'boss', review: 'person' } }]
    const passes: Pass[] = [fine, { tests: 'environment' }, fine]
    const twice = when(passes, { checks }).on(answer('reject', 'No.')).on(answer('reject', 'Still not.'))
    expect(seen(twice.events)).toMatchObject({ routes: ['CODING', 'REWORK_VIA_TESTER'] })
    expect(seen(twice.events).decisions).toEqual(['wait', 'retry', 'retry', 'wait', 'retry', 'wait'])
  })
})

describe('what concerns security', () => {
  const unsafe: Pass = { asks: ['The password is logged.'], severity: 'security' }

  it.each<[what: string, passes: readonly Pass[], decisions: string]>([
    ['at the second rework', [unsafe, unsafe], 'retry escalate'],
    ['at the ceiling', [unsafe, { ...unsafe, tests: ['sum'] }, unsafe], 'retry retry escalate'],
    ['when the coder no longer moves', [unsafe, { ...unsafe, like: 1 }], 'retry escalate'],
    ['where it is critical', [wish, { ...wish, severity: 'critical' }], 'retry escalate'],
    ['after a repair', [unsafe, { ...unsafe, tests: 'environment' }, fine], 'retry retry escalate'],
    ['but not once the reviewer finds it mended', [unsafe, { ...unsafe, tests: ['sum'] }, wish], 'retry retry proceed'],
  ])('REVIEW-35 is not overruled by passing tests without a person, %s', (_what, passes, decisions) => {
    const played = when(passes)
    expect(played.decisions.join(' ')).toBe(decisions)
  })

  it('REVIEW-35 a person may accept it, or have it fixed: then it is reviewed again', () => {
    const asked = when([unsafe, unsafe, fine])
    expect(asked.state.question?.question.text).toContain('- security: The password is logged.')
    expect(asked.on(answer('accept')).state.status).toBe('completed')
    const mended = asked.on(answer('continue'))
    expect(mended.state.status).toBe('completed')
    expect(asked.briefs[2]).toContain('security: The password is logged.')
    expect(seen(mended.events).routes.at(-1)).toBe('APPROVE')
  })

  it('REVIEW-36 is overruled where that is set', () => {
    expect(when([unsafe, unsafe], { settings: { testerOverrulesSecurity: true } }).decisions).toEqual(['retry', 'proceed'])
  })
})

describe('contracts in a run', () => {
  it.each<[rule: string, settings: Partial<ReviewSettings>, contract: string, broken: string]>([
    ['REVIEW-40 a plan without items', { items: [] }, 'planner_to_coder', 'todo_items_empty'],
    [
      'REVIEW-40 an item without a description',
      { items: [{ id: 'a', goal: '' }] },
      'planner_to_coder',
      'current_item_empty_description',
    ],
    ['REVIEW-40 an unknown type', { items: [{ id: 'a', goal: 'a', type: 'x' }] }, 'planner_to_coder', 'invalid_task_type'],
  ])('%s ends the run before anybody works, with the contract and the rule named', (_rule, settings, contract, broken) => {
    const { events, roles, state } = when([fine], { settings })
    expect(roles).toEqual([])
    expect(eventsOf(events, 'handoff.refused')[0]?.data).toMatchObject({ contract, rule: broken })
    expect(state).toMatchObject({
      status: 'stopped',
      message: expect.stringMatching(`^validation_failed:${contract}: .*${broken}`),
    })
  })

  it('REVIEW-41 without a test nothing can be decided', () => {
    const { state } = when([fine], { checks: CHECKS.slice(1) })
    expect(state).toMatchObject({ status: 'stopped', message: expect.stringMatching('^validation_failed:tester_to_decide: ') })
  })

  it('REVIEW-41 without a reviewer nothing is handed on', () => {
    const { state } = when([fine], { checks: CHECKS.slice(0, 1) })
    expect(state).toMatchObject({
      status: 'stopped',
      message: expect.stringMatching('^validation_failed:peer_review_to_learn: '),
    })
  })

  it('REVIEW-42 every handoff that holds is on record, in order', () => {
    expect(eventsOf(when([fine]).events, 'handoff.accepted').map(({ data }) => data.contract)).toEqual([
      'planner_to_coder',
      'coder_to_peer_review',
      'peer_review_to_learn',
      'tester_to_decide',
    ])
  })

  it('REVIEW-43 what is fixed can be tried again, and the contract is looked at again', () => {
    const stopped = when([{ isUnchanged: true }, fine])
    expect(stopped.on(answer('continue')).state.status).toBe('completed')
    const unmended = when([fine], { settings: { items: [] } }).on(answer('continue'))
    expect(eventsOf(unmended.events, 'handoff.refused')).toHaveLength(2)
    expect(unmended.state.status).toBe('stopped')
  })

  it('REVIEW-44 a rule of a user refuses like the others, and a run that has it needs it', () => {
    const rules: ExtraRules = {
      testerToDecide: [{ rule: 'two_suites', holds: ({ results }) => results.length > 1, message: 'Two suites are needed.' }],
    }
    const { state, events } = when([fine], { rules })
    expect(state.message).toBe('validation_failed:tester_to_decide: Two suites are needed. (rule two_suites)')
    const settings = eventsOf(events, 'run.started')[0]?.data.config.loop.settings
    expect(settings?.['contractRules']).toEqual(['tester_to_decide:two_suites'])
    expect(() => reviewLoop(settings as unknown as ReviewSettings)).toThrow('resume it with that program')
    expect(() => reviewLoop(settings as unknown as ReviewSettings, { rules })).not.toThrow()
  })
})

describe('roles and provenance', () => {
  const three = ['a', 'b', 'c'].map((id) => ({ id, goal: `Do ${id}.` }))

  it('REVIEW-50 coders take turns item by item, and rework stays with the same one', () => {
    const { roles, events } = when([wish, fine, fine, fine], { settings: { items: three } })
    expect(roles).toEqual(['coder:coder_a', 'coder:coder_a', 'coder:coder_b', 'coder:coder_a'])
    expect(eventsOf(events, 'role.assigned').map(({ data: { trigger, from, to } }) => [trigger, from, to])).toEqual([
      ['item_start', undefined, 'coder_a'],
      ['rework', 'coder_a', 'coder_a'],
      ['item_advance', 'coder_a', 'coder_b'],
      ['item_advance', 'coder_b', 'coder_a'],
    ])
  })

  it('REVIEW-51 where it is asked for, rework goes to the next coder, of any number', () => {
    const settings = { alternatesOnRework: true, coders: ['x', 'y', 'z'] }
    expect(when([wish, { ...wish, tests: ['sum'] }, { ...wish, tests: ['sum'] }, fine], { settings }).roles).toEqual([
      'coder:x',
      'coder:y',
      'coder:z',
      'coder:x',
    ])
  })

  it('REVIEW-52 a repair is on record as one and leaves the turns as they were', () => {
    const { roles, events } = when([{ tests: 'environment' }, fine, fine], { settings: { items: three.slice(0, 2) } })
    expect(roles).toEqual(['coder:coder_a', 'repairer', 'coder:coder_b'])
    const repair = eventsOf(events, 'role.assigned')[1]
    expect(repair?.data).toMatchObject({ trigger: 'repair', from: 'coder_a', to: 'repairer' })
    expect(repair?.data.reason).toContain('No database.')
  })

  it('REVIEW-53 every pass is on record once, with its verdict as a later fact that points to it', () => {
    const long = 'x'.repeat(400)
    const { events } = when([{ ...wish, says: long }, { ...wish, like: 0.99 }, fine], { settings: { items: three.slice(0, 2) } })
    const { outputs, decisions } = provenanceOf(events)
    expect(
      outputs.map(({ item, iteration, coder, reworkCycle, verdict }) => [item, iteration, coder, reworkCycle, verdict]),
    ).toEqual([
      ['a', 1, 'coder_a', 0, 'REWORK'],
      ['a', 2, 'coder_a', 1, 'ESCALATE_CONVERGENCE'],
      ['b', 3, 'coder_b', 0, 'APPROVE'],
    ])
    expect(outputs[0]?.summary).toHaveLength(300)
    expect(outputs[0]).toMatchObject({ agent: 'claude', model: 'm1', seq: expect.any(Number), at: expect.any(Number) })
    expect(outputs.every(({ seq, verdictSeq }) => verdictSeq !== undefined && verdictSeq > seq)).toBe(true)
    expect(decisions).toHaveLength(3)
  })

  it('REVIEW-54 convergence is reported by its name', () => {
    const { events, messages } = when([wish, { ...wish, like: 1 }])
    expect(eventsOf(events, 'pass.judged')[1]?.data).toMatchObject({ convergenceDetected: true, similarity: 1, reworkCycle: 2 })
    expect(messages[1]).toContain('convergence_detected')
  })

  it('REVIEW-55 the counts begin again with every item', () => {
    const { routes } = when([wish, wish, wish, wish], { settings: { items: three.slice(0, 2) } })
    expect(routes).toEqual(['CODING', 'REWORK_VIA_TESTER', 'CODING', 'REWORK_VIA_TESTER'])
  })

  it('REVIEW-56 the state is a fold of the journal: folded again it is the same', () => {
    const { events, state } = when([wish, { tests: 'environment' }, { tests: ['sum'] }, fine], { settings: { items: three } })
    expect(evolveAll(undefined, events)).toEqual(state)
  })
})

describe('the committer', () => {
  const settings = { items: ITEMS, commits: true }

  it('REVIEW-57 commits every finished item before it is finished, on a branch of its own, where asked', () => {
    const { events } = when([wish, fine, fine], { settings })
    const kinds = new Set(['iteration.started', 'commit.created', 'item.finished', 'run.completed'])
    const told = events.filter(({ type }) => kinds.has(type)).map(({ type }) => type)
    expect(told[0]).toBe('commit.created')
    expect(told.slice(1).filter((type) => type !== 'iteration.started')).toEqual([
      'commit.created',
      'item.finished',
      'commit.created',
      'item.finished',
      'run.completed',
    ])
    expect(eventsOf(events, 'commit.created').map(({ data }) => [data.item, data.branch])).toEqual([
      ['', 'pawl/played'],
      ['login', 'pawl/played'],
      ['docs', 'pawl/played'],
    ])
    expect(eventsOf(when([fine]).events, 'commit.created')).toEqual([])
  })

  it('REVIEW-57 commits what a person accepts, and not what is only asked about', () => {
    const asked = when([{ tests: ['sum'] }], { settings: { ...settings, items: ITEMS.slice(0, 1) } })
    expect(eventsOf(asked.events, 'commit.created')).toHaveLength(1)
    const accepted = asked.on(answer('accept'))
    expect(accepted.state.status).toBe('completed')
    expect(eventsOf(accepted.events, 'commit.created')).toHaveLength(2)
  })

  it('REVIEW-58 a commit that cannot be made ends the run with the error, and is made when that is fixed', () => {
    let isMended = false
    const loop = reviewLoop({ items: ITEMS.slice(0, 1), commits: true })
    const failing = (effect: Effect, state: State): readonly Fact[] | undefined => {
      if (effect.kind !== 'commit' || isMended || effect.iteration === 0) return answerTo(effect, state, fine)
      const data = {
        key: effect.key,
        reason: 'failed',
        fault: 'environment',
        message: 'The branch is in use.',
        durationMs: 0,
      } as const
      return [{ type: 'work.failed', at: state.at + 1, by: { role: 'workspace' }, data }]
    }
    const stopped = play({ loop, guards: [], checks: CHECKS, respond: failing })
    expect(stopped.state).toMatchObject({
      status: 'stopped',
      message: "The committer couldn't run: The branch is in use.",
    })
    isMended = true
    const done = stopped.on(answer('continue'))
    expect(done.state.status).toBe('completed')
    expect(eventsOf(done.events, 'commit.created')).toHaveLength(2)
    expect(eventsOf(done.events, 'tests.judged')).toHaveLength(1)
  })
})

describe('a repair that changes files of the project', () => {
  const broken: Pass = { tests: 'environment' }

  it('REVIEW-103 is reviewed before the item can be done, and its repairer is credited', () => {
    const { routes, outcomes, state, events } = when([broken, { edits: true }], { settings: { commits: true } })
    expect([routes, outcomes, state.status]).toEqual([['APPROVE', 'APPROVE'], ['environment', 'passed'], 'completed'])
    expect(provenanceOf(events).outputs[1]).toMatchObject({ role: 'repairer', verdict: 'APPROVE' })
    const after = events.findLast(({ type }) => type === 'tests.judged')?.seq ?? 0
    expect(eventsOf(events, 'pass.judged')[1]?.seq).toBeLessThan(after)
  })

  it('REVIEW-103 goes to the coder where the reviewer finds it wrong, without tests at first', () => {
    const { roles, routes, briefs } = when([broken, { edits: true, asks: ['It switches a test off.'] }, fine])
    expect(roles).toEqual(['coder:coder_a', 'repairer', 'coder:coder_a'])
    expect(routes).toEqual(['APPROVE', 'CODING', 'APPROVE'])
    expect(briefs[2]).toContain('It switches a test off.')
  })

  it('REVIEW-103 does not count as a coder who no longer moves', () => {
    const passes: Pass[] = [wish, { ...broken, asks: ['No.'] }, { ...wish, edits: true, like: 1, tests: ['sum'] }, fine]
    expect(when(passes).routes.slice(0, 3)).toEqual(['CODING', 'REWORK_VIA_TESTER', 'ESCALATE_TESTING'])
  })

  it('REVIEW-104 is named in the message of the commit', () => {
    const messages: string[] = []
    const respond = (passes: readonly Pass[]) => (effect: Effect, state: State) => {
      if (effect.kind === 'commit') messages.push(effect.message)
      return answerTo(effect, state, passes[effect.iteration - 1] ?? fine)
    }
    const loop = reviewLoop({ items: ITEMS.slice(0, 1), commits: true })
    for (const passes of [
      [broken, { edits: true }],
      [broken, fine],
    ] as const)
      play({ loop, guards: [], checks: CHECKS, respond: respond(passes) })
    expect(messages.map((message) => /by .*, in/.exec(message)?.[0])).toEqual([
      undefined,
      'by coder_a and the repairer, in',
      undefined,
      'by coder_a, in',
    ])
  })
})

describe('a plan that was given and breaks its contract', () => {
  const items = [{ id: 'one', goal: 'Say how.', type: 'design' }]

  it('REVIEW-105 is refused before the first iteration, with the item and the value', () => {
    const { state, events } = when([fine], { settings: { items } })
    expect(state).toMatchObject({ status: 'stopped', current: { number: 0 } })
    expect(state.best).toBeUndefined()
    expect(state.message).toContain('(item one: type design): there are coding, documentation, testing, ops.')
    expect(state.question?.question.steps).toEqual([expect.stringContaining('pawl review PLAN --id played')])
    expect(eventsOf(events, 'iteration.started')).toEqual([])
    const second = [
      { id: 'one', goal: 'Say how.' },
      { id: 'two', goal: ' ' },
    ]
    expect(when([fine], { settings: { items: second } }).state.message).toContain('The item two says nothing')
  })

  it('REVIEW-106 a corrected one takes its place', () => {
    const stopped = when([fine], { settings: { items } })
    const loop = reviewLoop({ items: [{ id: 'one', goal: 'Say how.', type: 'Docs' }] })
    const given = eventsOf(stopped.events, 'run.started')[0]?.data.config
    const mended = { ...given, loop: loop.spec } as RunConfig
    const fact: Fact = {
      type: 'run.reconfigured',
      at: 0,
      by: { role: 'runner' },
      data: { config: mended, message: 'Changed: loop.' },
    }
    const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) })
    const before = evolveAll(undefined, stopped.events)
    const { append, step } = advance(definition, 'played', before, [fact])
    expect(append.map(({ type }) => type)).toEqual(expect.arrayContaining(['plan.made', 'item.started', 'role.assigned']))
    expect(eventsOf(append, 'plan.made')[0]?.data.items).toEqual([
      { id: 'one', goal: 'Say how.', settings: { type: 'documentation' } },
    ])
    expect(step.kind).toBe('perform')
  })
})

describe('what is learned', () => {
  const two = ITEMS

  it('REVIEW-60 a review teaches later items, with the item it comes from', () => {
    const { briefs } = when([{ asks: ['Validate  every input.'] }, fine, fine], { settings: { items: two } })
    expect(briefs[1]).not.toContain('# Learned')
    expect(briefs[1]).toContain('- ')
    expect(briefs[2]).toContain('# Learned in earlier items\n- Validate every input. (learned in login)')
  })

  it('REVIEW-61 the same rule is learned once, however it is written', () => {
    const { events } = when([{ asks: ['Close the file.', 'close the file'] }, { asks: ['CLOSE the file!'] }, fine])
    expect(eventsOf(events, 'lesson.learned').map(({ data }) => data.rule)).toEqual(['Close the file.'])
  })

  it('REVIEW-107 rules that differ in a number or a sign are different rules', () => {
    const asks = ['Open port 443 only.', 'Open port 80 only.', 'Keep x < 3', 'Keep x > 3', 'keep "x" > 3.']
    const { events } = when([{ asks }, fine])
    expect(eventsOf(events, 'lesson.learned').map(({ data }) => data.rule)).toEqual(asks.slice(0, 4))
  })

  it('REVIEW-108 one review teaches as many rules as are kept', () => {
    const asks = Array.from({ length: LESSONS_MAX + 3 }, (_, index) => `Mind ${word(index)}.`)
    expect(eventsOf(when([{ asks }, fine]).events, 'lesson.learned')).toHaveLength(LESSONS_MAX)
  })

  it('REVIEW-62 the list is bounded: the oldest are forgotten', () => {
    const items = Array.from({ length: LESSONS_MAX + 5 }, (_, index) => ({ id: `item-${index}`, goal: 'Do it.' }))
    const passes = items.map((_, index) => ({ asks: [`Mind ${word(index)}.`] }))
    const { state } = when(passes, { settings: { items, reworkCyclesMax: 1 } })
    expect(state.status).toBe('completed')
    expect(state.slices?.review?.lessons).toHaveLength(LESSONS_MAX)
    expect(state.slices?.review?.lessons.at(-1)).toEqual({
      item: `item-${items.length - 1}`,
      rule: `Mind ${word(items.length - 1)}.`,
    })
  })
})

describe('briefs and people', () => {
  it('REVIEW-70 the coder gets the item, what the review asks for and what the tests say', () => {
    const { briefs } = when([wish, { asks: ['Name it well.'], tests: ['sum'] }, fine], { settings: { goal: 'A better shop' } })
    expect(briefs[0]).toContain('Item 1 of 1: Users can log in.\nIt is part of: A better shop')
    expect(briefs[0]).not.toContain('mended')
    expect(briefs[1]).toContain('Handle the empty list.')
    expect(briefs[2]).toContain('sum is wrong')
    expect(briefs[2]).toContain('Name it well.')
  })

  it('REVIEW-110 no brief says that the review comes last, or that tests show what a reviewer wants', () => {
    const asks = Array.from({ length: 40 }, (_, index) => `Mind the ${'long '.repeat(20)}matter ${index}.`)
    const { briefs } = when([{ asks }, fine])
    expect(briefs[0]).toContain('- review: another agent reviews every pass, before the tests')
    expect(briefs[1]).toMatch(/- and \d+ more of the reviews and tests, left out here/)
  })

  it('REVIEW-71 the repairer reads what could not run, and not to get round it', () => {
    const { briefs } = when([{ tests: 'environment' }, fine])
    expect(briefs[1]).toContain('No database. Start it.')
    expect(briefs[1]).toContain('Do not change the code or the tests')
  })

  it('REVIEW-72 the reviewer gets the item and what earlier reviews asked for', () => {
    const { reviewBriefs } = when([wish, fine])
    expect(reviewBriefs[1]).toContain('Users can log in.')
    expect(reviewBriefs[1]).toContain('Handle the empty list.')
  })

  it('REVIEW-73 a person who lets it continue begins the counts again and is heard', () => {
    const red: Pass = { tests: ['sum'] }
    const asked = when([red])
    expect(asked.decisions).toEqual(['retry', 'retry', 'escalate'])
    const again = asked.on(answer('continue', 'The sum is signed.'))
    expect(seen(again.events).decisions).toEqual(['retry', 'retry', 'escalate', 'retry', 'retry', 'escalate'])
    expect(asked.briefs[3]).toContain('The sum is signed.')
  })

  it('REVIEW-74 tests that a person made runnable are run again within the same pass', () => {
    const mended: Pass[] = [{ tests: 'environment' }, { tests: 'environment' }]
    const asked = when(mended, { settings: { environmentRepairsMax: 1 } })
    expect(asked.state.status).toBe('escalated')
    mended[1] = fine
    const after = asked.on(answer('continue'))
    expect(seen(after.events)).toMatchObject({ outcomes: ['environment', 'environment', 'passed'] })
    expect(after.state.status).toBe('completed')
    expect(eventsOf(after.events, 'pass.recorded')).toHaveLength(2)
  })

  describe('a person as the reviewer', () => {
    const checks = [...CHECKS, { name: 'given', v: 1, settings: { name: 'boss', review: 'person' } }]

    it('REVIEW-75 is asked after the agents and after the tests', () => {
      const waiting = when([fine], { checks })
      expect(waiting).toMatchObject({ decisions: ['wait'], outcomes: ['passed'], routes: [] })
      expect(waiting.state.question?.question.text).toContain('Every other check passes.')
      const done = waiting.on(answer('approve'))
      expect(done.state.status).toBe('completed')
      expect(seen(done.events)).toMatchObject({ outcomes: ['passed'], routes: ['APPROVE'] })
    })

    it('REVIEW-75 is not asked about what an agent sends back', () => {
      expect(when([wish, fine], { checks }).decisions).toEqual(['retry', 'wait'])
    })

    it('REVIEW-76 is never overruled by passing tests', () => {
      const once = when([fine], { checks }).on(answer('reject', 'Not like this.'))
      expect(seen(once.events).decisions).toEqual(['wait', 'retry', 'wait'])
      const twice = once.on(answer('reject', 'Still not.'))
      expect(seen(twice.events).routes).toEqual(['CODING', 'REWORK_VIA_TESTER'])
      expect(seen(twice.events).outcomes).toEqual(['passed', 'passed', 'passed'])
      expect(seen(twice.events).decisions.at(-2)).toBe('retry')
    })

    it.each<[who: string, reviewers: readonly PartSpec[]]>([
      ['alone', checks.filter(({ settings }) => settings['review'] !== 'agent')],
      ['after an agent', checks],
    ])('REVIEW-121 %s, is not asked about work whose tests fail: the coder gets the failures', (_who, reviewers) => {
      const waiting = when([{ tests: ['sum'] }, fine], { checks: reviewers })
      expect(waiting).toMatchObject({ decisions: ['retry', 'wait'], outcomes: ['failed', 'passed'], routes: [] })
      expect(waiting.briefs[1]).toContain('sum is wrong')
      expect(waiting.briefs[1]).toContain('boss: a person reviews what passes the rest')
      expect(eventsOf(waiting.events, 'role.assigned').at(-1)?.data).toMatchObject({ trigger: 'rework', reworkCycle: 0 })
      expect(waiting.on(answer('approve')).state.status).toBe('completed')
    })

    it('REVIEW-121 the third failure of the tests is asked about, and no review', () => {
      const asked = when([{ tests: ['sum'] }], { checks })
      expect(asked.decisions).toEqual(['retry', 'retry', 'escalate'])
      expect(asked.messages.at(-1)).toContain('failed 3 times')
    })

    it('REVIEW-121 is not asked to review a pass that the proof refutes: that is the question', () => {
      const findings = [{ code: 'old-tests-fail', check: 'tests', tests: ['sum'], count: 1 }] as const
      const asked = when([{ proof: { level: 'unproven', findings } }], { checks })
      expect(asked.decisions).toEqual(['escalate'])
      expect(asked.state.question?.question.code).toBe('refuted')
    })

    it('REVIEW-122 reviews what was repaired before anybody reviewed it, once the tests pass; the agents are not asked again', () => {
      const waiting = when([{ tests: 'environment' }, fine], { checks })
      expect(waiting).toMatchObject({ decisions: ['retry', 'wait'], outcomes: ['environment', 'passed'] })
      expect(waiting.reviewBriefs).toHaveLength(1)
      const done = waiting.on(answer('approve'))
      expect(seen(done.events)).toMatchObject({ decisions: ['retry', 'wait', 'proceed'], routes: ['APPROVE'] })
      const sentBack = when([{ tests: 'environment' }, fine], { checks }).on(answer('reject', 'No.'))
      expect(seen(sentBack.events)).toMatchObject({ decisions: ['retry', 'wait', 'retry', 'wait'], routes: ['CODING'] })
    })

    it('REVIEW-123 sees what the tests wrote, so it is approved with that', () => {
      const done = when([{ writes: 'once', proof: { level: 'unproven' } }], { checks }).on(answer('approve'))
      expect(seen(done.events)).toMatchObject({ decisions: ['wait', 'proceed'], routes: ['APPROVE'] })
      expect(seen(done.events).messages.at(-1)).toContain('Reviewed and approved by a person.')
    })
  })

  it('REVIEW-77 edits of a person in the middle of a pass have it reviewed again, and it counts once', () => {
    const edited = { tree: 'edited', snapshot: 'edited', files: [], filesChanged: 1, insertions: 1, deletions: 0 }
    let isResumed = false
    const loop = reviewLoop({ items: ITEMS.slice(0, 1) })
    const { events, state } = play({
      loop,
      guards: [],
      checks: CHECKS,
      respond: (effect, now) => {
        if (effect.kind === 'observe' && effect.by === 'person')
          return [{ type: 'workspace.observed', at: now.at, by: { role: 'person' }, data: { key: effect.key, ...edited } }]
        const isBetween = effect.kind === 'check' && !effect.review && !isResumed
        if (!isBetween) return answerTo(effect, now, effect.iteration < 2 ? wish : { ...wish, tests: [] })
        isResumed = true
        const holder = { pid: 1, startedAt: '1', host: 'here' }
        return [{ type: 'run.resumed', at: now.at, by: { role: 'runner' }, data: { holder, reason: 'Again.' } }]
      },
    })
    expect(state.status).toBe('completed')
    expect(eventsOf(events, 'pass.judged').map(({ data }) => [data.iteration, data.reworkCycle])).toEqual([
      [1, 1],
      [2, 2],
      [2, 2],
    ])
    expect(eventsOf(events, 'pass.recorded')).toHaveLength(2)
  })
})

describe('settings', () => {
  it.each<[rule: string, settings: Partial<ReviewSettings>, words: string]>([
    ['REVIEW-80 two coders of one name', { coders: ['a', 'a'] }, '"a"'],
    ['REVIEW-80 no coder', { coders: [] }, 'at least one coder'],
    ['REVIEW-80 a name that cannot stand in a key', { coders: ['a/b'] }, '"a/b"'],
    ['REVIEW-80 two items of one name', { items: [ITEMS[0], ITEMS[0]] as never }, '"login"'],
    ['REVIEW-80 a ceiling of none', { reworkCyclesMax: 0 }, 'reworkCyclesMax'],
    ['REVIEW-80 a likeness that is no share', { similarityMin: 97 }, 'similarityMin'],
    ['REVIEW-80 an unknown way to compare', { by: 'words' as never }, 'characters or lines'],
  ])('%s is refused at once', (_rule, settings, words) => {
    expect(() => reviewLoop({ items: ITEMS, ...settings })).toThrow(words)
  })

  it('REVIEW-81 the loop as data makes the same loop again', () => {
    const { spec } = reviewLoop({ items: ITEMS, coders: ['x'] })
    const again = reviewLoop(JSON.parse(JSON.stringify(spec.settings)) as ReviewSettings)
    expect(again.spec).toEqual(spec)
    expect(spec.settings).toMatchObject({ similarityMin: 0.97, by: 'characters', reworkCyclesMax: 3, convergenceCyclesMin: 2 })
  })
})
