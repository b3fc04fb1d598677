import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCKED, claimIn } from '../shared/promises.ts'
import type { Effect } from '../../core/effect.ts'
import type { Event, EventType, Fact } from '../../core/event.ts'
import { anyOf, budget, maxIterations, sameFailure } from '../../guards/index.ts'
import type { Guard } from '../../core/guard.ts'
import type { PartSpec } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { checkFact, play, proofFact, usual } from '../../../test/support/play.ts'
import { ralphLoop, type RalphSettings } from './index.ts'

/** One iteration: what the agent says, and what fails after it. */
interface Round {
  readonly says?: string
  readonly fails?: readonly string[]
  readonly costUsd?: number
}

const DONE = '<promise>COMPLETE</promise>'
const failing: Round = { fails: ['sum'] }
const passing: Round = {}

/** Given these rounds, the last of them again and again, when the loop runs, then … */
function when(rounds: readonly Round[], settings: Partial<RalphSettings> = {}, guards: readonly Guard[] = [maxIterations(6)]) {
  const briefs: string[] = []
  const played = play({ loop: ralphLoop({ prompt: 'Do it.', ...settings }), guards, respond: responder(rounds, briefs) })
  return { ...played, briefs, decisions: eventsOf(played.events, 'decision.made').map(({ data }) => data.action) }
}

/** As the runner does it: a claim is read out of the agent's words and posted with the end of its work. */
function responder(rounds: readonly Round[], briefs: string[] = []) {
  return (effect: Effect, state: State): readonly Fact[] | undefined => {
    const round = rounds[Math.min(effect.iteration, rounds.length) - 1]
    if (effect.kind === 'check') {
      const failures = (round?.fails ?? []).map((id) => ({ id, message: `${id} is wrong`, kind: 'assertion' }) as const)
      return [checkFact(effect, state, failures)]
    }
    if (effect.kind !== 'work') return undefined
    const { key, brief } = effect
    briefs.push(brief)
    const [finished] = usual(effect, state)
    const ended = { ...finished, data: { key, durationMs: 1, costUsd: round?.costUsd ?? 0 } } as Fact
    const claim = claimIn(round?.says ?? '', effect.promises ?? [])
    return claim
      ? [ended, { type: 'promise.claimed', at: state.at + 1, by: { role: 'agent' }, data: { key, ...claim } }]
      : [ended]
  }
}

function eventsOf<Type extends EventType>(events: readonly Event[], type: Type): readonly Event<Type>[] {
  return events.filter((event) => event.type === type) as unknown as readonly Event<Type>[]
}

function reviewer(by: string): PartSpec {
  return { name: 'given', v: 1, settings: { name: `by ${by}`, review: by } }
}

function answer(choice: string, note?: string): Fact {
  return { type: 'escalation.answered', at: 0, by: { role: 'person' }, data: { choice, ...(note === undefined ? {} : { note }) } }
}

it('FEED-7 a minimum of iterations is explained to the agent as long as it applies', () => {
  const { briefs } = when([{ says: DONE }], { iterationsMin: 3 })
  expect(briefs.map((brief) => brief.includes('of at least 3: another follows even if everything passes'))).toEqual([
    true,
    true,
    false,
  ])
  expect(when([{ says: DONE }]).briefs.join()).not.toContain('at least')
})

describe('the ralph loop decides', () => {
  it.each<[rule: string, rounds: readonly Round[], settings: Partial<RalphSettings>, decisions: string, status: string]>([
    ['RALPH-1 a promise that the checks confirm ends it', [failing, { says: DONE }], {}, 'retry proceed', 'completed'],
    [
      'RALPH-2 a promise that the checks refute does not',
      [{ ...failing, says: DONE }, { says: DONE }],
      {},
      'retry proceed',
      'completed',
    ],
    [
      'RALPH-3 passing checks without a promise do not',
      [passing, passing, { says: DONE }],
      {},
      'retry retry proceed',
      'completed',
    ],
    ['RALPH-4 without declared promises passing checks do', [failing, passing], { promises: [] }, 'retry proceed', 'completed'],
    [
      'RALPH-5 an undeclared promise does not count',
      [{ says: '<promise>OK</promise>' }, { says: DONE }],
      {},
      'retry proceed',
      'completed',
    ],
    [
      'RALPH-5 any of several declared ones is',
      [{ says: '<promise>OK</promise>' }],
      { promises: ['COMPLETE', 'OK'] },
      'proceed',
      'completed',
    ],
    [
      'RALPH-6 BLOCKED asks a person, though all checks pass',
      [{ says: '<promise>BLOCKED: no key</promise>' }],
      {},
      'escalate',
      'escalated',
    ],
    ['RALPH-6 BLOCKED goes before a promise', [{ says: `${DONE} <promise>BLOCKED</promise>` }], {}, 'escalate', 'escalated'],
    [
      'RALPH-6 BLOCKED asks without promises too',
      [{ says: '<promise>BLOCKED</promise>' }],
      { promises: [] },
      'escalate',
      'escalated',
    ],
    [
      'RALPH-7 an empty last message never ends it',
      [{ says: '' }, { says: '  \n' }, { says: DONE }],
      {},
      'retry retry proceed',
      'completed',
    ],
    [
      'RALPH-8 a promise is not accepted before the least number of iterations',
      [{ says: DONE }],
      { iterationsMin: 3 },
      'retry retry proceed',
      'completed',
    ],
    ['RALPH-8 nor do passing checks end it before', [passing], { promises: [], iterationsMin: 2 }, 'retry proceed', 'completed'],
  ])('%s', (_rule, rounds, settings, decisions, status) => {
    const played = when(rounds, settings)
    expect(played.decisions.join(' ')).toBe(decisions)
    expect(played.state.status).toBe(status)
  })

  it('RALPH-2 what became of each promise is on record before the decision, with the tree', () => {
    const respond = responder([{ ...failing, says: DONE }, { says: DONE }])
    const turned = { turned: ['sum'], turnedCount: 1 }
    const { events } = play({
      loop: ralphLoop({ prompt: 'Do it.' }),
      guards: [maxIterations(6)],
      respond: (effect, state) => (effect.kind === 'prove' ? [proofFact(effect, state, turned)] : respond(effect, state)),
    })
    const types = /^promise\.|^decision\.made|^run\.completed/
    expect(events.map((event) => event.type).filter((type) => types.test(type))).toEqual([
      'promise.declared',
      'promise.claimed',
      'promise.refuted',
      'decision.made',
      'promise.claimed',
      'promise.verified',
      'decision.made',
      'run.completed',
    ])
    expect(eventsOf(events, 'promise.refuted')[0]?.data).toMatchObject({ promise: 'COMPLETE', tree: 'tree-1' })
    expect(eventsOf(events, 'decision.made')[0]?.data.message).toBe('The agent said COMPLETE, but: 1 failure: sum: sum is wrong')
    expect(eventsOf(events, 'decision.made')[1]?.data).toMatchObject({
      message: 'COMPLETE holds. 1 test failed before and passes now.',
      says: { code: 'ralph.decided.holds', values: { promise: 'COMPLETE', level: 'red-to-green', tests: 1 } },
    })
  })

  it('RALPH-6 what blocks the agent is asked about, and a person lets it go on, takes it as it is or ends it', () => {
    const played = when([{ says: '<promise>BLOCKED: the API key is missing</promise>' }, { says: DONE }])
    const question = played.state.question?.question
    expect(question?.text).toContain("The agent says it can't continue: the API key is missing\n")
    expect(question?.options.map((option) => option.choice)).toEqual(['continue', 'accept', 'abort'])
    expect(question?.steps?.join('\n')).toMatch(/pawl show [^]*Give it what it lacks .*: pawl answer /)
    expect(eventsOf(played.events, 'promise.verified')).toEqual([])
    const on = played.on(answer('continue', 'The key is in .env now.'))
    expect(on.state.status).toBe('completed')
    expect(played.briefs.at(-1)).toContain('# A person said\n- The key is in .env now.\n')
    expect(played.on(answer('accept')).state.status).toBe('completed')
    expect(played.on(answer('abort')).state.status).toBe('aborted')
  })

  it('RALPH-9 a promise that holds outranks every limit', () => {
    expect(when([{ says: DONE, costUsd: 9 }], {}, [maxIterations(1), budget({ costUsdMax: 1 })]).state.status).toBe('completed')
  })

  it.each<[string, Round, readonly Guard[], string]>([
    ['asks at the maximum', failing, [maxIterations(2)], 'escalated'],
    ['asks at the maximum when the checks pass and nothing was promised', passing, [maxIterations(2)], 'escalated'],
    ['stops when a budget is used up', { ...failing, costUsd: 2 }, [maxIterations(9), budget({ costUsdMax: 1 })], 'stopped'],
    [
      'stops for a budget inside anyOf',
      { ...failing, costUsd: 2 },
      [anyOf(maxIterations(9), budget({ costUsdMax: 1 }))],
      'stopped',
    ],
  ])('RALPH-10 a guard that trips %s', (_name, round, guards, status) => {
    expect(when([round], {}, guards).state.status).toBe(status)
  })

  it('RALPH-11 checks that pass without a promise are not called failing: a person is asked whether it is done', () => {
    const { state } = when([passing], {}, [maxIterations(2)])
    expect(state.question?.question.text).toBe(
      "The checks pass, but the agent's message doesn't end with the promise COMPLETE alone on the last line.\nIs it done?",
    )
    expect(state.question?.question.options.map((option) => option.label)).toEqual([
      'Yes: accept it as done',
      expect.stringMatching(/^No: continue, up to \d+ iterations$/),
      'End the run (files stay as they are)',
    ])
  })

  it('RALPH-12 with a baseline, checks that passed before prove nothing when nothing was changed', () => {
    const respond = responder([{ says: DONE }])
    const played = play({
      loop: ralphLoop({ prompt: 'Do it.', baseline: true }),
      guards: [maxIterations(3)],
      respond: (effect, state) =>
        effect.kind === 'observe' ? usual({ ...effect, iteration: 0 }, state) : respond(effect, state),
    })
    expect(played.state.question?.question.text).toContain('Is the goal reached?')
  })

  it.each<[string, Partial<Event<'proof.made'>['data']>, string, readonly string[]]>([
    ['proves it', {}, 'completed', ['promise.verified']],
    ['says that nothing proves it', { level: 'unproven' }, 'escalated', []],
    ['speaks against it', { findings: [{ code: 'old-tests-fail', count: 1 }] }, 'escalated', ['promise.refuted']],
  ])('RALPH-19 a promise counts once a proof is made that %s', (_name, change, status, became) => {
    const respond = responder([passing, { says: DONE }])
    const played = play({
      loop: ralphLoop({ prompt: 'Do it.' }),
      guards: [maxIterations(3)],
      respond: (effect, state) => (effect.kind === 'prove' ? [proofFact(effect, state, change)] : respond(effect, state)),
    })
    expect(played.state.status).toBe(status)
    expect(eventsOf(played.events, 'proof.made').map(({ data }) => data.key)).toEqual(['2/proof/0'])
    const refuted = eventsOf(played.events, 'promise.refuted').map(({ data }) => data.message)
    expect(refuted.filter((message) => !message.includes('With the original tests'))).toEqual([])
    expect(played.events.map(({ type }) => type).filter((type) => /^promise\.(?:ver|ref)/.test(type))).toEqual(became)
  })

  it('RALPH-13 a check that could not run asks at once and costs no iteration', () => {
    const played = play({
      loop: ralphLoop({ prompt: 'Do it.' }),
      guards: [maxIterations(3)],
      respond: ({ kind, key }, state) => {
        const data = { key, name: 'tests', fault: 'config', message: 'npm: not found', durationMs: 1 } as const
        return kind === 'check' ? [{ type: 'check.errored', at: state.at + 1, by: { role: 'check' }, data }] : undefined
      },
    })
    expect(played.state.question?.question.text).toContain('npm: not found')
  })

  it('RALPH-15 without any check a promise proves nothing and is not refuted either: a person is asked at once', () => {
    const played = play({
      loop: ralphLoop({ prompt: 'Do it.' }),
      guards: [maxIterations(2)],
      checks: [],
      respond: (effect, state) =>
        effect.kind === 'prove' ? [proofFact(effect, state, { level: 'unproven' })] : responder([{ says: DONE }])(effect, state),
    })
    expect(played.state.status).toBe('escalated')
    expect(eventsOf(played.events, 'proof.made').map(({ data }) => data.level)).toEqual(['unproven'])
    expect(played.state.current.number).toBe(1)
    expect(played.state.message).toContain('no check or rule can confirm it')
    expect(played.state.question?.question.options.map(({ choice }) => choice)).toEqual(['accept', 'check', 'continue', 'abort'])
    expect(played.events.filter(({ type }) => type.startsWith('promise.')).map(({ type }) => type)).toEqual([
      'promise.declared',
      'promise.claimed',
    ])
  })

  it('RALPH-16 reviewers, agents and people, look only at what passes and is promised, and their rejection refutes it', () => {
    const played = play({
      loop: ralphLoop({ prompt: 'Do it.' }),
      guards: [maxIterations(5)],
      checks: [{ name: 'given', v: 1, settings: { name: 'tests' } }, reviewer('agent'), reviewer('person')],
      respond: (effect, state) =>
        effect.kind === 'check' && effect.review
          ? [checkFact(effect, state, effect.iteration === 2 ? [{ id: 'r', message: 'untidy', kind: 'review' }] : [])]
          : responder([passing, { says: DONE }])(effect, state),
    })
    const looked = played.events
      .filter(({ type }) => /^review\.|^promise\.(?:verified|refuted)/.test(type))
      .map(({ type }) => type)
    expect(looked).toEqual(['review.rejected', 'promise.refuted', 'review.approved'])
    expect(played.state.question?.review).toMatchObject({ name: 'by person' })
    expect(played.state.current.number).toBe(3)
    const approved = played.on(answer('approve'))
    expect(approved.state.status).toBe('completed')
    expect(eventsOf(approved.events, 'promise.verified')).toHaveLength(1)
  })

  it('RALPH-14 whatever agent and checks do, only a promise and a pass together end it well, and BLOCKED never does', () => {
    const round = fc.record({
      says: fc.constantFrom(
        '',
        'text only',
        DONE,
        `${DONE} trailing`,
        '<promise>OK</promise>',
        '<promise>BLOCKED: x</promise>',
        '<promise>COMPLETE',
      ),
      fails: fc.constantFrom([], ['a'], ['a', 'b']),
    })
    const given = fc.tuple(
      fc.array(round, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 8 }),
    )
    fc.assert(
      fc.property(given, ([rounds, iterationsMin, max]) => {
        const { state, events } = when(rounds, { iterationsMin }, [maxIterations(max)])
        const isGood = (at: number) => {
          const { says, fails } = rounds[Math.min(at, rounds.length) - 1] ?? { says: '', fails: ['x'] }
          return says === DONE && fails.length === 0 && at >= iterationsMin
        }
        const isBlocked = (at: number) => rounds[Math.min(at, rounds.length) - 1]?.says.includes(BLOCKED) ?? false
        const ends = Array.from({ length: max }, (_, index) => index + 1)
        const end = ends.find((at) => isGood(at) || isBlocked(at)) ?? max
        expect(state.current.number).toBe(end)
        expect(state.status).toBe(isGood(end) ? 'completed' : 'escalated')
        expect(eventsOf(events, 'promise.verified').every(({ data }) => data.tree !== '')).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe("a ralph loop's brief", () => {
  const prompt = 'Read PLAN.md and do the next item.\n\nSay <promise>COMPLETE</promise> when all are done.\n'

  it('RALPH-20 is the prompt, word for word, when there is nothing to say', () => {
    expect(when([failing], { prompt }).briefs[0]).toBe(prompt)
  })

  it('RALPH-21 tells after the prompt what the checks said last time, and warnings once, and leaves the prompt as it is', () => {
    const { briefs: told } = when([failing], { prompt }, [maxIterations(4), sameFailure({ repeatsMin: 2 })])
    expect(told[1]).toBe(`${prompt.trimEnd()}\n\n# What the checks said last time\n- sum: sum is wrong\n`)
    expect(told[3]).toContain('did not touch the cause')
    expect(told[2]).toContain('\n\n# Take care\n- The same failure 2 iterations in a row')
    expect(told.every((brief) => brief.startsWith(prompt.trimEnd()))).toBe(true)
  })

  it('RALPH-25 explains why a promise did not hold, and how to make one that is missing', () => {
    const { briefs: told } = when([{ ...failing, says: DONE }, { says: `Not yet ${DONE}` }, { says: DONE }], { prompt })
    expect(told).toHaveLength(3)
    expect(told[1]).toContain("# Your promise\n- You said COMPLETE, but it doesn't hold. Not passed: tests.\n")
    expect(told[2]).toContain("# Your promise\n- Your last message didn't end with a promise.")
    expect(told[2]).toContain('alone on the last line')
    const min = when([{ says: DONE }], { prompt, iterationsMin: 2 }).briefs
    expect(min[1]).not.toContain('# Your promise')
  })

  it('RALPH-22 is the prompt alone every time where feedback is switched off', () => {
    expect(new Set(when([failing], { prompt, echoesFeedback: false }).briefs)).toEqual(new Set([prompt]))
  })

  it('RALPH-23 says how to promise where the prompt does not, in words that claim nothing when they are repeated', () => {
    const [first = ''] = when([failing], { prompt: 'Do it.', promises: ['COMPLETE', 'ALL TESTS PASS'] }).briefs
    expect(first).toContain('"COMPLETE" or "ALL TESTS PASS" between the tags <promise> and </promise>')
    expect(claimIn(first, ['COMPLETE', 'ALL TESTS PASS'])).toBeUndefined()
    expect(when([passing], { prompt: 'Do it.', promises: [] }).briefs[0]).toBe('Do it.')
  })

  it('RALPH-24 carries at most so many characters of failures, and always the first', () => {
    const { briefs: told } = when([{ fails: ['a', 'b', 'c', 'd'] }], { prompt, feedbackLengthMax: 1 })
    expect(told[1]).toContain('- a: a is wrong\n- and 3 more: run the checks to see them\n')
  })
})

describe('settings of a ralph loop', () => {
  it('RALPH-30 promises may be given with their tags', () => {
    expect(ralphLoop({ prompt: 'x', promises: ['<promise>DONE</promise>', ' OK '] }).spec.settings['promises']).toEqual([
      'DONE',
      'OK',
    ])
  })

  it.each<[RalphSettings, string]>([
    [{ prompt: ' ' }, 'prompt must be the text that the agent is given each time'],
    [{ prompt: 'x', promises: ['A', '<promise>A</promise>'] }, '"A" is declared twice'],
    [{ prompt: 'x', promises: [''] }, 'it is empty'],
    [{ prompt: 'x', promises: ['BLOCKED'] }, 'never a success'],
    [{ prompt: 'x', promises: ['a<b'] }, 'without "<"'],
    [{ prompt: 'x', iterationsMin: 0 }, 'iterationsMin must be a whole number of at least 1'],
    [{ prompt: 'x', feedbackLengthMax: 0.5 }, 'feedbackLengthMax must be'],
  ])('RALPH-31 %j cannot work and is refused', (settings, words) => {
    expect(() => ralphLoop(settings)).toThrow(words)
  })

  it('RALPH-32 the same loop is built from what a run records of it', () => {
    const { spec } = ralphLoop({ prompt: 'x', promises: ['<promise>DONE</promise>'], iterationsMin: 2 })
    expect(ralphLoop(JSON.parse(JSON.stringify(spec.settings)) as RalphSettings).spec).toEqual(spec)
  })
})
