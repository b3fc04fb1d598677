import { describe, expect, it } from 'vitest'
import { budget, maxIterations } from '../../../core/guards/index.ts'
import { plainScreen, playedRun, STARTED_AT } from './fixture.ts'
import { runLines } from './run-lines.ts'
import { runView } from './run-view.ts'
import { textWidth } from './text-layout.ts'

const NOW = STARTED_AT + 600_000

describe('a run on one screen', () => {
  it('CLI-220 says the status with the command to type, why, with numbers and facts, and what it is made of', () => {
    const text = runLines(runView(playedRun({ failing: [3, 1, 2, 2] })), plainScreen(), NOW).join('\n')
    expect(text).toContain('fix-login  escalated - pawl answer fix-login')
    expect(text).toContain('Goal        Login returns a numeric userId')
    expect(text).toMatch(/Decision {4}escalate, after iteration 3 \(fact \d+, on facts \d+ and \d+\)/)
    expect(text).toMatch(/Evidence {4}iterations 3, iterationsMax 3; fact \d+/)
    expect(text).toContain('To go on    A maximum of 6 would have let it go on.')
    expect(text).toContain('Checks      tests: npm test')
    expect(text).toContain('Driven by   nobody now')
  })

  it('CLI-220 has a table of iterations with the best one marked, and the command that restores it', () => {
    const lines = runLines(runView(playedRun({ failing: [3, 1, 2, 2] })), plainScreen(), NOW)
    expect(lines.find((line) => line.startsWith('  *1'))).toMatch(
      /^ {2}\*1 {2}failed {4}3 -> 1 {6}2 +3s {2}\$0\.05 {2}Change 1\.$/,
    )
    expect(lines.join('\n')).toContain('iteration 1: 1 failure, score 0.9; get it with pawl restore fix-login 1')
  })

  it('CLI-220 shows the question with numbered options and the exact command to answer', () => {
    const text = runLines(runView(playedRun({ failing: [3, 1, 2, 2] })), plainScreen(), NOW).join('\n')
    expect(text).toContain('  1  Go on, with up to 6 iterations (recommended)')
    expect(text).toContain('  3  End the run here')
    expect(text).toContain('Answer      pawl answer fix-login 1')
  })

  it('CLI-220 shows what people did and said', () => {
    const view = runView(playedRun({ failing: [3, 2, 2, 2, 0], answers: [{ choice: '1', note: 'It is an integer.' }] }))
    expect(runLines(view, plainScreen(200), NOW).join('\n')).toMatch(/ada answered: Go on, .*: "It is an integer\." \(fact \d+\)/)
  })

  it('CLI-220 names who drives it, and a run that nobody drives is idle with the command to go on', () => {
    const view = runView(playedRun({ failing: [3, 2], factsMax: 4 }))
    expect(runLines(view, plainScreen(), NOW)[0]).toBe('fix-login  idle - pawl resume fix-login')
    const held = runLines({ ...view, holder: { pid: 42, startedAt: 'x', host: 'box', isSeen: true } }, plainScreen(), NOW)
    expect(held[0]).toBe('fix-login  running')
    expect(held).toContain('Driven by   process 42 on box')
  })

  it('CLI-220 what has begun and not ended is under way, or was cut short where nobody drives', () => {
    const whole = playedRun({ failing: [3, 2] })
    const view = runView(whole.slice(0, whole.findIndex((event) => event.type === 'work.started') + 1))
    const lines = runLines(view, plainScreen(), view.updatedAt + 20_000)
    expect(lines.slice(-2)).toEqual(['Cut short', '  work 1/coder/0 for 20s'])
    const holder = { pid: 42, startedAt: 'x', host: 'box', isSeen: true }
    expect(runLines({ ...view, holder }, plainScreen(), NOW)).toContain('Under way')
  })

  it('CLI-221 shows the first few and the last 20 of the iterations of a long run and says how many are left out', () => {
    const guards = [maxIterations(2000), budget({ costUsdMax: 10_000 })]
    const view = runView(playedRun({ guards, failing: Array.from({ length: 2001 }, (_, index) => 1 + (index % 5)) }))
    expect(view.iterations).toHaveLength(2000)
    const lines = runLines(view, plainScreen(), NOW)
    expect(lines.filter((line) => /^ +\*?\d+ {2}failed/.test(line))).toHaveLength(23)
    expect(lines).toContain('  … 1,977 iterations left out; --json has them all')
    expect(lines.length).toBeLessThan(80)
  })

  it('CLI-222 stays within 80 columns but for commands to copy, whatever the agent said', () => {
    const said = 'I did \u001B[31ma lot\u001B[0m: 登录 '.repeat(20)
    const lines = runLines(
      runView(playedRun({ failing: [3, 2, 2, 2], said, goal: 'Every word of it '.repeat(12) })),
      plainScreen(80),
      NOW,
    )
    expect(lines.filter((line) => textWidth(line) > 80 && !line.includes('pawl '))).toEqual([])
    expect(lines.join('\n')).not.toContain('\u001B')
  })
})
