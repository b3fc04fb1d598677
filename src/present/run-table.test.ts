import { describe, expect, it } from 'vitest'
import { evolveAll } from '../loops/evolve.ts'
import type { State } from '../core/state.ts'
import { plainScreen, playedRun, STARTED_AT, type Script } from '../../test/support/view-fixture.ts'
import { damagedRow, runRow, runTable } from './run-table.ts'
import { textWidth } from './layout.ts'

const NOW = STARTED_AT + 3_600_000

function rowOf(script: Script, isHeld = false) {
  return runRow(evolveAll(undefined, playedRun(script)) as State, isHeld, STARTED_AT + 60_000)
}

describe('the list of runs', () => {
  it('CLI-240 has one line a run: what to do about it, iterations, failing first and last, cost, time, when, goal', () => {
    const lines = runTable([rowOf({ failing: [3, 1, 2, 2] }), rowOf({ run: 'other', failing: [3, 0] })], plainScreen(140), NOW)
    expect(lines).toHaveLength(3)
    expect(lines[1]).toMatch(
      /^fix-login {2}escalated - pawl answer fix-login {2}3 +3 → 2 {2}\$0\.15 {3}[\d.]+s {2}59m ago {2}Login returns a numeric userId$/,
    )
    expect(lines[2]).toMatch(/^other {6}completed +1 +3 → 0/)
  })

  it('CLI-240 a narrow screen gets the verb instead of the command, and no line is wider than it', () => {
    const lines = runTable([rowOf({ failing: [3, 1, 2, 2], goal: 'A goal of many words '.repeat(9) })], plainScreen(80), NOW)
    expect(lines[1]).toContain('escalated (answer)')
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(80)
    expect(lines[1]?.endsWith('…')).toBe(true)
  })

  it('CLI-241 a run that could continue but is driven by nobody is idle', () => {
    expect(rowOf({ failing: [3, 2], factsMax: 4 })).toMatchObject({
      status: 'running',
      isHeld: false,
      command: 'pawl resume fix-login',
    })
    expect(rowOf({ failing: [3, 2], factsMax: 4 }, true)).not.toHaveProperty('command')
    expect(runTable([rowOf({ failing: [3, 2], factsMax: 4 })], plainScreen(140), NOW)[1]).toContain(
      'idle - pawl resume fix-login',
    )
  })

  it('CLI-242 a run whose journal cannot be read is listed as damaged, with why', () => {
    const line = runTable(
      [damagedRow('bad', 'Run bad begins with check.passed.', STARTED_AT, STARTED_AT)],
      plainScreen(140),
      NOW,
    )[1]
    expect(line).toContain('damaged - pawl verify bad')
    expect(line).toContain('begins with check.passed')
  })

  it('CLI-483 says how many tests did not run at last', () => {
    const row = rowOf({ failing: [4, 1, 1, 1], ran: [10, 7, 7, 7] })
    expect(row).toMatchObject({ failingFirst: 4, failingLast: 1, notRun: 3 })
    expect(runTable([row], plainScreen(140), NOW)[1]).toContain(' 4 → 1, 3 not run  ')
    expect(rowOf({ failing: [4, 1] })).not.toHaveProperty('notRun')
  })
})
