import { describe, expect, test } from 'vitest'
import { taskLoop } from '../loops/task/index.ts'
import { play, type Played, usual } from '../../test/support/play.ts'
import type { AgentAsk, AskOption } from './agent-ask.ts'
import type { Effect } from './effect.ts'
import type { Event, Fact } from './event.ts'
import { evolve } from '../loops/evolve.ts'
import { maxIterations } from '../guards/index.ts'
import { askingSession, replyFor, replyLines } from './evolve-ask.ts'
import type { RunConfig } from './run-config.ts'
import type { State } from './state.ts'

const ASK: AgentAsk = {
  id: 'rm-dist',
  kind: 'execute',
  title: 'rm -r dist',
  detail: 'It would remove the folder dist.',
  options: [
    { id: 'a', label: 'Allow', kind: 'allow-once' },
    { id: 'b', label: 'Always allow', kind: 'allow-always' },
    { id: 'c', label: 'Reject', kind: 'deny-once' },
  ],
}

/** A run whose agent asks in its first stretch of work, and finishes in the next. */
function asking(ask: AgentAsk = ASK): Played {
  let hasAsked = false
  return play({
    loop: taskLoop({ goal: 'all right' }),
    guards: [maxIterations(3)],
    respond: (effect: Effect, state): readonly Fact[] | undefined => {
      if (effect.kind === 'check' && state.current.number === 0)
        return [
          {
            type: 'check.failed',
            at: state.at + 1,
            by: { role: 'check' },
            data: {
              key: effect.key,
              name: effect.name,
              tree: effect.tree,
              durationMs: 1,
              failures: [{ id: 'a', kind: 'assertion', message: 'no' }],
            },
          },
        ]
      if (effect.kind !== 'work' || hasAsked) return undefined
      hasAsked = true
      return [
        {
          type: 'work.asked',
          at: state.at + 5,
          by: { role: 'agent' },
          data: { key: effect.key, ask, durationMs: 5, tokens: 7, session: 's-1', sessionUsed: { costUsd: 1.5 } },
        },
      ]
    },
  })
}

/** After the answer, before the agent continues. */
function withReplied(): State {
  const { state } = asking()
  const data = { choice: '1' }
  return evolve(state, {
    type: 'escalation.answered',
    seq: state.seq + 1,
    run: state.run,
    v: 1,
    at: 0,
    by: { role: 'person' },
    data,
  })
}

function reconfigured({ seq, run }: State, config: RunConfig): Event<'run.reconfigured'> {
  const data = { config, message: 'Changed.' }
  return { type: 'run.reconfigured', seq: seq + 1, run, v: 1, at: 0, by: { role: 'runner' }, data }
}

function answer(played: Played, choice: string, note?: string): Played {
  const said = note === undefined ? {} : { note }
  return played.on({ type: 'escalation.answered', at: 0, by: { role: 'person' }, data: { choice, ...said } })
}

describe('the question', () => {
  test('ASK-9 it says what the agent wants, in full, and what follows from each of its answers', () => {
    const { state, step } = asking()
    expect(step).toMatchObject({ kind: 'wait', for: 'person' })
    expect(state.question?.question).toMatchObject({
      text: 'The agent asks for permission (execute): rm -r dist\nIt would remove the folder dist.',
      options: [
        { choice: 'allow-once', label: 'Allow' },
        { choice: 'deny-once', label: 'Reject' },
        { choice: 'allow-always', label: 'Always allow' },
        { choice: 'abort' },
      ],
    })
    expect(state.question?.question.options.map((option) => option.then)).toEqual([
      expect.stringContaining('may do this once'),
      expect.stringContaining('without it'),
      expect.stringContaining('how long "Always allow" holds'),
      expect.stringContaining('ends without success'),
    ])
    expect(state.totals.tokens).toBe(7)
  })

  test('ASK-10 answers of the same kind are distinguished by their own names', () => {
    const kinds = ['answer', 'answer', 'deny-once'] as const
    const options = kinds.map((kind, index) => ({ id: `v${index}`, label: `V${index}`, kind }))
    const { state } = asking({ id: 'q', kind: 'question', title: 'Which?', options })
    expect(state.question?.question.text).toBe('The agent asks: Which?')
    expect(state.question?.question.options.map(({ choice }) => choice)).toEqual(['v0', 'v1', 'deny-once', 'abort'])
  })

  test('ASK-36 the first option grants the one wish or nothing, whatever order the agent has, and none is recommended', () => {
    const [once, always, deny] = ASK.options as readonly [AskOption, AskOption, AskOption]
    const lasting = { id: 'd', label: 'Never', kind: 'deny-always' } as const
    const cases: readonly (readonly [readonly AskOption[], readonly string[]])[] = [
      [
        [always, once, deny],
        ['allow-once', 'deny-once', 'allow-always', 'abort'],
      ],
      [
        [always, deny, once, lasting],
        ['allow-once', 'deny-once', 'deny-always', 'allow-always', 'abort'],
      ],
      [
        [always, lasting, deny],
        ['deny-once', 'deny-always', 'allow-always', 'abort'],
      ],
      [[always], ['allow-always', 'abort']],
      [
        [deny, lasting],
        ['deny-once', 'deny-always', 'abort'],
      ],
    ]
    for (const [options, choices] of cases) {
      const { question } = asking({ ...ASK, options }).state.question ?? {}
      expect(question?.options.map(({ choice }) => choice)).toEqual(choices)
      expect(question?.options.some(({ recommended }) => recommended === true)).toBe(false)
    }
  })

  test('ASK-37 of an answer for good it says only what is known: the agent decides how far it goes', () => {
    const label = 'Always Allow for user: sed *'
    const options = [
      { id: 'x', label, kind: 'allow-always' },
      { id: 'y', label: 'Never', kind: 'deny-always' },
      { id: 'z', label: 'Allow', kind: 'allow-once' },
    ] as const
    const { question } = asking({ ...ASK, options }).state.question ?? {}
    const lasting = question?.options.filter(({ choice }) => choice.endsWith('-always')) ?? []
    expect(lasting.map(({ then }) => then)).toEqual([
      expect.stringContaining('how long "Never" holds, maybe beyond this run'),
      expect.stringContaining(`how long "${label}" holds, maybe beyond this run`),
    ])
    expect(lasting.some(({ then = '' }) => then.includes('until the run ends'))).toBe(false)
    expect(question?.options.at(-2)?.label).toBe(label)
  })
})

describe('after the answer', () => {
  test('ASK-11 the iteration continues, is not counted again, and no streak is forgiven', () => {
    const { state, events } = answer(asking(), '1')
    expect(state.status).toBe('completed')
    expect(events.filter(({ type }) => type === 'iteration.started')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'iteration.ended')).toHaveLength(1)
  })

  test('ASK-12 the answer belongs to the work that asked and is used once; one for good holds until the run ends', () => {
    const open = asking().state
    const key = open.current.asked?.[0]?.key ?? ''
    expect(replyFor(open, key, ASK)).toBeUndefined()
    const reply = { ask: ASK.id, title: ASK.title, option: 'a', optionKind: 'allow-once', label: 'Allow', key } as const
    const once = { ...open, current: { ...open.current, replies: [reply] } }
    expect(replyFor(once, key, ASK)?.option).toBe('a')
    expect(replyFor(once, '1/other/0', ASK)).toBeUndefined()
    expect(replyFor(once, key, { ...ASK, id: 'another' })).toBeUndefined()
    const used = { ...open, current: { ...open.current, replies: [{ ...reply, isUsed: true as const }] } }
    expect(replyFor(used, key, ASK)).toBeUndefined()
    const lasting = { ...open, replies: [{ ...reply, option: 'b', optionKind: 'allow-always' as const, isUsed: true as const }] }
    expect(replyFor(lasting, '2/coder/0', ASK)?.option).toBe('b')
    const renamed = { ...ASK, options: [{ id: 'z', label: 'For ever', kind: 'allow-always' as const }] }
    expect(replyFor(lasting, key, renamed)?.option).toBe('z')
  })

  test('ASK-13 the brief has the answer, and says that the agent’s changes are still there', () => {
    const { state } = asking()
    const key = state.current.asked?.[0]?.key ?? ''
    const reply = { ask: ASK.id, title: ASK.title, option: 'c', optionKind: 'deny-once', label: 'Reject', key } as const
    const after = {
      ...state,
      current: { ...state.current, replies: [{ ...reply, note: 'use git clean', isAfterBreak: true as const }] },
    }
    expect(replyLines(after, key)).toEqual([
      '# What you asked',
      expect.stringContaining('still there'),
      '- rm -r dist: Reject (use git clean)',
    ])
    expect(replyLines(state, key)).toEqual([])
  })

  test('ASK-14 words in place of an answer refuse the wish and reach the agent; to a question that takes words they are the answer', () => {
    let briefs: string[] = []
    const told = (ask: AgentAsk): string | undefined => {
      const played = answer(asking(ask), 'words', 'use git clean')
      briefs = [...briefs, ...played.state.notes]
      return played.events.findLast(({ type }) => type === 'escalation.answered')?.type
    }
    expect(told(ASK)).toBe('escalation.answered')
    expect(briefs).toEqual(['use git clean'])
    const open = asking({ ...ASK, kind: 'question', options: [{ id: 'w', label: 'In words', kind: 'words' }, ...ASK.options] })
    expect(answer(open, 'words', 'blue').state.status).toBe('completed')
  })

  test('ASK-15 another configuration in place of an answer has the work start over', () => {
    const before = asking()
    const { config } = before.state
    const after = before.on({
      type: 'run.reconfigured',
      at: 0,
      by: { role: 'runner' },
      data: { config: { ...config, agent: { name: 'other', v: 1, settings: {} } }, message: 'Another agent.' },
    })
    expect(after.state.status).toBe('completed')
    expect(after.events.filter(({ type }) => type === 'escalation.raised')).toHaveLength(1)
  })

  test('ASK-32 another agent gets the answers, and not the session of the one that asked', () => {
    const state = withReplied()
    const session = (config: RunConfig): string | undefined =>
      askingSession(evolve(state, reconfigured(state, config)), '1/coder/0')
    const other = { name: 'other', v: 1, settings: {} }
    expect(session({ ...state.config, guards: [] })).toBe('s-1')
    expect(session({ ...state.config, agent: other })).toBeUndefined()
    expect(session({ ...state.config, roles: { coder: other } })).toBeUndefined()
    const after = evolve(state, reconfigured(state, { ...state.config, agent: other }))
    expect(replyFor(after, '1/coder/0', ASK)?.option).toBe('a')
  })

  test('ASK-33 what the session of put-aside work has used is remembered, so that what follows is not counted twice', () => {
    const { sessions } = asking().state
    expect(sessions).toEqual([{ role: 'coder', agent: '', id: 's-1', used: { costUsd: 1.5 } }])
  })

  test('ASK-16 time a person takes to answer in place is not time at work', () => {
    const open = asking().state
    const key = open.current.asked?.[0]?.key ?? ''
    const played = play({
      loop: taskLoop({ goal: 'all right' }),
      guards: [maxIterations(3)],
      respond: (effect, state) => {
        if (effect.kind !== 'work') return undefined
        const at = state.at + 1000
        const data = { key, ask: ASK, option: 'a', how: 'person', waitedMs: 999 } as const
        return [{ type: 'work.answered', at, by: { role: 'person' }, data }, ...usual(effect, { ...state, at })]
      },
    })
    expect(played.state.totals.activeMs).toBeLessThan(100)
  })
})
