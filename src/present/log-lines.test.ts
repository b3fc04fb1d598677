import { describe, expect, it } from 'vitest'
import type { Event } from '../core/event.ts'
import { budget, maxIterations } from '../guards/index.ts'
import { type RunFold, runFold } from './run-fold.ts'
import { eventLine, eventWords } from './log-lines.ts'
import { plainScreen, playedRun } from '../../test/support/view-fixture.ts'
import { textWidth } from './layout.ts'

describe('the lines of a log', () => {
  const events = playedRun({
    failing: [3, 2, 2, 2],
    said: 'One\nand two.',
    guards: [maxIterations(3), budget({ costUsdMax: 9 })],
  })

  const after = (index: number): RunFold => runFold(events.slice(0, index + 1))

  it('CLI-250 every event is one line within the screen: seq, time, type, by whom, and words', () => {
    for (const [index, event] of events.entries()) {
      const line = eventLine(event, after(index), plainScreen(120))
      expect(line).toMatch(
        new RegExp(`^ *${event.seq} {2}\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d {2}${event.type.replace('.', '\\.')} `),
      )
      expect(textWidth(line)).toBeLessThanOrEqual(120)
      expect(line).not.toContain('\n')
      expect(textWidth(eventLine(event, after(index), plainScreen(80)))).toBeLessThanOrEqual(80)
    }
  })

  it('CLI-250 without a screen the words are whole', () => {
    const index = events.findIndex((event) => event.type === 'work.finished')
    expect(eventLine(events[index] as Event, after(index), plainScreen(Infinity))).toMatch(
      /work\.finished +agent claude +1\/coder\/0, 900 ms, \$0\.05: One and two\.$/,
    )
  })

  it.each([
    ['run.started', /^Login returns a numeric userId - task loop, agent claude: claude -p, checks tests: npm test$/],
    ['iteration.ended', /^iteration 1: 2 failing, score 0\.8, 2 files changed, /],
    ['check.failed', /^tests, 300 ms, 3 of 10 tests failing: login > id: expected 42 to be "42"$/],
    ['guard.tripped', /^3 iterations done, and the maximum is 3\.$/],
    ['decision.made', /^retry: .* \(on \d+\)$/],
    [
      'escalation.raised',
      /\[1 Continue, with up to 6 iterations; 2 Accept the work as it is; 3 End the run \(files stay as they are\)\]$/,
    ],
  ])('CLI-250 %s tells what matters', (type, words) => {
    const index = events.findIndex((each) => each.type === type)
    expect(eventWords(events[index] as Event, after(index))).toMatch(words)
  })
})
