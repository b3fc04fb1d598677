import { expect, onTestFinished, test, vi } from 'vitest'
import type { Event } from '../../core/event.ts'
import { budget, maxIterations } from '../../guards/index.ts'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import { liveProgress } from './live-progress.ts'
import { playedRun } from '../../../test/support/view-fixture.ts'
import { movementWords } from '../../present/run-lines.ts'
import { runView } from '../../present/run-view.ts'

/** What is said while these events come in. */
function said(events: readonly Event[]): readonly string[] {
  const [first] = events
  if (first?.type !== 'run.started') throw new Error('A run begins with run.started.')
  const context = collectingContext('/project')
  const view = liveProgress(context.terminal, [], first.run, first.data.config)
  events.forEach(view.onEvent)
  view.close()
  return context.said
}

test('CLI-330 while a run of several tasks goes, each task and its attempts are told', () => {
  const lines = said(playedRun({ goal: 'Both', tasks: ['Login', 'Logout'], failing: [2, 1, 0, 1, 0] }))
  expect(lines[1]).toContain('2 tasks · agent claude · checks: tests · at most 3 iterations each')
  expect(
    lines
      .filter((line) => /^ {2}(task|iteration) \d/.test(line) && !line.includes('at work'))
      .map((line) => line.replace(/ {2}(?:passed|failing).*/, '')),
  ).toEqual([
    '  task 1/2         Login',
    '  iteration 1/3  ',
    '  iteration 2/3  ',
    '  task 1 done: 1 test that failed before passes now.',
    '  task 2/2         Logout',
    '  iteration 1/3  ',
    '  iteration 2/3  ',
    '  task 2 done: 1 test that failed before passes now.',
  ])
  expect(lines).toContain('  task 2 of 2, iteration 1 of 3: claude is at work')
})

function headerWith(limits: Parameters<typeof budget>[0]): string | undefined {
  return said(playedRun({ failing: [2, 0], guards: [maxIterations(3), budget(limits)] }))[1]
}

test('CLI-407 the header names every limit of the budget that is set, and none that is not', () => {
  expect(headerWith({ costUsdMax: 3, tokensMax: 5000, durationMsMax: 180_000 })).toMatch(
    / · at most 3 iterations · at most \$3\.00, 5,000 tokens, 3 min$/,
  )
  expect(headerWith({ durationMsMax: 2 * 3_600_000 })).toMatch(/ · at most 3 iterations · at most 2 h$/)
  expect(headerWith({ durationMsMax: 90_000 })).toMatch(/ · at most 1 min 30 s$/)
  expect(headerWith({ costUsdMax: 0 })).toMatch(/ · at most 3 iterations$/)
})

test('CLI-331 the goal in the first line cannot move the cursor either', () => {
  expect(said(playedRun({ goal: 'a \u001b[31mred\u001b[0m goal', failing: [0] }))[0]).toBe('fix-login  a red goal')
})

test('CLI-331 what a reviewer says is told while the run goes, and cannot move the cursor', () => {
  const lines = said(
    playedRun({
      failing: [2, 0, 0],
      isReviewed: true,
      answers: [
        { choice: 'reject', note: 'The id\u001b[2J must be a number.' },
        { choice: 'approve', note: 'Good.' },
      ],
    }),
  )
  expect(lines.filter((line) => line.startsWith('  review'))).toEqual([
    '  review           rejected: The id must be a number.',
    '  review           approved: Good.',
  ])
})

const named = (name: string) => ({ name, v: 1, settings: {} })

test('CLI-423 the live line says who reviews, also where another stands in for them', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const [first, ...rest] = playedRun({ failing: [2, 0], factsMax: 5 })
  if (first?.type !== 'run.started') throw new Error('A run begins with run.started.')
  const review = { name: 'agent-review', v: 1, settings: { name: 'review', review: 'agent', agent: named('codex') } }
  const config = { ...first.data.config, checks: [...first.data.config.checks, review], fallbacks: [named('qwen')] }
  const after = (type: string, data: object): Event =>
    ({ ...first, seq: rest.length + 2, type, by: { role: 'check', name: 'review' }, data }) as unknown as Event
  const live: string[] = []
  const { terminal } = collectingContext('/project')
  const shown = { ...terminal, isLive: true, live: (line: string | undefined) => void live.push(line ?? '') }
  const view = liveProgress(shown, [], first.run, config)
  const lineAt = (event: Event): string | undefined => {
    view.onEvent(event)
    vi.advanceTimersByTime(200)
    return live.at(-1)
  }
  for (const event of [{ ...first, data: { config } }, ...rest]) view.onEvent(event)
  const begun = { key: '1/check/1', name: 'review', isReview: true }
  expect(lineAt(after('check.started', begun))).toMatch(/ {2}the reviewer codex is at work$/)
  const switched = { from: 'codex', to: 'qwen', reason: 'unavailable', message: 'qwen goes on for codex.' }
  view.onEvent(after('agent.switched', switched))
  expect(lineAt(after('check.started', begun))).toMatch(/ {2}the reviewer qwen is at work$/)
  expect(lineAt(after('check.started', { key: '1/check/0', name: 'tests' }))).toMatch(/ {2}checking: tests$/)
  view.close()
})

test('ODDS-11 after a failed iteration the chance to succeed from here is told, where it is known', () => {
  const lines = said(playedRun({ failing: [3, 2, 2, 2, 0], guards: [maxIterations(8)] }))
  const odds = lines.filter((line) => line.includes('chance to succeed'))
  expect(odds).toHaveLength(3)
  expect(odds[2]).toMatch(/^ {19}chance to succeed from here (?:under 1|\d+)% \([\d,]+ recorded moments given such a chance\)$/)
})

test('ODDS-50 where the odds abstain, that is told once and not after every iteration', () => {
  const lines = said(playedRun({ failing: [3, 2, 2, 2, 2, 0], guards: [maxIterations(500)] }))
  const odds = lines.filter((line) => line.includes('chance to succeed'))
  expect(odds).toEqual([
    `${' '.repeat(19)}chance to succeed from here unknown: too few recorded loops stood here with as many iterations left`,
  ])
})

test('CLI-336 the line of an iteration says what it cost, or, where nobody knows that, how many tokens it took', () => {
  const priced = playedRun({ failing: [2, 0] })
  const free = priced.map((event) =>
    event.type === 'iteration.ended' ? ({ ...event, data: { ...event.data, costUsd: 0, tokens: 12_345 } } as Event) : event,
  )
  const [cost, tokens] = [priced, free].map((events) => said(events).find((line) => line.includes('iteration 1/3')))
  expect(cost).toMatch(/ s {2}\$0\.05$/)
  expect(tokens).toMatch(/ s {2}12,345 tokens$/)
})

test('CLI-480 whoever is asked on the spot is shown the rule, what was seen, what fails and what to do first', () => {
  const events = playedRun({ failing: [2, 2, 2, 2] })
  const raised = events.find((event) => event.type === 'escalation.raised')
  if (raised?.type !== 'escalation.raised') throw new Error('It asks at the maximum.')
  const context = collectingContext('/project')
  const view = liveProgress(context.terminal, [], raised.run, configOf(events))
  events.slice(0, events.indexOf(raised) + 1).forEach(view.onEvent)
  const before = context.said.length
  view.makeRoom({ ...raised.data.question, feedback: ['one: is wrong', 'two: is wrong'] })
  const shown = context.said.slice(before).join('\n')
  expect(shown).toMatch(/^\nRule {8}maxIterations: 3 iterations done/)
  expect(shown).toContain('\nSeen        The same failure after each of the last 3 attempts.')
  expect(shown).toContain('\nFails       one: is wrong\n            two: is wrong')
  expect(shown).toMatch(/\nFirst {7}\S/)
  const asks = { code: 'agent-asks', text: 'The agent asks: May I?', options: [], attempts: [] }
  const count = context.said.length
  view.makeRoom(asks)
  view.close()
  expect(context.said.slice(count)).toEqual([])
})

function configOf([first]: readonly Event[]) {
  if (first?.type !== 'run.started') throw new Error('A run begins with run.started.')
  return first.data.config
}

test('CLI-483 the line of an iteration says how many tests did not run, within its column', () => {
  const events = playedRun({ failing: [4, 1, 0], ran: [10, 7, 10] })
  const [broken, mended] = said(events).filter((line) => /^ {2}iteration \d\//.test(line))
  expect(broken).toContain('  failing  4 -> 1, 3 not run   2 files changed')
  expect(mended).toContain('  passed   1 -> 0 failing      2 files changed')
  expect(runView(events).iterations.map(movementWords)).toEqual(['4 -> 1, 3 not run', '1 -> 0'])
})

test('LONG-5 where there is no live line, what the agent does is said now and then, in one line', () => {
  const [started, ...rest] = playedRun({ goal: 'good', failing: [0] })
  if (started?.type !== 'run.started') throw new Error('A run begins with run.started.')
  const saidWith = (activityMsMin: number): readonly string[] => {
    const context = collectingContext('/project')
    const view = liveProgress(context.terminal, [], started.run, started.data.config, {
      activityMsMin,
      folder: 'shop/packages/a',
    })
    for (const event of [started, ...rest.slice(0, 3)]) view.onEvent(event)
    for (const line of ['Edit src/a.js', 'Bash npm \n test']) view.onProgress({ key: '1/coder/0', line })
    view.close()
    return context.said
  }
  expect(saidWith(0).filter((line) => /Edit src|Bash npm/.test(line))).toEqual([
    expect.stringMatching(/^ {4}\S.* Edit src\/a\.js$/),
    expect.stringMatching(/^ {4}\S.* Bash npm test$/),
  ])
  expect(saidWith(60_000).filter((line) => /Edit src|Bash npm/.test(line))).toEqual([])
  // PROJ-1: the header names the folder.
  expect(saidWith(60_000)[1]).toMatch(/ · in shop\/packages\/a$/)
})
