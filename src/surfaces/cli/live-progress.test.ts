import { expect, onTestFinished, test, vi } from 'vitest'
import type { Event } from '../../core/event.ts'
import { budget, maxIterations, sameFailure } from '../../guards/index.ts'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import { liveProgress } from './live-progress.ts'
import { playedRun } from '../../../test/support/view-fixture.ts'
import { liveLine, runProgress } from '../../present/progress.ts'
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

test('CLI-330 a run of several tasks shows each task and its attempts while it runs', () => {
  const lines = said(playedRun({ goal: 'Both', tasks: ['Login', 'Logout'], failing: [2, 1, 0, 1, 0] }))
  expect(lines[0]).toContain('2 tasks · claude · tests · max 3 iterations each')
  expect(
    lines
      .filter((line) => /^ {2}(?:✓ task|task|\d)/.test(line) && !line.includes('working'))
      .map((line) => line.replace(/ (?:failing|all checks).*/, '')),
  ).toEqual([
    '  task 1/2  Login',
    '  1/3  ✗  2 → 1',
    '  2/3  ✓  1 → 0',
    '  ✓ task 1 done: 1 test failed before and passes now.',
    '  task 2/2  Logout',
    '  1/3  ✗  0 → 1',
    '  2/3  ✓  1 → 0',
    '  ✓ task 2 done: 1 test failed before and passes now.',
  ])
  expect(lines).toContain('  1/3  claude is working')
})

function headerWith(limits: Parameters<typeof budget>[0]): string | undefined {
  return said(playedRun({ failing: [2, 0], guards: [maxIterations(3), budget(limits)] })).find((line) => line.includes('max 3'))
}

test('CLI-407 the header names every limit of the budget that is set, and none that is not', () => {
  expect(headerWith({ costUsdMax: 3, tokensMax: 5000, durationMsMax: 180_000 })).toMatch(
    / · max 3 iterations · at most \$3\.00, 5,000 tokens, 3 min$/,
  )
  expect(headerWith({ durationMsMax: 2 * 3_600_000 })).toMatch(/ · max 3 iterations · at most 2 h$/)
  expect(headerWith({ durationMsMax: 90_000 })).toMatch(/ · at most 1 min 30 s$/)
  expect(headerWith({ costUsdMax: 0 })).toMatch(/ · max 3 iterations$/)
})

test('CLI-331 the goal in the first line cannot move the cursor either', () => {
  expect(said(playedRun({ goal: 'a \u001b[31mred\u001b[0m goal', failing: [0] }))[0]).toMatch(
    /^fix-login {2}a red goal {4,}claude/,
  )
})

test('CLI-331 a reviewer’s words are shown during the run, and cannot move the cursor', () => {
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
  expect(lines.filter((line) => line.startsWith('          review'))).toEqual([
    '          review: rejected: The id must be a number.',
    '          review: approved: Good.',
  ])
})

const named = (name: string) => ({ name, v: 1, settings: {} })

test('CLI-423 the live line says who reviews, even if another agent fills in', () => {
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
  expect(lineAt(after('check.started', begun))).toMatch(/ {2}the reviewer codex is working$/)
  const switched = { from: 'codex', to: 'qwen', reason: 'unavailable', message: 'qwen continues for codex.' }
  view.onEvent(after('agent.switched', switched))
  expect(lineAt(after('check.started', begun))).toMatch(/ {2}the reviewer qwen is working$/)
  expect(lineAt(after('check.started', { key: '1/check/0', name: 'tests' }))).toMatch(/ {2}checking: tests$/)
  view.close()
})

test('ODDS-11 from the second failed iteration on the odds are shown, if they are known', () => {
  const lines = said(playedRun({ failing: [3, 2, 2, 2, 0], guards: [maxIterations(8)] }))
  const odds = lines.filter((line) => line.includes('odds ~'))
  expect(odds).toHaveLength(2)
  expect(odds[1]).toMatch(/^ {10}odds (?:under 1|~\d+)%: \d+ of \d+ comparable recorded cases succeeded$/)
})

test('CLI-523 a warning that the card repeats is printed if the run continues, and not before the card', () => {
  const lines = said(playedRun({ failing: [2, 2, 2, 2, 2], guards: [maxIterations(4), sameFailure({ severity: 'warn' })] }))
  const notes = lines.filter((line) => line.includes('The same failure'))
  expect(notes).toHaveLength(1)
  expect(notes[0]).toContain('note: The same failure 3 iterations in a row')
})

test('ODDS-50 if too few cases are comparable, nothing is said of the odds', () => {
  const lines = said(playedRun({ failing: [3, 2, 2, 2, 2, 0], guards: [maxIterations(500)] }))
  expect(lines.filter((line) => line.includes('odds'))).toEqual([])
})

test('CLI-336 the line of an iteration says what it cost, or, if nobody knows that, how many tokens it took', () => {
  const priced = playedRun({ failing: [2, 0] })
  const free = priced.map((event) =>
    event.type === 'iteration.ended' ? ({ ...event, data: { ...event.data, costUsd: 0, tokens: 12_345 } } as Event) : event,
  )
  const [cost, tokens] = [priced, free].map((events) => said(events).find((line) => /^ {2}1\/3 {2}✓/.test(line)))
  expect(cost).toMatch(/s {2}\$0\.05$/)
  expect(tokens).toMatch(/s {2}12,345 tokens$/)
})

test('CLI-480 a question on the spot shows the rule, the pattern, what fails and what to do first', () => {
  const events = playedRun({ failing: [2, 2, 2, 2] })
  const raised = events.find((event) => event.type === 'escalation.raised')
  if (raised?.type !== 'escalation.raised') throw new Error('It asks at the maximum.')
  const context = collectingContext('/project')
  const view = liveProgress(context.terminal, [], raised.run, configOf(events))
  events.slice(0, events.indexOf(raised) + 1).forEach(view.onEvent)
  const before = context.said.length
  view.makeRoom({ ...raised.data.question, feedback: ['one: is wrong', 'two: is wrong'] })
  const shown = context.said.slice(before).join('\n')
  expect(shown).toMatch(/^\nGuard {7}maxIterations: 3 iterations done/)
  expect(shown).toContain('\nPattern     The same failure after each of the last 3 attempts.')
  expect(shown).toContain('\nFails       one: is wrong\n            two: is wrong')
  expect(shown).toMatch(/\nAdvice {6}\S/)
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
  const [broken, mended] = said(events).filter((line) => /^ {2}\d\/3 {2}[✓✗]/.test(line))
  expect(broken).toContain('  ✗  4 → 1, 3 not run  2 files  ')
  expect(mended).toContain('  ✓  1 → 0 failing  2 files  ')
  expect(runView(events).iterations.map(movementWords)).toEqual(['4 → 1, 3 not run', '1 → 0'])
})

test('LIMIT-28 the live line counts a wait down', () => {
  const events = playedRun({ failing: [1, 0] })
  const progress = runProgress(events.slice(0, 4))
  const last = progress.run.state
  if (!last) throw new Error('A run begins with run.started.')
  const until = last.at + 125_000
  const data = { timer: 't', until, message: 'Waiting for the provider: used up' }
  const screen = { columns: 200, paint: (_style: string, text: string) => text, isLive: true }
  progress.take({ type: 'timer.set', run: last.run, seq: last.seq + 1, v: 1, at: last.at, by: { role: 'loop' }, data }, screen)
  const lineAt = (now: number) => liveLine(progress, { frame: 0, activeMs: 0, config: last.config, now }, screen)
  expect(lineAt(last.at)).toContain('2m05s left  Waiting for the provider: used up')
  expect(lineAt(until - 4200)).toContain('5.0s left')
  expect(lineAt(until + 9000)).toContain('0ms left')
})

test('LONG-5 without a live line, one line now and then says what the agent does', () => {
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
  expect(saidWith(60_000)[0]).toMatch(/ · in shop\/packages\/a$/)
})
