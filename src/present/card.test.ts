import { describe, expect, it, test } from 'vitest'
import type { Event } from '../core/event.ts'
import { budget, circuitBreaker, maxIterations } from '../guards/index.ts'
import { plainScreen, playedRun } from '../../test/support/view-fixture.ts'
import { questionAnswer } from './question.ts'
import { runLines } from './run-lines.ts'
import { runView } from './run-view.ts'
import { factsWords, groundLines, type ShownQuestion, stopCard, stopCardLines } from './card.ts'
import { textWidth } from './layout.ts'

function cardOf(events: readonly Event[], columns = 80): readonly string[] {
  return stopCardLines(stopCard(runView(events)), plainScreen(columns))
}

describe('the card at the end of a run that did not succeed', () => {
  it('CLI-230 says which rule, on what evidence, what would have let it go on, the best iteration and how to answer', () => {
    const card = cardOf(playedRun({ failing: [3, 1, 2, 2] }))
    expect(card.slice(0, 13)).toEqual([
      '── fix-login: escalated ────────────────────────────────────────────────────────',
      'Rule        maxIterations: 3 iterations done, and the maximum is 3.',
      'Evidence    iterations 3, iterationsMax 3; fact 23',
      'To go on    A maximum of 6 would have let it go on.',
      '',
      expect.stringMatching(/^Used {8}3 iterations, .* at work, \$0\.15, 1,500 tokens$/),
      'Attempts    Iteration 1: Test failed - login > id:… (1 failing, 2 files changed)',
      '            Iteration 2: Test failed - login > id:… (2 failing, 2 files changed)',
      '            Iteration 3: Test failed - login > id:… (2 failing, 2 files changed)',
      expect.stringMatching(/^Odds {8}with up to 6 iterations: chance to succeed from here /),
      '            recorded moments given such a chance)',
      'Best so far iteration 1: 1 failure, score 0.9',
      '',
    ])
    expect(card[13]).toMatch(/^After 3 attempts this still fails/)
    expect(card.filter((line) => /^(Seen {8}The same failure| {2}\d {2})/.test(line))).toEqual([
      expect.stringContaining('Seen'),
      '  1  Go on, with up to 6 iterations (recommended)',
      '  2  Accept the work as it is',
      '  3  End the run here',
    ])
    expect(card.slice(-10)).toEqual([
      '',
      'First       1. Go back to iteration 1, the best verified state:',
      '            pawl restore fix-login 1',
      '            2. See whether it gets better from iteration to iteration (pawl show',
      '            fix-login): if so, more of them help; if not, say what it does not',
      '            know, or ask for less.',
      'Answer      pawl answer fix-login 1',
      '            pawl answer fix-login 1 --note "what the agent should know"',
      'Look        pawl show fix-login',
      '─'.repeat(80),
    ])
  })

  it('FEED-8 shows what the last attempt changed: on the card, in show and to MCP', () => {
    const changes = [{ path: 'src/login.ts', lines: ['-return id', '+return Number(id)'] }]
    const events = playedRun({ failing: [3, 1, 2, 2] }).map((event) =>
      event.type === 'escalation.raised'
        ? { ...event, data: { ...event.data, question: { ...event.data.question, changes } } }
        : event,
    )
    const shown = [
      'Changed     src/login.ts',
      '            -return id',
      '            +return Number(id)',
      '            pawl diff fix-login',
    ]
    const view = runView(events)
    for (const lines of [cardOf(events), runLines(view, plainScreen(80), 0)]) {
      const from = lines.indexOf(shown[0] ?? '')
      expect(lines.slice(from, from + shown.length)).toEqual(shown)
    }
    const raised = events.find((event) => event.type === 'escalation.raised')
    expect(raised?.type === 'escalation.raised' && questionAnswer('r', { seq: 1, question: raised.data.question }).changes).toBe(
      'src/login.ts\n-return id\n+return Number(id)',
    )
  })

  it('CLI-230 names every rule that decided, and no mere warning', () => {
    const guards = [maxIterations(3), circuitBreaker({ failuresMax: 2 }), budget({ costUsdMax: 0.19, warnShare: 0.5 })]
    const rules = cardOf(playedRun({ failing: [3, 3, 3, 3], guards })).filter((line) => line.startsWith('Rule'))
    expect(rules.map((line) => line.split(/[\s:]+/)[1])).toEqual(['circuitBreaker'])
  })

  it('CLI-230 a budget that stopped the run says how much of it was used', () => {
    const text = cardOf(playedRun({ failing: [3, 3], guards: [budget({ costUsdMax: 0.04 })] })).join('\n')
    expect(text).toContain('fix-login: stopped')
    expect(text).toContain('budget: The cost budget is used up: $0.05 of $0.04.')
    expect(text).toContain('pawl answer fix-login 1')
  })

  it('ODDS-11 tells the chance to succeed from here with the count of recorded moments given such a chance, also as data; a run that is over has none', () => {
    const events = playedRun({ failing: [3, 3, 3, 3], guards: [maxIterations(8), circuitBreaker({ failuresMax: 3 })] })
    const { odds } = runView(events)
    expect(odds).toMatchObject({ status: 'known', kind: 'attempts' })
    expect(cardOf(events).join('\n')).toMatch(
      /^Odds {8}chance to succeed from here (?:under 1|\d+)% \([\d,]+ recorded moments\s+given\s+such\s+a\s+chance\)$/m,
    )
    expect(runView(playedRun({ failing: [3, 0], guards: [maxIterations(8)] })).odds).toBeUndefined()
  })

  it('ODDS-51 at the maximum the chance is that with the maximum the recommended answer gives', () => {
    const events = playedRun({ failing: [3, 3, 3, 3, 3], guards: [maxIterations(4)] })
    const { odds, oddsIfRaised } = runView(events)
    expect(odds).toBeUndefined()
    expect(oddsIfRaised).toMatchObject({ iterationsMax: 7, odds: { status: 'known', iteration: 4 } })
    const text = cardOf(events).join('\n')
    expect(text).toContain('Go on, with up to 7 iterations (recommended)')
    expect(text).toMatch(/^Odds {8}with up to 7 iterations: chance to succeed from here (?:under 1|\d+)% \([\d,]+\s+recorded/m)
    const long = playedRun({ failing: Array<number>(42).fill(3), guards: [maxIterations(40)] })
    expect(cardOf(long).join(' ')).toMatch(
      /with up to \d+ iterations: chance to succeed from here unknown: too\s+few recorded loops stood here/,
    )
    const stopped = playedRun({ failing: [3, 3, 3, 3], guards: [maxIterations(8), circuitBreaker({ failuresMax: 3 })] })
    expect(runView(stopped).oddsIfRaised).toBeUndefined()
  })

  it('CLI-484 while a passing state waits for a review, it is the best so far', () => {
    const events = playedRun({ failing: [4, 0], isReviewed: true })
    expect(runView(events).best).toMatchObject({ iteration: 1, passed: true, isInReview: true, tree: 'tree-1' })
    const card = cardOf(events)
    expect(card).toContain('Best so far iteration 1: every other check passed, and it waits for the review')
    expect(card.find((line) => line.startsWith('Used'))).toMatch(/^Used {8}1 iteration, /)
    expect(card.join('\n')).not.toContain('pawl restore')
    const rejected = runView(playedRun({ failing: [4, 0, 1, 1], isReviewed: true, answers: [{ choice: 'reject' }] }))
    expect(rejected.best).not.toHaveProperty('isInReview')
  })

  it('CLI-485 a pass that proves nothing is asked about for that, and not for the maximum that was reached with it', () => {
    const events = playedRun({ failing: [0, 0], isIdle: true, guards: [maxIterations(1)] })
    const card = cardOf(events)
    expect(card[1]).toBe('The checks pass, as they did before, and nothing was changed.')
    expect(card.join('\n')).toContain('Is the goal reached?')
    expect(card.join('\n')).not.toMatch(/maxIterations|would have let it go on/)
    expect(cardOf(playedRun({ failing: [3, 3], guards: [maxIterations(1)] }))[1]).toContain('maxIterations')
  })

  it('CLI-231 a paused run says why and how to go on', () => {
    const events = playedRun({ failing: [3, 2], factsMax: 4 })
    const paused = {
      type: 'run.paused',
      at: 0,
      by: { role: 'runner' },
      data: { reason: 'Interrupted.' },
      seq: events.length + 1,
      run: 'fix-login',
      v: 1,
    } as const
    const lines = cardOf([...events, paused])
    expect(lines[1]).toBe('Interrupted.')
    expect(lines).toContain('Go on       pawl resume fix-login')
  })

  it('CLI-232 is never wider than 80 columns nor than the terminal, commands to copy aside', () => {
    const goal = 'x'.repeat(300)
    for (const columns of [60, 80, 200]) {
      const lines = cardOf(
        playedRun({ failing: [3, 1, 2, 2], goal, guards: [maxIterations(3), circuitBreaker({ failuresMax: 2 })] }),
        columns,
      )
      const wide = lines.filter((line) => textWidth(line) > Math.min(columns, 80))
      expect(wide.filter((line) => !line.includes('pawl '))).toEqual([])
    }
  })
})

const SCREEN = { columns: 80, paint: (_style: unknown, text: string) => text }
const QUESTION: ShownQuestion = { text: 'What now?', options: [] }

test('CLI-482 a single step to do before answering has no number', () => {
  expect(groundLines({ ...QUESTION, steps: ['Look at it.'] }, SCREEN)).toEqual(['First       Look at it.'])
  expect(groundLines({ ...QUESTION, steps: ['Look at it.', 'Mend it.'] }, SCREEN)).toEqual([
    'First       1. Look at it.',
    '            2. Mend it.',
  ])
})

test.each([
  [[], ''],
  [[41], 'fact 41'],
  [[41, 12, 25], 'facts 12, 25 and 41'],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'facts 3, 4, 5, 6, 7, 8, 9, 10 and 2 earlier'],
])('CLI-220 the facts %j that something rests on are told as "%s"', (seqs, words) => {
  expect(factsWords(seqs)).toBe(words)
})
