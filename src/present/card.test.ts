import { describe, expect, it, test } from 'vitest'
import type { Event } from '../core/event.ts'
import { budget, circuitBreaker, maxIterations } from '../guards/index.ts'
import { plainScreen, playedRun } from '../../test/support/view-fixture.ts'
import { questionAnswer } from './question.ts'
import { runLines } from './run-lines.ts'
import { runView } from './run-view.ts'
import { doneLines, factsWords, groundLines, type ShownQuestion, stopCard, stopCardLines } from './card.ts'
import { textWidth } from './layout.ts'

function cardOf(events: readonly Event[], columns = 80): readonly string[] {
  return stopCardLines(stopCard(runView(events)), plainScreen(columns))
}

describe('the card at the end of a run that did not succeed', () => {
  it('FEED-8 shows what the last attempt changed: on the card, in show and to MCP', () => {
    const changes = [{ path: 'src/login.ts', lines: ['-return id', '+return Number(id)'] }]
    const events = playedRun({ failing: [3, 1, 2, 2] }).map((event) =>
      event.type === 'escalation.raised'
        ? { ...event, data: { ...event.data, question: { ...event.data.question, changes } } }
        : event,
    )
    const shown = ['Changed src/login.ts', '-return id', '+return Number(id)', 'pawl diff fix-login']
    for (const lines of [cardOf(events), runLines(runView(events), plainScreen(80), 0)]) {
      const from = lines.findIndex((line) => line.trimStart().startsWith('Changed'))
      expect(lines.slice(from, from + shown.length).map((line) => line.trim().replaceAll(/ +/g, ' '))).toEqual(shown)
    }
    const raised = events.find((event) => event.type === 'escalation.raised')
    expect(raised?.type === 'escalation.raised' && questionAnswer('r', { seq: 1, question: raised.data.question }).changes).toBe(
      'src/login.ts\n-return id\n+return Number(id)',
    )
  })

  it('CLI-230 says what fails, the pattern, the options and the one command that answers and resumes', () => {
    expect(cardOf(playedRun({ failing: [3, 1, 2, 2] }))).toEqual([
      '■ fix-login needs your answer · 3/3 iterations · 11s · $0.15 · 1,500 tokens',
      '  ✗ login > id: expected 42 to be "42"',
      '  Pattern  The same failure after each of the last 3 attempts.',
      '  Attempts Iteration 1: Test failed - login > id:… (1 failing, 2 files changed)',
      '           Iteration 2: Test failed - login > id:… (2 failing, 2 files changed)',
      '           Iteration 3: Test failed - login > id:… (2 failing, 2 files changed)',
      expect.stringMatching(/^ {2}odds ~\d+%: \d+ of \d+ comparable recorded cases succeeded$/),
      '',
      '  How should it continue?',
      '    1  Continue, with up to 6 iterations (recommended)',
      '    2  Accept the work as it is',
      '    3  End the run (files stay as they are)',
      '',
      '  Best     pawl restore fix-login 1  (iteration 1: 1 failure)',
      '  Details  pawl show fix-login      Hint  add --note "…"',
      '  Answer   pawl answer fix-login 1 --resume',
    ])
  })

  it('CLI-520 shows each failing test and each idle attempt once, and says which test a pattern is about', () => {
    const says = {
      text: [
        { code: 'attempts.failing', values: { attempts: 2, more: 1 } },
        { code: 'attempts.failure', values: { id: 'adds', text: 'adds: 3 is not 6', expected: '6', received: '3' } },
        { code: 'attempts.ask', values: {} },
      ],
      pattern: [{ code: 'pattern.format-mismatch', values: { difference: 'type', test: 'logs in', message: '' } }],
    }
    const view = runView(playedRun({ failing: [3, 3, 3], isIdle: true, guards: [maxIterations(2)] }))
    if (!view.question) throw new Error('nothing was asked')
    const question = {
      ...view.question,
      text: 'After 2 attempts this still fails, and 1 more:\nadds: 3 is not 6\nWhat now?',
      pattern: 'Code and test disagree.',
      feedback: ['adds (a.test.js:4): expected 6, received 3', 'logs in (a.test.js:5): expected 7, received "7"'],
      says,
    }
    expect(stopCardLines(stopCard({ ...view, question }), plainScreen(80)).slice(1, 6)).toEqual([
      '  ✗ adds',
      '    test expects  6      code returns  3',
      '  Also     logs in (a.test.js:5): expected 7, received "7"',
      '  Pattern  same value, different type (logs in)',
      expect.stringMatching(/^ {2}Attempts Iterations 1–2: .*nothing changed\)$/),
    ])
  })

  it('CLI-520 a failure without values is shown once, and the odds with your own runs keep within 80 columns', () => {
    const text = 'a.c:3: expected a semicolon'
    const says = {
      text: [
        { code: 'attempts.failing', values: { attempts: 3, more: 1 } },
        { code: 'attempts.failure', values: { id: 'a', text } },
      ],
    }
    const view = runView(playedRun({ failing: [3, 3, 3], guards: [maxIterations(2)] }))
    if (!view.question) throw new Error('nothing was asked')
    const question = {
      ...view.question,
      text: `After 3 attempts this still fails:\n${text}`,
      feedback: [`${text} (iteration 3)`, 'b.c:4: other'],
      says,
    }
    const odds = { ...view.odds, status: 'known', iteration: 3, chance: 0.2, given: 567, endedWell: 109, ownLoops: 12 } as const
    const card = stopCardLines(stopCard({ ...view, question, odds: odds as never }), plainScreen(80))
    expect(card.filter((line) => line.includes(text))).toEqual([`  ✗ ${text}`])
    expect(card).toContain('  Also     b.c:4: other')
    expect(Math.max(...card.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('CLI-230 has the reason of every guard that decided, and of no mere warning', () => {
    const guards = [maxIterations(3), circuitBreaker({ failuresMax: 2 }), budget({ costUsdMax: 0.19, warnShare: 0.5 })]
    const card = cardOf(playedRun({ failing: [3, 3, 3, 3], guards }))
    expect(card[1]).toBe('  2 failed iterations in a row, none better than a score of 0.7.')
    expect(card.join('\n')).not.toContain('budget')
  })

  it('CLI-230 a budget that stopped the run says how much of it was used', () => {
    const card = cardOf(playedRun({ failing: [3, 3], guards: [budget({ costUsdMax: 0.04 })] }))
    expect(card.slice(0, 2)).toEqual([
      '■ fix-login needs your answer · 1 iteration · 5.0s · $0.05 · 500 tokens',
      '  The cost budget is used up: $0.05 of $0.04.',
    ])
    expect(card.at(-1)).toBe('  Answer   pawl answer fix-login 1 --resume')
  })

  it('CLI-230 is at most 24 lines long, and its last lines are never cut', () => {
    const pattern = 'A long pattern. '.repeat(100)
    const view = runView(playedRun({ failing: [3, 3, 3, 3] }))
    const question = view.question && { ...view.question, pattern, says: { text: view.question.says?.text ?? [] } }
    const card = stopCardLines(stopCard({ ...view, ...(question ? { question } : {}) }), plainScreen(80))
    expect(card).toHaveLength(24)
    expect(card).toContain('  …')
    expect(card.at(-1)).toBe('  Answer   pawl answer fix-login 1 --resume')
  })

  it('ODDS-11 shows the odds with the count of comparable recorded cases, also as data; a run that is over has none', () => {
    const events = playedRun({ failing: [3, 3, 3, 3], guards: [maxIterations(8), circuitBreaker({ failuresMax: 3 })] })
    const { odds } = runView(events)
    expect(odds).toMatchObject({ status: 'known', kind: 'attempts' })
    expect(cardOf(events).join('\n')).toMatch(/^ {2}odds (?:under 1|~\d+)%: \d+ of \d+ comparable recorded cases succeeded$/m)
    expect(runView(playedRun({ failing: [3, 0], guards: [maxIterations(8)] })).odds).toBeUndefined()
  })

  it('ODDS-51 at the maximum the chance is that with the maximum the recommended answer gives', () => {
    const events = playedRun({ failing: [3, 3, 3, 3, 3], guards: [maxIterations(4)] })
    const { odds, oddsIfRaised } = runView(events)
    expect(odds).toBeUndefined()
    expect(oddsIfRaised).toMatchObject({ iterationsMax: 7, odds: { status: 'known', iteration: 4 } })
    const text = cardOf(events).join('\n')
    expect(text).toContain('Continue, with up to 7 iterations (recommended)')
    expect(text).toMatch(/^ {2}odds (?:under 1|~\d+)%: /m)
    const long = playedRun({ failing: Array<number>(42).fill(3), guards: [maxIterations(40)] })
    expect(cardOf(long).join('\n')).not.toContain('odds')
    const stopped = playedRun({ failing: [3, 3, 3, 3], guards: [maxIterations(8), circuitBreaker({ failuresMax: 3 })] })
    expect(runView(stopped).oddsIfRaised).toBeUndefined()
  })

  it('CLI-484 while a passing state waits for a review, it is the best so far', () => {
    const events = playedRun({ failing: [4, 0], isReviewed: true })
    expect(runView(events).best).toMatchObject({ iteration: 1, passed: true, isInReview: true, tree: 'tree-1' })
    const card = cardOf(events)
    expect(card[0]).toMatch(/^■ fix-login needs your answer · 1\/\d iterations · /)
    expect(card.join('\n')).not.toContain('pawl restore')
    const rejected = runView(playedRun({ failing: [4, 0, 1, 1], isReviewed: true, answers: [{ choice: 'reject' }] }))
    expect(rejected.best).not.toHaveProperty('isInReview')
  })

  it('CLI-485 a pass that proves nothing is asked about for that, and not for the maximum that was reached with it', () => {
    const events = playedRun({ failing: [0, 0], isIdle: true, guards: [maxIterations(1)] })
    const card = cardOf(events)
    expect(card.slice(1, 3).join('')).toContain('The checks passed before the agent began and it changed nothing')
    expect(card.join('\n')).toContain('Is the goal reached?')
    expect(card.join('\n')).not.toMatch(/maxIterations|maximum/)
    expect(cardOf(playedRun({ failing: [3, 3], guards: [maxIterations(1)] }))[0]).toContain('1/1 iteration')
  })

  it('CLI-231 a paused run says why and how to resume', () => {
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
    expect(lines[1]).toBe('  Interrupted.')
    expect(lines.at(-1)).toBe('  Resume   pawl resume fix-login')
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
  expect(groundLines({ ...QUESTION, steps: ['Look at it.'] }, SCREEN)).toEqual(['Advice      Look at it.'])
  expect(groundLines({ ...QUESTION, steps: ['Look at it.', 'Mend it.'] }, SCREEN)).toEqual([
    'Advice      1. Look at it.',
    '            2. Mend it.',
  ])
})

test.each([
  [[], ''],
  [[41], 'event 41'],
  [[41, 12, 25], 'events 12, 25 and 41'],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 'events 3, 4, 5, 6, 7, 8, 9, 10 and 2 earlier'],
])('CLI-220 the facts %j that something rests on read "%s"', (seqs, words) => {
  expect(factsWords(seqs)).toBe(words)
})

test.each([
  [['not', 'not'], 'Not answered'],
  [['not', 'claimed'], 'Partly answered'],
])('RESCLI-30 research whose questions are %j is no success: %s', (statuses, words) => {
  const questions = statuses.map((status) => ({ status }))
  const view = { ...runView(playedRun({ failing: [3, 0] })), loop: 'research', message: 'PARTIAL CONVERGENCE: The last one.' }
  const screen = { columns: 80, paint: (style: string, text: string): string => `<${style}>${text}` }
  const [first] = doneLines(view, screen, { research: { status: 'PARTIAL', questions } })
  expect(first).toContain(`<yellow>■ ${words}: The last one.`)
  expect(first).not.toMatch(/✓|green/)
  expect(doneLines(view, screen, { research: { status: 'FULL', questions } })[0]).toContain('<green>✓')
  const long = { ...view, message: `PARTIAL CONVERGENCE: ${'The last one. '.repeat(9)}` }
  const plain = { columns: 80, paint: (_: string, text: string): string => text }
  const lines = doneLines(long, plain, { said: '{"findings": []}', research: { status: 'PARTIAL', questions } })
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(lines.join('\n')).not.toMatch(/Agent|findings/)
})

test('CLI-522 failing work that you accept is not called a pass', () => {
  const view = runView(playedRun({ failing: [3, 2, 2, 2] }))
  expect(doneLines({ ...view, status: 'completed' }, plainScreen(80))[0]).toMatch(/^✓ Accepted by you, with 2 failing · /)
})
